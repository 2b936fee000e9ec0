#include "graphedx/large.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "graphedx/candidate_bound.hpp"
#include "graphedx/growth.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/neighbourhood_search.hpp"
#include "graphedx/proof.hpp"
#include "graphedx/savings.hpp"
#include "graphedx/type_bound.hpp"

namespace graphedx {

namespace {

constexpr double kPrecision = 1e-13;  // relative error that a proven distance may have
constexpr int kColourDepth = 12;
constexpr std::size_t kMostToProve = 3;  // candidates a row
constexpr int kProofNodes = 20000;
constexpr int kIdleRounds = 5;           // without progress before the bound counts as converged ...
constexpr int kIdleSearches = 15;        // ... and the search

void check(const Graph& graph, std::size_t node_classes, std::size_t edge_classes) {
  for (int i = 0; i < graph.size(); ++i)
    if (static_cast<std::size_t>(graph.node_class(i)) >= node_classes)
      throw std::invalid_argument("node class outside the cost tables");
  for (const Edge& e : graph.edges())
    if (static_cast<std::size_t>(e.label_class) >= edge_classes)
      throw std::invalid_argument("edge class outside the cost tables");
}

/// The interval so far, and who hears of it.
class Record {
 public:
  Record(const Graph& source, const Graph& target, const CostTables& costs,
         const std::function<void(const Interval&)>& improved)
      : source_(source), target_(target), costs_(costs), improved_(improved) {
    interval_.lower = 0;
    interval_.images.assign(source.size(), -1);
    interval_.upper = induced_cost(source, target, costs, interval_.images);
    interval_.proved = interval_.upper == 0;
    interval_.interrupted = false;
  }

  void offer_mapping(const Savings& savings, const std::vector<int>& column_of, Weight value) {
    if (value <= best_) return;
    best_ = value;
    std::vector<int> images = savings.images(column_of);
    const double cost = induced_cost(source_, target_, costs_, images);
    if (cost >= interval_.upper) return;
    interval_.upper = cost;
    interval_.images = std::move(images);
    changed_ = true;
  }

  /// `total` bounds the weight of every mapping that weighs more than the best.
  void offer_bound(const Savings& savings, Weight total) {
    const Weight most = std::max(total, best_) / savings.scale;
    const double value = static_cast<double>(savings.base - savings.step * most) * savings.lattice.unit();
    const double error = savings.lattice.error(savings.most_terms(), value);
    double lower = std::clamp(value - error, 0.0, interval_.upper);
    if (most * savings.scale <= best_ && error <= kPrecision * interval_.upper) lower = interval_.upper;
    if (lower <= interval_.lower) return;
    interval_.lower = lower;
    changed_ = true;
  }

  void tell() {
    interval_.lower = std::min(interval_.lower, interval_.upper);
    interval_.proved = interval_.lower == interval_.upper;
    if (changed_ && improved_) improved_(interval_);
    changed_ = false;
  }

  Weight best() const { return best_; }
  Interval& interval() { return interval_; }

 private:
  const Graph &source_, &target_;
  const CostTables& costs_;
  const std::function<void(const Interval&)>& improved_;
  Interval interval_;
  Weight best_ = -(Weight{1} << 58);
  bool changed_ = false;
};

class LargeSolver {
 public:
  LargeSolver(const Savings& savings, Record& record, Deadline& deadline)
      : savings_(savings), record_(record), deadline_(deadline) {}

  void run() {
    const TypeBound types = bound_by_types(savings_, deadline_);
    if (types.complete) record_.offer_bound(savings_, types.total);
    record_.tell();
    const Colours colours = refine_together(savings_, kColourDepth, deadline_);
    Growth growth(savings_, colours, deadline_);
    NeighbourhoodSearch search(savings_, growth, deadline_);
    construct(types, growth, search);
    if (!types.complete || deadline_.expired() || done()) return;
    CandidateBound bound(savings_, types, colours, search.mapping().column_of, deadline_);
    if (!bound.usable()) return;
    growth.heed([&bound](int i, int j) { return bound.loss(i, j); });
    alternate(bound, growth, search);
    if (!done()) prove(bound);
  }

 private:
  bool done() {
    record_.tell();
    return record_.interval().proved;
  }

  void offer(const NeighbourhoodSearch& search) {
    record_.offer_mapping(savings_, search.mapping().column_of, search.value());
  }

  /// Several first mappings; the search goes on from the best.
  void construct(const TypeBound& types, Growth& growth, NeighbourhoodSearch& search) {
    std::optional<PartialMapping> best;
    Weight value = 0;
    const auto try_from = [&](PartialMapping mapping) {
      search.start(std::move(mapping));
      offer(search);
      if (!best || search.value() > value) best = search.mapping(), value = search.value();
    };
    const auto enough = [&] { return best && (deadline_.expired() || done()); };
    for (int depth : {5, 3, 8, 4, 6, 10, 2, 12})
      if (!enough()) try_from(growth.build(depth));
    if (types.complete && !enough()) try_from(whole(types.column_of, growth));
    if (enough()) return;
    search.start(*best);
    search.search(4 * savings_.rows + 200);
    offer(search);
    record_.tell();
  }

  /// A mapping from an assignment that leaves rows alone.
  PartialMapping whole(const std::vector<int>& column_of, Growth& growth) {
    PartialMapping mapping(savings_.rows, savings_.columns);
    std::vector<int> all(savings_.rows);
    for (int i = 0; i < savings_.rows; ++i) {
      all[i] = i;
      if (column_of[i] >= 0) mapping.map(i, column_of[i]);
    }
    growth.fill(mapping, all);
    return mapping;
  }

  /// Rounds of the bound, each followed by some search, until neither gets anywhere.
  void alternate(CandidateBound& bound, Growth& growth, NeighbourhoodSearch& search) {
    int bound_idle = 0, search_idle = 0;
    while ((bound_idle < kIdleRounds || search_idle < kIdleSearches) && !deadline_.expired()) {
      const Weight best = record_.best();
      const bool still_bounds = bound_idle < kIdleRounds;
      if (still_bounds) {
        bound_idle = bound.improve(record_.best()) ? 0 : bound_idle + 1;
        record_.offer_bound(savings_, bound.total());
        if (done()) return;
        PartialMapping assigned = whole(bound.assignment(), growth);
        if (savings_.value_of(assigned.column_of) > search.value()) search.start(std::move(assigned));
      }
      search.search(still_bounds ? savings_.rows / 2 + 50 : 4000);
      offer(search);
      record_.offer_bound(savings_, bound.total());
      if (done()) return;
      search_idle = record_.best() > best ? 0 : search_idle + 1;
      if (search_idle == 0) bound_idle = std::min(bound_idle, kIdleRounds - 1);  // a better mapping strikes out more
    }
  }

  /// Where few candidates are left, settles the rest.
  void prove(CandidateBound& bound) {
    if (deadline_.expired() || !bound.is_complete() || bound.candidates() > kMostToProve * (savings_.rows + 10u)) return;
    Weight best = record_.best();
    std::vector<int> column_of;
    const bool proved = Proof(savings_, deadline_, best, column_of).run(bound, kProofNodes);
    if (!column_of.empty()) record_.offer_mapping(savings_, column_of, best);
    if (proved) record_.offer_bound(savings_, best);
    record_.tell();
  }

  const Savings& savings_;
  Record& record_;
  Deadline& deadline_;
};

}  // namespace

Interval solve_large(const Graph& source, const Graph& target, const CostTables& costs, Deadline& deadline,
                     const std::function<void(const Interval&)>& improved) {
  if (source.directed() != target.directed()) throw std::invalid_argument("one graph is directed, the other is not");
  check(source, costs.node_del.size(), costs.edge_del.size());
  check(target, costs.node_ins.size(), costs.edge_ins.size());
  Record record(source, target, costs, improved);
  if (!record.interval().proved && !deadline.expired()) {
    const Savings savings(source, target, costs, deadline);
    if (savings.complete) LargeSolver(savings, record, deadline).run();
  }
  record.tell();
  record.interval().interrupted = deadline.expired() && !record.interval().proved;
  return record.interval();
}

}  // namespace graphedx
