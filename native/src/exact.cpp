#include "graphedx/exact.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "graphedx/mapping.hpp"
#include "graphedx/problem.hpp"
#include "graphedx/search.hpp"

namespace graphedx {

namespace {

void check(const Graph& graph, std::size_t node_classes, std::size_t edge_classes) {
  for (int i = 0; i < graph.size(); ++i)
    if (static_cast<std::size_t>(graph.node_class(i)) >= node_classes)
      throw std::invalid_argument("node class outside the cost tables");
  for (const Edge& e : graph.edges())
    if (static_cast<std::size_t>(e.label_class) >= edge_classes)
      throw std::invalid_argument("edge class outside the cost tables");
}

/// Savings above which a mapping costs no more than the cutoff, less one: what the search must exceed.
std::int64_t threshold(const Problem& problem, double cutoff) {
  if (!(cutoff < problem.base * problem.lattice.unit() * 2 + 1)) return -1;
  double allowed = std::floor(cutoff / problem.lattice.unit() * (1 + 1e-14) + 1e-9);
  if (!problem.lattice.exact()) allowed += problem.most_terms();  // each may be off by half a unit; do not cut too much
  const double needed = std::ceil((static_cast<double>(problem.base) - allowed) / static_cast<double>(problem.step));
  return std::max<std::int64_t>(-1, static_cast<std::int64_t>(needed) - 1);
}

constexpr double kPrecision = 1e-13;  // relative error that a proven distance may have without a closer look

/// No optimum pays more than `cap` for a single edit, so dearer ones may as well cost that: mappings that cost less than
/// the cap cost the same as before, and the lattice no longer spends its digits on prices that nobody pays.
CostTables capped(CostTables costs, double cap) {
  for (auto* table : {&costs.node_del, &costs.node_ins, &costs.node_sub, &costs.edge_del, &costs.edge_ins, &costs.edge_sub})
    for (double& cost : *table) cost = std::min(cost, cap);
  return costs;
}

template <class W>
ExactResult search(const Problem& problem, const Graph& source, const Graph& target, const CostTables& costs,
                  double cutoff, Deadline& deadline) {
  Search<W> search(problem, deadline);
  const std::int64_t least = threshold(problem, cutoff);
  search.run(least);
  ExactResult result;
  result.images = problem.images(search.best_columns());
  result.upper = induced_cost(source, target, costs, result.images);
  result.nodes = search.nodes();
  std::int64_t most = search.best_savings();
  if (!search.finished()) {
    result.stop = deadline.was_interrupted() ? Stop::kInterrupted : Stop::kTime;
    most = std::max({most, search.savings_bound(), least});
  } else if (most <= least) {
    result.stop = Stop::kCutoff;
    most = std::min(least, std::max(most, search.root_bound()));
  } else {
    result.stop = Stop::kProved;
  }
  if (most <= search.best_savings()) {
    result.stop = Stop::kProved;
    result.lower = result.upper;
    return result;
  }
  const double lower = static_cast<double>(problem.base - problem.step * most) * problem.lattice.unit();
  result.lower = std::clamp(lower - problem.lattice.error(problem.most_terms(), lower), 0.0, result.upper);
  if (result.stop == Stop::kCutoff && result.lower <= cutoff)
    result.lower = std::min(std::nextafter(cutoff, INFINITY), result.upper);
  return result;
}

ExactResult search(const Problem& problem, const Graph& source, const Graph& target, const CostTables& costs,
                   double cutoff, Deadline& deadline) {
  return Weights<std::int32_t>::fits(problem)
             ? search<std::int32_t>(problem, source, target, costs, cutoff, deadline)
             : search<std::int64_t>(problem, source, target, costs, cutoff, deadline);
}

/// Whether rounding costs to whole units could hide a better mapping.
bool is_too_coarse(const Problem& problem, double upper) {
  return !problem.lattice.exact() && problem.lattice.error(problem.most_terms(), upper) > kPrecision * upper;
}

}  // namespace

ExactResult solve_exact(const Graph& source, const Graph& target, const CostTables& costs, double cutoff,
                        Deadline& deadline) {
  if (source.directed() != target.directed()) throw std::invalid_argument("one graph is directed, the other is not");
  check(source, costs.node_del.size(), costs.edge_del.size());
  check(target, costs.node_ins.size(), costs.edge_ins.size());
  Problem problem(source, target, costs);
  ExactResult result = search(problem, source, target, costs, cutoff, deadline);
  while (result.stop == Stop::kProved && is_too_coarse(problem, result.upper)) {
    Problem finer(source, target, capped(costs, result.upper * 1.001));
    if (finer.lattice.unit() > problem.lattice.unit() / 2) break;  // as fine as adding up doubles is
    problem = std::move(finer);
    ExactResult next = search(problem, source, target, costs, INFINITY, deadline);
    next.nodes += result.nodes;
    if (next.upper > result.upper) {
      next.images = result.images;
      next.upper = result.upper;
      if (next.stop == Stop::kProved) next.lower = next.upper;
    }
    result = std::move(next);
  }
  return result;
}

}  // namespace graphedx
