#include <algorithm>
#include <cmath>
#include <vector>

#include "graphedx/methods.hpp"
#include "graphedx/star_types.hpp"

namespace graphedx {

namespace {

/// Costs of kinds: what joins two nodes is edited as a whole.
class KindCosts {
 public:
  explicit KindCosts(const Task& task) : task_(task), directed_(task.source.directed()) {}

  double del(int s) const { return both(task_.source.kinds()[s - 1], task_.costs.edge_del); }
  double ins(int t) const { return both(task_.target.kinds()[t - 1], task_.costs.edge_ins); }
  double sub(int s, int t) const {
    const Kind &x = task_.source.kinds()[s - 1], &y = task_.target.kinds()[t - 1];
    return edge(x.out, y.out) + (directed_ ? edge(x.in, y.in) : 0);
  }

 private:
  static double one(const std::vector<double>& table, int c) { return c < 0 ? 0 : table[c]; }
  double both(const Kind& kind, const std::vector<double>& table) const {
    return one(table, kind.out) + (directed_ ? one(table, kind.in) : 0);
  }
  double edge(int a, int b) const {
    const double replaced = one(task_.costs.edge_del, a) + one(task_.costs.edge_ins, b);
    return a < 0 || b < 0 ? replaced : std::min(replaced, task_.costs.edge_substitution(a, b));
  }

  const Task& task_;
  bool directed_;
};

/// Elements of one set and what they cost: alone, and at best with anything of the other set.
struct Side {
  void add(double alone, double best_pair, int copies = 1) {
    // A pair is found from both of its sides, so each pays half.
    total += copies * std::min(alone, best_pair / 2);
    least = count == 0 ? alone : std::min(least, alone);
    count += copies;
  }

  double total = 0, least = 0;
  int count = 0;
};

/// Both sets; at least as many stay alone as one is larger than the other.
double distance_between(const Side& x, const Side& y) {
  const double surplus = x.count > y.count ? (x.count - y.count) * x.least : (y.count - x.count) * y.least;
  return std::max(x.total + y.total, surplus);
}

using Star = std::vector<KindCount>;

double star_distance(const KindCosts& costs, const Star& left, const Star& right) {
  Side x, y;
  for (const auto [s, copies] : left) {
    double best = INFINITY;
    for (const KindCount& other : right) best = std::min(best, costs.sub(s, other.kind));
    x.add(costs.del(s), best, copies);
  }
  for (const auto [t, copies] : right) {
    double best = INFINITY;
    for (const KindCount& other : left) best = std::min(best, costs.sub(other.kind, t));
    y.add(costs.ins(t), best, copies);
  }
  return distance_between(x, y);
}

/// Half of what all edges at a node cost, by type of star: the other half is paid at their other ends.
template <class Cost>
std::vector<double> half_stars(const StarTypes& types, Cost&& cost) {
  std::vector<double> result;
  for (const auto& star : types.star) {
    double total = 0;
    for (const auto [kind, copies] : star) total += copies * cost(kind);
    result.push_back(total / 2);
  }
  return result;
}

double hausdorff(const Task& task, Deadline& deadline) {
  const Graph &a = task.source, &b = task.target;
  if (deadline.expired()) return 0;
  const KindCosts kinds(task);
  const StarTypes left(a), right(b);
  std::vector<double> lines(left.star.size() * right.star.size(), -1);  // by type, filled when needed
  const std::vector<double> alone = half_stars(left, [&](int s) { return kinds.del(s); });
  const std::vector<double> fresh = half_stars(right, [&](int t) { return kinds.ins(t); });
  std::vector<double> nearest(b.size(), INFINITY);
  Side x, y;
  for (int i = 0; i < a.size(); ++i) {
    if (deadline.expired()) return 0;
    double best = INFINITY;
    double* stars = lines.data() + left.of[i] * right.star.size();
    if (!right.star.empty() && stars[0] < 0)
      for (std::size_t t = 0; t < right.star.size(); ++t)
        stars[t] = star_distance(kinds, left.star[left.of[i]], right.star[t]);
    for (int j = 0; j < b.size(); ++j) {
      const double cost = task.costs.node_substitution(a.node_class(i), b.node_class(j)) + stars[right.of[j]] / 2;
      best = std::min(best, cost);
      nearest[j] = std::min(nearest[j], cost);
    }
    x.add(task.costs.node_del[a.node_class(i)] + alone[left.of[i]], best);
  }
  for (int j = 0; j < b.size(); ++j) y.add(task.costs.node_ins[b.node_class(j)] + fresh[right.of[j]], nearest[j]);
  return distance_between(x, y);
}

bool are_whole(const CostTables& costs) {
  for (const auto* table :
       {&costs.node_del, &costs.node_ins, &costs.node_sub, &costs.edge_del, &costs.edge_ins, &costs.edge_sub})
    for (double cost : *table)
      if (cost != std::floor(cost) || cost > 1e9) return false;
  return true;
}

}  // namespace

Answer solve_hed(const Task& task, Deadline& deadline) {
  const double value = hausdorff(task, deadline);
  Answer answer = trivial_answer(task, deadline);
  const double terms = static_cast<double>(task.source.edges().size() + task.target.edges().size()) +
                       task.source.size() + task.target.size();
  // Whole costs give eighths, which doubles add without error, and a distance that is whole. For others, take off what
  // adding them up may have rounded.
  const double rounded = value < 1e-280 ? 0 : value * (1 - 4e-16 * (terms + 8));  // below, halves are not exact
  const double lower = are_whole(task.costs) ? std::ceil(value) : rounded;
  answer.lower = std::clamp(lower, 0.0, answer.upper);
  answer.stop = stop_reason(task, deadline, answer);
  return answer;
}

}  // namespace graphedx
