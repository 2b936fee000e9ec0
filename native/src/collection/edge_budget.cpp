#include "graphedx/collection/edge_budget.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace graphedx {

namespace {

constexpr double kMostWays = 1e5;       // to lose edges, of either graph
constexpr double kMostGains = 5e5;      // ways of the query to lose edges and to gain one
constexpr double kWorth = 3;            // ways of a graph, each of those
constexpr double kMostSpared = 2000;    // ways of a graph: where there are more, bounds and searches are quicker
constexpr double kRounding = 1 + 1e-9;  // of sums of costs: nothing is lost by more

std::vector<int> classes_of(const Graph& graph) {
  std::vector<int> classes(graph.size());
  for (int i = 0; i < graph.size(); ++i) classes[i] = graph.node_class(i);
  return classes;
}

double least(const std::vector<double>& costs) {
  return costs.empty() ? 0 : *std::min_element(costs.begin(), costs.end());
}

}  // namespace

EdgeBudget::EdgeBudget(const Graph& query, const CostTables& costs, bool patient)
    : costs_(costs),
      remnants_(query.size(), query.edges()),
      patient_(patient),
      of_query_(matches(costs, false)),
      of_graph_(matches(costs, true)),
      classes_(counts(classes_of(query), costs.node_del.size())),
      edges_(query.edges().size()),
      edge_deleted_(least(costs.edge_del)),
      edge_inserted_(least(costs.edge_ins)) {
  for (std::size_t a = 0; a < classes_.size(); ++a) nodes_deleted_ += classes_[a] * costs.node_del[a];
}

std::vector<EdgeBudget::Match> EdgeBudget::matches(const CostTables& costs, bool of_target) {
  const std::size_t own = of_target ? costs.node_ins.size() : costs.node_del.size();
  const std::size_t others = of_target ? costs.node_del.size() : costs.node_ins.size();
  std::vector<Match> matches(own, {-1, 0, 0});
  for (std::size_t x = 0; x < own; ++x)
    for (std::size_t y = 0; y < others; ++y) {
      const std::size_t a = of_target ? y : x, b = of_target ? x : y;
      const double saved = costs.node_del[a] + costs.node_ins[b] - costs.node_sub[a * costs.node_ins.size() + b];
      Match& match = matches[x];
      if (saved > match.saved) {
        match = {static_cast<int>(y), saved, match.saved};
      } else {
        match.saved_else = std::max(match.saved_else, saved);
      }
    }
  return matches;
}

std::vector<int> EdgeBudget::counts(const std::vector<int>& classes, std::size_t size) {
  std::vector<int> counts(size, 0);
  for (int node_class : classes) {
    if (static_cast<std::size_t>(node_class) >= size)
      throw std::invalid_argument("the columns of a collection do not fit its labels");
    ++counts[node_class];
  }
  return counts;
}

double EdgeBudget::most_saved(const std::vector<Match>& matches, const std::vector<int>& own,
                              const std::vector<int>& others) {
  double most = 0;
  for (std::size_t x = 0; x < own.size(); ++x) {
    const int suited = matches[x].best < 0 ? 0 : std::min(own[x], others[matches[x].best]);
    most += suited * matches[x].saved + (own[x] - suited) * matches[x].saved_else;
  }
  return most;
}

std::optional<EdgeBudget::Demand> EdgeBudget::demand(const GraphContent& graph, double cutoff) {
  const double saving = edge_deleted_ + edge_inserted_;  // of an edge that is kept, from now on: not more
  if (!(saving > 0)) return {};
  const std::vector<int> classes = counts(graph.node_classes, costs_.node_ins.size());
  double inserted = 0;
  for (std::size_t b = 0; b < classes.size(); ++b) inserted += classes[b] * costs_.node_ins[b];
  const double edges = static_cast<double>(graph.edges.size());
  const double all = nodes_deleted_ + inserted + edge_deleted_ * static_cast<double>(edges_) + edge_inserted_ * edges;
  const double start = all - std::min(most_saved(of_query_, classes_, classes), most_saved(of_graph_, classes, classes_));
  const double kept = std::ceil((start - cutoff * kRounding - (kRounding - 1) * all) / saving);
  const double own_lost = static_cast<double>(edges_) - kept, lost = edges - kept;
  if (!(kept > 0 && std::max(own_lost, lost) <= Remnants::kMostLost)) return {};
  Demand demand{{-1, false}, -1, 0, start - saving * (kept - 1) - (kRounding - 1) * all};
  if (std::min(own_lost, lost) < 0) return demand;
  demand.own.lost = static_cast<int>(own_lost);
  demand.lost = static_cast<int>(lost);
  demand.ways = Remnants::ways(graph.edges.size(), demand.lost);
  const double fewer = Remnants::ways(graph.edges.size(), demand.lost - 1);
  if (demand.lost > 1 && is_worth_gaining(demand.own.lost, demand.ways - fewer)) {
    demand.own.gains = true;
    --demand.lost;
    demand.ways = fewer;
  }
  if (std::max(demand.ways, remnants_.ways({demand.own.lost, false})) > kMostWays) return {};
  return demand;
}

/// Keys of all edges that the query may gain are made when as many ways could have been spared as that takes: so it never
/// takes more than twice as long as what would have been best.
bool EdgeBudget::is_worth_gaining(int own_lost, double saved) {
  const double own_ways = remnants_.ways({own_lost, true});
  if (!patient_ || own_ways > kMostGains) return false;
  const auto spared = static_cast<std::int64_t>(std::min(saved, kMostSpared));
  return static_cast<double>(spared_[own_lost].fetch_add(spared)) > kWorth * own_ways;
}

bool EdgeBudget::can_be_met(const Demand& demand, const GraphContent& graph) const {
  if (demand.lost < 0) return false;
  return remnants_.may_match(static_cast<int>(graph.node_classes.size()), graph.edges, demand.own, demand.lost);
}

}  // namespace graphedx
