#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "graphedx/large/candidate_bound.hpp"
#include "graphedx/large/growth.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/large/neighbourhood_search.hpp"
#include "graphedx/large/candidate_proof.hpp"
#include "graphedx/large/savings.hpp"
#include "graphedx/large/type_bound.hpp"

namespace graphedx {

namespace {

constexpr double kPrecision = 1e-13;  // relative error that a proven distance may have
constexpr double kBoundPart = 0.7;  // of the time, at least, is left after the first mappings
constexpr double kShortest = 0.02;  // seconds of search a round
constexpr int kColourDepth = 12;
constexpr std::size_t kMostToProve = 3;  // candidates a row
constexpr int kProofNodes = 20000;
constexpr int kIdleRounds = 5;           // without progress before the bound counts as converged ...
constexpr int kIdleSearches = 15;        // ... and the search

/// The interval so far, and who hears of it.
class Record {
 public:
  Record(const Task& task, const Deadline& deadline) : task_(task), answer_(trivial_answer(task, deadline)) {}

  void offer_mapping(const Savings& savings, const std::vector<int>& column_of, Weight value) {
    if (value <= best_) return;
    best_ = value;
    std::vector<int> images = savings.images(column_of);
    const double cost = induced_cost(task_.source, task_.target, task_.costs, images);
    if (cost >= answer_.upper) return;
    answer_.upper = cost;
    answer_.images = std::move(images);
    changed_ = true;
  }

  /// `total` bounds the weight of every mapping that weighs more than the best.
  void offer_bound(const Savings& savings, Weight total) {
    const Weight most = std::max(total, best_) / savings.scale;
    const double value = static_cast<double>(savings.base - savings.step * most) * savings.lattice.unit();
    const double error = savings.lattice.error(savings.most_terms(), value);
    double lower = std::clamp(value - error, 0.0, answer_.upper);
    exhausted_ = most * savings.scale <= best_;
    if (exhausted_ && error <= kPrecision * answer_.upper) lower = answer_.upper;
    if (lower <= answer_.lower) return;
    answer_.lower = lower;
    changed_ = true;
  }

  /// Another problem: its weights have nothing to do with those so far.
  void start_anew() { best_ = kNothing; }

  void tell() {
    answer_.lower = std::min(answer_.lower, answer_.upper);
    if (changed_ && task_.improved) task_.improved(answer_);
    changed_ = false;
  }

  Weight best() const { return best_; }
  /// Whether there is nothing left to find out: on this lattice, as far as costs without a common unit are concerned.
  bool is_settled() const { return exhausted_ || answer_.lower == answer_.upper || answer_.lower > task_.cutoff; }
  Answer& answer() { return answer_; }

 private:
  const Task& task_;
  Answer answer_;
  static constexpr Weight kNothing = -(Weight{1} << 58);
  Weight best_ = kNothing;
  bool changed_ = true;
  bool exhausted_ = false;
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
  /// Without a limit, a number that is not infinite, and does not change: nothing then depends on the clock.
  double seconds_left() const { return deadline_.is_limited() ? deadline_.seconds_left() : 0; }

  bool done() {
    record_.tell();
    return record_.is_settled();
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
    const double to_leave = kBoundPart * seconds_left();
    const auto enough = [&] { return best && (deadline_.expired() || done() || seconds_left() < to_leave); };
    for (int depth : {5, 3, 8, 4, 6, 10, 2, 12})
      if (!enough()) try_from(growth.build(depth));
    if (types.complete && !enough()) try_from(whole(types.column_of, growth));
    search.start(*best);
    if (enough()) return;
    search.search(4 * savings_.rows + 200, to_leave);
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
      const double before = seconds_left();
      if (still_bounds) {
        bound_idle = bound.improve(record_.best()) ? 0 : bound_idle + 1;
        record_.offer_bound(savings_, bound.total());
        if (done()) return;
        PartialMapping assigned = whole(bound.assignment(), growth);
        if (savings_.value_of(assigned.column_of) > search.value()) search.start(std::move(assigned));
      }
      const double fair = std::max(before - seconds_left(), kShortest);  // as long as the bound took
      if (still_bounds) search.search(savings_.rows / 2 + 50, seconds_left() - fair);
      else search.search(std::min(4000, 40 * savings_.rows), 0);
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

Answer solve_large(const Task& task, Deadline& deadline) {
  Record record(task, deadline);
  record.tell();
  for (const auto ties : {Problem::Ties::kKeep, Problem::Ties::kSwap}) {
    if (record.is_settled() || deadline.expired()) break;
    record.start_anew();
    const Savings savings(task.source, task.target, task.costs, ties, deadline);
    if (savings.complete) LargeSolver(savings, record, deadline).run();
    if (!savings.tied) break;  // both directions give the same problem
  }
  record.tell();
  record.answer().stop = stop_reason(task, deadline, record.answer());
  return std::move(record.answer());
}

}  // namespace graphedx
