#include "graphedx/collection/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "graphedx/assignment.hpp"
#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kTogether = 8;  // prices that are tried on all graphs in one go: zero, and those of graphs ...
constexpr std::size_t kRanks[kTogether - 1] = {0, 10, 100, 300, 1000, 3000, 10000};  // ... with so many below them
constexpr std::size_t kMostCells = 250'000;    // of an assignment that prices are taken from
constexpr double kMostSights = 4e7;            // that are compared with each other: beyond that, stars have to do
constexpr std::size_t kGraphsATask = 4096, kStarsATask = 16, kViewsATask = 128;
constexpr double kMostHalves = 1e14;   // of a unit, in a sum of costs: of more, a double does not tell two apart
constexpr double kMostRounded = 1e9;   // of them, in a bound that is rounded
constexpr double kPassedOn = 0.5;    // to neighbours, of what a node costs for certain; any part is right
constexpr double kFinest = 1 << 16;  // parts that the largest saving is split into when prices are made

/// What costs and labels say of edges and nodes.
class Savings {
 public:
  Savings(const CostTables& costs, bool directed) : costs_(costs), directed_(directed) {}

  /// May be negative.
  double nodes(int a, int b) const { return costs_.node_del[a] + costs_.node_ins[b] - costs_.node_substitution(a, b); }

  double kinds(const Kind& x, const Kind& y) const {
    return edges(x.out, y.out) + (directed_ ? edges(x.in, y.in) : 0.0);
  }

  /// Of a node and half of each of its edges.
  double deletion(const Star& star) const { return alone(star, costs_.node_del, costs_.edge_del); }
  double insertion(const Star& star) const { return alone(star, costs_.node_ins, costs_.edge_ins); }

 private:
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

/// At least what the best matching of edges saves: if each had the best of the other side for itself.
template <class T, class Saving>
double most_matched(const std::vector<T>& left, const std::vector<T>& right, const Saving& saving) {
  double of_left = 0, of_right = 0;
  for (const T& x : left) {
    double most = 0;
    for (const T& y : right) most = std::max(most, saving(x, y));
    of_left += x.count * most;
  }
  for (const T& y : right) {
    double most = 0;
    for (const T& x : left) most = std::max(most, saving(x, y));
    of_right += y.count * most;
  }
  return std::min(of_left, of_right);
}

void check_labels(const Kind& kind, std::size_t edge_classes) {
  for (int label : {kind.out, kind.in})
    if (label >= static_cast<int>(edge_classes))
      throw std::invalid_argument("the columns of a collection do not fit its labels");
}

void check_labels(const Star& star, std::size_t node_classes, std::size_t edge_classes) {
  if (static_cast<std::size_t>(star.node_class) >= node_classes)
    throw std::invalid_argument("the columns of a collection do not fit its labels");
  for (const Ray& ray : star.rays) check_labels(ray.kind, edge_classes);
}

/// All that is in a collection of stars and views, as costs see it.
struct Neighbourhoods {
  std::vector<Star> stars;
  std::vector<View> views;
  std::vector<int> degrees;  // of stars

  Neighbourhoods(const Collection& collection, Labels labels) {
    for (std::size_t k = 0; k < collection.stars(); ++k) {
      stars.push_back(labels.seen(collection.star(k)));
      degrees.push_back(stars.back().degree());
    }
    for (std::size_t k = 0; k < collection.views(); ++k) {
      views.push_back(collection.view(k));
      for (Sight& sight : views.back().sights) {
        sight.kind = labels.seen(sight.kind);
        // A star that something is seen from has an edge; a file may say otherwise.
        if (degrees[sight.star] == 0) throw std::invalid_argument("the columns of a collection do not fit together");
      }
    }
  }
};

/// What all savings of a table of costs are multiples of.
struct Common {
  std::int64_t divisor = 0;
  bool all_same = true;  // none of them is negative, either
};

/// Substitutions dearer than `most` are not used by anybody; nor are those that save nothing, if they `may_be_left`.
Common common_savings(const Lattice& lattice, double most, bool may_be_left, const std::vector<double>& del,
                      const std::vector<double>& ins, const std::vector<double>& sub) {
  Common common;
  for (std::size_t a = 0; a < del.size(); ++a)
    for (std::size_t b = 0; b < ins.size(); ++b) {
      const double cost = sub[a * ins.size() + b];
      const std::int64_t saved =
          cost > most ? 0 : lattice.multiple(del[a]) + lattice.multiple(ins[b]) - lattice.multiple(cost);
      const bool first = a == 0 && b == 0;
      if (cost > most || saved < 0 || (!first && saved != common.divisor)) common.all_same = false;
      if (saved > 0 || !may_be_left) common.divisor = std::gcd(common.divisor, saved);
    }
  return common;
}

/// A graph as a collection of its own.
class Alone {
 public:
  explicit Alone(const Graph& graph) : builder_(graph.directed()) {
    std::vector<int> classes(graph.size());
    for (int i = 0; i < graph.size(); ++i) classes[i] = graph.node_class(i);
    builder_.add({std::move(classes), graph.edges()});
  }

  Collection collection(bool directed) const {
    const auto column = [](const auto& values) {
      return Collection::Column<typename std::decay_t<decltype(values)>::value_type>{values.data(), values.size()};
    };
    return {directed,
            column(builder_.graph_bytes),
            column(builder_.graph_ends),
            column(builder_.star_bytes()),
            column(builder_.star_ends()),
            column(builder_.view_bytes()),
            column(builder_.view_ends()),
            column(builder_.counted_views),
            column(builder_.counts),
            column(builder_.counted_ends)};
  }

 private:
  CollectionBuilder builder_;
};

/// Calls body(k) for all numbers below count, in runs of so many, while there is time; false if it ran out.
template <class Body>
bool in_time(std::size_t count, std::size_t run, int threads, const Deadline& until, const Body& body) {
  std::atomic<bool> late{false};
  const std::size_t tasks = (count + run - 1) / run;
  in_parallel(tasks, threads, 2, [&](Counter& next) {
    Deadline deadline(until);
    for (std::size_t task; !late && (task = next++) < tasks;) {
      for (std::size_t k = task * run; k < std::min(count, (task + 1) * run); ++k) body(k);
      if (deadline.expired()) late = true;
    }
  });
  return !late;
}

/// The same, all of them.
template <class Body>
void in_runs(std::size_t count, std::size_t run, int threads, const Body& body) {
  in_time(count, run, threads, Deadline(INFINITY, nullptr, nullptr), body);
}

double all_sights(const std::vector<View>& views) {
  return std::accumulate(views.begin(), views.end(), 0.0,
                         [](double sum, const View& view) { return sum + static_cast<double>(view.sights.size()); });
}

}  // namespace

Screen::Screen(const Collection& collection, const Graph& query, const CostTables& costs, Labels labels, int threads,
               const Deadline& until)
    : collection_(collection), threads_(threads), lower_(collection.size(), 0.0) {
  if (collection.size() == 0) return;
  const Savings savings(costs, query.directed());
  const Alone alone(query);
  const Collection single = alone.collection(query.directed());
  const Neighbourhoods own(single, {true, true}), others(collection, labels);
  for (const Star& star : others.stars) check_labels(star, costs.node_ins.size(), costs.edge_ins.size());

  Table by_star, &by_view = views_;
  const std::size_t stars = own.stars.size(), views = own.views.size();
  by_star.counts.assign(stars, 0);
  by_view.counts.assign(views, 0);
  for (std::size_t k = 0; k < single.counted_views.size; ++k) {
    const std::uint32_t view = single.counted_views.data[k];
    const int count = static_cast<int>(single.counts.data[k]);
    by_view.counts[view] += count;
    by_star.counts[own.views[view].star] += count;
  }

  std::vector<double> deletion(stars);
  std::vector<double> certain(others.stars.size() * stars);  // what mapping a star to a star costs at least
  for (std::size_t a = 0; a < stars; ++a) {
    deletion[a] = savings.deletion(own.stars[a]);
    deletion_ += by_star.counts[a] * deletion[a];
  }
  for (const View& view : others.views) by_star.of_view.push_back(static_cast<std::uint32_t>(view.star));
  by_star.insertion.resize(others.stars.size());
  by_star.savings.resize(certain.size());
  const bool in_good_time = in_time(others.stars.size(), kStarsATask, threads, until, [&](std::size_t b) {
    by_star.insertion[b] = savings.insertion(others.stars[b]);
    for (std::size_t a = 0; a < stars; ++a) {
      const Star &x = own.stars[a], &y = others.stars[b];
      const double matched =
          0.5 * most_matched(x.rays, y.rays, [&](const Ray& s, const Ray& t) { return savings.kinds(s.kind, t.kind); });
      const double saved = std::max(0.0, savings.nodes(x.node_class, y.node_class) + matched);
      by_star.savings[b * stars + a] = saved;
      certain[b * stars + a] = std::max(0.0, deletion[a] + by_star.insertion[b] - saved);
    }
  });
  if (!in_good_time) return;  // nothing is known: no bound is above zero
  screen_by(by_star);

  if (all_sights(others.views) * all_sights(own.views) <= kMostSights) {
    by_view.insertion.resize(others.views.size());
    by_view.savings.resize(others.views.size() * views);
    const bool done = in_time(others.views.size(), kViewsATask, threads, until, [&](std::size_t b) {
      const View& y = others.views[b];
      for (const Sight& sight : y.sights) check_labels(sight.kind, costs.edge_ins.size());
      by_view.insertion[b] = by_star.insertion[y.star];
      for (std::size_t a = 0; a < views; ++a) {
        const View& x = own.views[a];
        const double matched = most_matched(x.sights, y.sights, [&](const Sight& s, const Sight& t) {
          const double share = certain[t.star * stars + s.star] / std::min(own.degrees[s.star], others.degrees[t.star]);
          return (1 - kPassedOn) * 0.5 * savings.kinds(s.kind, t.kind) - kPassedOn * share;
        });
        const double nodes = savings.nodes(own.stars[x.star].node_class, others.stars[y.star].node_class);
        by_view.savings[b * views + a] = std::max(
            0.0, kPassedOn * (deletion[x.star] + by_star.insertion[y.star]) + (1 - kPassedOn) * nodes + matched);
      }
    });
    if (done) screen_by(by_view);
    else by_view.savings.clear();
  }
  find_steps(by_star, costs);
  for (std::size_t g = 0; g < lower_.size(); ++g) lower_[g] = rounded_up(g, lower_[g]);
}

/// A distance is what it costs to delete the query and to insert the graph, less a multiple of what all savings are
/// multiples of. If all nodes save the same, whatever their labels, as many do as there can be, and only edges count.
/// All of this is in halves of the costs' unit, of which a star has a whole number.
void Screen::find_steps(const Table& by_star, const CostTables& costs) {
  std::vector<double> totals(collection_.size());
  const auto sum_up = [&](const auto& each, auto& sums) {
    in_runs(collection_.size(), kGraphsATask, threads_, [&](std::size_t g) {
      for (std::int64_t k = collection_.counted_begin(g); k < collection_.counted_ends.data[g]; ++k)
        sums[g] += collection_.counts.data[k] * each[by_star.of_view[collection_.counted_views.data[k]]];
    });
  };
  sum_up(by_star.insertion, totals);
  const double largest = deletion_ + *std::max_element(totals.begin(), totals.end());
  const Lattice lattice(costs, 4 * largest);
  const double halves = std::round(2 / lattice.unit());
  if (!lattice.exact() || largest * halves > kMostHalves) return;
  const Common of_nodes = common_savings(lattice, largest, false, costs.node_del, costs.node_ins, costs.node_sub);
  const Common of_edges = common_savings(lattice, largest, true, costs.edge_del, costs.edge_ins, costs.edge_sub);
  step_ = 2 * (of_nodes.all_same ? of_edges.divisor : std::gcd(of_nodes.divisor, of_edges.divisor));
  if (step_ == 0) return;
  halves_ = halves;

  std::vector<std::int64_t> each;
  for (double insertion : by_star.insertion) each.push_back(std::llround(insertion * halves));
  start_.assign(collection_.size(), std::llround(deletion_ * halves));
  sum_up(each, start_);
  if (!of_nodes.all_same) return;
  const std::vector<std::int64_t> one(each.size(), 1);
  std::vector<std::int64_t> sizes(collection_.size());
  sum_up(one, sizes);
  const std::int64_t nodes = std::accumulate(by_star.counts.begin(), by_star.counts.end(), std::int64_t{0});
  for (std::size_t g = 0; g < start_.size(); ++g) start_[g] -= 2 * of_nodes.divisor * std::min(nodes, sizes[g]);
}

double Screen::tighter(std::size_t graph) const {
  const std::optional<Assigned> found = views_.savings.empty() ? std::nullopt : assigned(views_, graph);
  if (!found) return lower_[graph];
  double total = deletion_ - found->saved;
  for (std::int64_t k = collection_.counted_begin(graph); k < collection_.counted_ends.data[graph]; ++k)
    total += collection_.counts.data[k] * views_.insertion[collection_.counted_views.data[k]];
  return std::max(lower_[graph], rounded_up(graph, total - 1e-9 * (deletion_ + total + found->saved)));
}

/// Lifts lower bounds by prices of graphs that have low ones.
void Screen::screen_by(Table& table) {
  if (!table.savings.empty()) table.scale = *std::max_element(table.savings.begin(), table.savings.end());
  std::vector<Prices> all{Prices(table.counts.size(), 0.0)};
  const bool is_first = !table.of_view.empty();
  if (is_first) raise(table, all);  // so that there are low ones
  for (std::size_t graph : graphs_of_ranks())
    if (auto found = assigned(table, graph)) all.push_back(std::move(found->prices));
  raise(table, all);
}

/// Lifts lower bounds to what these prices prove, `kTogether` at most. What takes the time is to read the counts, which
/// happens once for all of them.
void Screen::raise(const Table& table, const std::vector<Prices>& all) {
  const std::size_t own = table.counts.size();
  std::vector<std::array<double, kTogether>> prices(own), each(table.insertion.size()), of_view(collection_.views());
  std::array<double, kTogether> alone;
  for (std::size_t k = 0; k < kTogether; ++k) {
    const Prices& from = all[std::min(k, all.size() - 1)];
    alone[k] = deletion_;
    for (std::size_t a = 0; a < own; ++a) {
      prices[a][k] = from[a];
      alone[k] -= table.counts[a] * from[a];
    }
  }
  std::vector<double> largest(each.size(), 0.0), largest_of_view(of_view.size());  // of a node's parts in the totals
  for (std::size_t b = 0; b < each.size(); ++b) {
    std::array<double, kTogether> saved{};
    for (std::size_t a = 0; a < own; ++a)
      for (std::size_t k = 0; k < kTogether; ++k)
        saved[k] = std::max(saved[k], table.savings[b * own + a] - prices[a][k]);
    for (std::size_t k = 0; k < kTogether; ++k) {
      each[b][k] = table.insertion[b] - saved[k];
      largest[b] = std::max(largest[b], std::abs(each[b][k]));
    }
  }
  for (std::size_t view = 0; view < of_view.size(); ++view) {
    const std::size_t number = table.number(static_cast<std::uint32_t>(view));
    of_view[view] = each[number];
    largest_of_view[view] = largest[number];
  }
  const double rounding = 1e-12 * (deletion_ + table.scale);
  in_runs(collection_.size(), kGraphsATask, threads_, [&](std::size_t g) {
    std::array<double, kTogether> total = alone;
    double size = 0;
    for (std::int64_t k = collection_.counted_begin(g); k < collection_.counted_ends.data[g]; ++k) {
      const double count = collection_.counts.data[k];
      const std::array<double, kTogether>& parts = of_view[collection_.counted_views.data[k]];
      for (std::size_t lane = 0; lane < kTogether; ++lane) total[lane] += count * parts[lane];
      size += count * largest_of_view[collection_.counted_views.data[k]];
    }
    const double most = *std::max_element(total.begin(), total.end());
    lower_[g] = std::max(lower_[g], most - rounding - 1e-12 * size);
  });
}

/// The best assignment of the query to one graph; none if that is very large.
std::optional<Screen::Assigned> Screen::assigned(const Table& table, std::size_t graph) const {
  std::vector<std::size_t> columns;  // the neighbourhood of each node
  for (std::int64_t k = collection_.counted_begin(graph); k < collection_.counted_ends.data[graph]; ++k) {
    const std::uint32_t count = collection_.counts.data[k];
    if (count > kMostCells) return {};
    columns.insert(columns.end(), count, table.number(collection_.counted_views.data[k]));
    if (columns.size() > kMostCells) return {};
  }
  const std::size_t own = table.counts.size();
  const int rows = std::accumulate(table.counts.begin(), table.counts.end(), 0);
  if (static_cast<std::size_t>(rows) * columns.size() > kMostCells || table.scale == 0) return {};

  using Whole = std::int32_t;
  const int stride = static_cast<int>(std::max<std::size_t>(8, (columns.size() + 7) / 8 * 8));
  std::vector<Whole> weights(static_cast<std::size_t>(rows) * stride, -Assignment<Whole>::kGone);
  std::vector<Whole> u(rows, 0), v(stride, 0);
  std::vector<Whole> scratch(4 * static_cast<std::size_t>(stride));
  std::vector<int> column(rows, -1), row(stride, -1), order(rows), int_scratch(stride);
  std::fill(v.begin() + static_cast<std::ptrdiff_t>(columns.size()), v.end(), Assignment<Whole>::kGone);
  std::iota(order.begin(), order.end(), 0);
  const double fine = kFinest / table.scale;
  if (!std::isfinite(fine)) return {};
  for (std::size_t a = 0, i = 0; a < own; i += table.counts[a++]) {
    Whole* line = weights.data() + i * stride;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double saving = table.savings[columns[j] * own + a];  // which may be too small for any product
      line[j] = saving > 0 ? std::max<Whole>(1, static_cast<Whole>(std::ceil(saving * fine))) : 0;
    }
    for (int copy = 1; copy < table.counts[a]; ++copy) std::copy(line, line + columns.size(), line + copy * stride);
  }
  Deadline never(INFINITY, nullptr, nullptr);
  Assignment<Whole> assignment;
  assignment.bind(weights.data(), stride, scratch.data(), int_scratch.data(), never);
  assignment.repair({u.data(), v.data(), column.data(), row.data()}, order.data(), rows);

  Assigned found{Prices(own, 0.0), 0.0};
  for (std::size_t a = 0, i = 0; a < own; ++a) {
    for (int copy = 0; copy < table.counts[a]; ++copy) found.prices[a] += u[i++];
    found.prices[a] /= table.counts[a] * fine;
  }
  const auto last = v.begin() + static_cast<std::ptrdiff_t>(columns.size());
  const std::int64_t of_rows = std::accumulate(u.begin(), u.end(), std::int64_t{0});
  found.saved = static_cast<double>(std::accumulate(v.begin(), last, of_rows)) / fine;
  return found;
}

/// For each of the ranks, the graph with so many others below its lower bound.
std::vector<std::size_t> Screen::graphs_of_ranks() const {
  std::vector<std::uint32_t> order(lower_.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::size_t> graphs;
  auto end = order.end();
  for (std::size_t k = std::size(kRanks); k-- > 0;) {  // the largest first: the others are below it
    const auto at = order.begin() + static_cast<std::ptrdiff_t>(std::min(kRanks[k], order.size() - 1));
    if (at < end) {
      std::nth_element(order.begin(), at, end, [&](std::uint32_t x, std::uint32_t y) {
        return lower_[x] != lower_[y] ? lower_[x] < lower_[y] : x < y;
      });
      graphs.push_back(*at);
      end = at;
    }
  }
  return graphs;
}

double Screen::rounded_up(std::size_t graph, double bound) const {
  if (step_ == 0 || bound * halves_ > kMostRounded) return bound;
  const auto least = static_cast<std::int64_t>(std::ceil(bound * halves_ - 1e-6));
  if (least > start_[graph]) return bound;
  const double next = static_cast<double>(start_[graph] - (start_[graph] - least) / step_ * step_) / halves_;
  return std::max(bound, halves_ == 2 ? next : next * (1 - 1e-12));
}

}  // namespace graphedx
