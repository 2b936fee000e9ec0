#include "graphedx/collection/screen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "graphedx/assignment.hpp"
#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kRanks[] = {0, 10, 30, 100, 300, 1000, 3000, 0, 100, 1000, 300, 3000};  // where prices are taken from
constexpr std::size_t kMostCells = 250'000;  // of an assignment that prices are taken from
constexpr std::size_t kGraphsATask = 4096;
constexpr double kFinest = 1 << 16;  // parts that the largest saving is split into when prices are made

/// What costs and labels say of stars.
class StarSavings {
 public:
  StarSavings(const CostTables& costs, bool directed) : costs_(costs), directed_(directed) {}

  /// An upper bound on what mapping nodes with these stars saves, each edge counted half: negative ones are not wanted.
  double of(const Star& a, const Star& b) const {
    const double node =
        costs_.node_del[a.node_class] + costs_.node_ins[b.node_class] - costs_.node_substitution(a.node_class, b.node_class);
    return std::max(0.0, node + 0.5 * std::min(best_of(a, b, false), best_of(b, a, true)));
  }

  double deletion(const Star& star) const { return alone(star, costs_.node_del, costs_.edge_del); }
  double insertion(const Star& star) const { return alone(star, costs_.node_ins, costs_.edge_ins); }

 private:
  /// If each edge of `a` had the best of `b` for itself.
  double best_of(const Star& a, const Star& b, bool swapped) const {
    double total = 0;
    for (const Ray& x : a.rays) {
      double most = 0;
      for (const Ray& y : b.rays) most = std::max(most, swapped ? kinds(y.kind, x.kind) : kinds(x.kind, y.kind));
      total += x.count * most;
    }
    return total;
  }

  double kinds(const Kind& x, const Kind& y) const {
    return edges(x.out, y.out) + (directed_ ? edges(x.in, y.in) : 0.0);
  }

  double edges(int x, int y) const {
    if (x < 0 || y < 0) return 0;
    return std::max(0.0, costs_.edge_del[x] + costs_.edge_ins[y] - costs_.edge_substitution(x, y));
  }

  double alone(const Star& star, const std::vector<double>& node, const std::vector<double>& edge) const {
    double total = 0;
    for (const Ray& ray : star.rays) {
      if (ray.kind.out >= 0) total += ray.count * edge[ray.kind.out];
      if (directed_ && ray.kind.in >= 0) total += ray.count * edge[ray.kind.in];
    }
    return node[star.node_class] + 0.5 * total;
  }

  const CostTables& costs_;
  bool directed_;
};

void check_labels(const Star& star, std::size_t node_classes, std::size_t edge_classes) {
  bool known = static_cast<std::size_t>(star.node_class) < node_classes;
  for (const Ray& ray : star.rays)
    for (int label : {ray.kind.out, ray.kind.in}) known &= label < static_cast<int>(edge_classes);
  if (!known) throw std::invalid_argument("the columns of a collection do not fit its labels");
}

/// The different stars of a graph, and how often it has each.
std::vector<Star> different_stars(const Graph& graph, std::vector<int>& counts) {
  std::vector<int> classes(graph.size());
  for (int i = 0; i < graph.size(); ++i) classes[i] = graph.node_class(i);
  CollectionBuilder builder(graph.directed());
  builder.add({std::move(classes), graph.edges()});
  const auto column = [](const auto& values) {
    return Collection::Column<typename std::decay_t<decltype(values)>::value_type>{values.data(), values.size()};
  };
  const Collection alone{graph.directed(),          column(builder.graph_bytes),   column(builder.graph_ends),
                         column(builder.star_bytes), column(builder.star_ends),     column(builder.counted_stars),
                         column(builder.star_counts), column(builder.counted_ends)};
  std::vector<Star> stars;
  for (std::size_t k = 0; k < alone.stars(); ++k) stars.push_back(alone.star(k));
  counts.assign(stars.size(), 0);
  for (std::size_t k = 0; k < builder.counted_stars.size(); ++k)
    counts[builder.counted_stars[k]] = static_cast<int>(builder.star_counts[k]);
  return stars;
}

}  // namespace

Screen::Screen(const Collection& collection, const Graph& query, const CostTables& costs, Sight sight, int threads)
    : collection_(collection), threads_(threads), lower_(collection.size(), 0.0) {
  const std::vector<Star> stars = different_stars(query, counts_);
  const StarSavings savings(costs, query.directed());
  for (std::size_t a = 0; a < stars.size(); ++a) deletion_ += counts_[a] * savings.deletion(stars[a]);
  fill_savings(stars, costs, sight);
  if (collection.size() == 0) return;
  Prices prices(stars.size(), 0.0);
  raise(prices);
  for (std::size_t rank : kRanks) {
    prices = prices_for(graph_of_rank(std::min(rank, collection.size() - 1)));
    if (!prices.empty()) raise(prices);
  }
  round_up(costs);
}

void Screen::fill_savings(const std::vector<Star>& of_query, const CostTables& costs, Sight sight) {
  const StarSavings savings(costs, collection_.directed);
  savings_.resize(collection_.stars() * of_query.size());
  insertion_.resize(collection_.stars());
  for (std::size_t b = 0; b < collection_.stars(); ++b) {
    const Star star = without_labels(collection_.star(b), !sight.nodes, !sight.edges);
    check_labels(star, costs.node_ins.size(), costs.edge_ins.size());
    insertion_[b] = savings.insertion(star);
    for (std::size_t a = 0; a < of_query.size(); ++a)
      scale_ = std::max(scale_, savings_[b * of_query.size() + a] = savings.of(of_query[a], star));
  }
}

/// Lifts lower bounds to what these prices prove.
void Screen::raise(const Prices& prices) {
  std::vector<double> by_star(collection_.stars());
  for (std::size_t b = 0; b < by_star.size(); ++b) {
    double saved = 0;
    for (std::size_t a = 0; a < prices.size(); ++a) saved = std::max(saved, savings_[b * prices.size() + a] - prices[a]);
    by_star[b] = insertion_[b] - saved;
  }
  double alone = deletion_;
  for (std::size_t a = 0; a < prices.size(); ++a) alone -= counts_[a] * prices[a];
  const double rounding = 1e-12 * (deletion_ + scale_);
  in_parallel((collection_.size() + kGraphsATask - 1) / kGraphsATask, threads_, 8, [&](Counter& next) {
    const std::size_t tasks = (collection_.size() + kGraphsATask - 1) / kGraphsATask;
    for (std::size_t task; (task = next++) < tasks;) {
      const std::size_t last = std::min((task + 1) * kGraphsATask, collection_.size());
      for (std::size_t g = task * kGraphsATask; g < last; ++g) {
        double total = alone, size = 0;
        for (std::int64_t k = collection_.counted_begin(g); k < collection_.counted_ends.data[g]; ++k) {
          const double part = collection_.star_counts.data[k] * by_star[collection_.counted_stars.data[k]];
          total += part;
          size += std::abs(part);
        }
        lower_[g] = std::max(lower_[g], total - rounding - 1e-12 * size);
      }
    }
  });
}

/// The prices that prove most for one graph; none if it is very large.
Screen::Prices Screen::prices_for(std::size_t graph) const {
  std::vector<std::uint32_t> columns;  // the star of each node
  for (std::int64_t k = collection_.counted_begin(graph); k < collection_.counted_ends.data[graph]; ++k) {
    const std::uint32_t count = collection_.star_counts.data[k];
    if (count > kMostCells) return {};
    columns.insert(columns.end(), count, collection_.counted_stars.data[k]);
    if (columns.size() > kMostCells) return {};
  }
  const int rows = std::accumulate(counts_.begin(), counts_.end(), 0);
  if (static_cast<std::size_t>(rows) * columns.size() > kMostCells || rows == 0 || scale_ == 0) return {};

  using Whole = std::int32_t;
  const int stride = static_cast<int>(std::max<std::size_t>(8, (columns.size() + 7) / 8 * 8));
  std::vector<Whole> weights(static_cast<std::size_t>(rows) * stride, -Assignment<Whole>::kGone), u(rows, 0), v(stride, 0);
  std::vector<Whole> scratch(4 * static_cast<std::size_t>(stride));
  std::vector<int> column(rows, -1), row(stride, -1), order(rows), int_scratch(stride);
  std::fill(v.begin() + static_cast<std::ptrdiff_t>(columns.size()), v.end(), Assignment<Whole>::kGone);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t a = 0, i = 0; a < counts_.size(); ++a)
    for (int copy = 0; copy < counts_[a]; ++copy, ++i)
      for (std::size_t j = 0; j < columns.size(); ++j)
        weights[i * stride + j] = static_cast<Whole>(savings_[columns[j] * counts_.size() + a] / scale_ * kFinest);
  Deadline never(INFINITY, nullptr, nullptr);
  Assignment<Whole> assignment;
  assignment.bind(weights.data(), stride, scratch.data(), int_scratch.data(), never);
  assignment.repair({u.data(), v.data(), column.data(), row.data()}, order.data(), rows);

  Prices prices(counts_.size());
  for (std::size_t a = 0, i = 0; a < counts_.size(); ++a) {
    double total = 0;
    for (int copy = 0; copy < counts_[a]; ++copy) total += u[i++];
    prices[a] = total / counts_[a] * scale_ / kFinest;
  }
  return prices;
}

/// The graph with so many others below its lower bound.
std::size_t Screen::graph_of_rank(std::size_t rank) const {
  std::vector<std::uint32_t> order(lower_.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rank), order.end(),
                   [&](std::uint32_t x, std::uint32_t y) { return lower_[x] != lower_[y] ? lower_[x] < lower_[y] : x < y; });
  return order[rank];
}

/// Distances are multiples of a unit, if costs are.
void Screen::round_up(const CostTables& costs) {
  double most = 0;
  for (double bound : lower_) most = std::max(most, bound);
  const Lattice lattice(costs, 4 * most);
  if (!lattice.exact()) return;
  const double per_unit = std::round(1 / lattice.unit()), less = per_unit == 1 ? 0 : 1e-12;
  for (double& bound : lower_) bound = std::max(bound, std::ceil(bound * per_unit - 1e-6) / per_unit * (1 - less));
}

}  // namespace graphedx
