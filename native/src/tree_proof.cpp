#include "graphedx/tree_proof.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace graphedx {

namespace {

/// No optimum pays more than `cap` for a single edit, so dearer ones may as well cost that: mappings that cost less than
/// the cap cost the same as before, and the lattice no longer spends its digits on prices that nobody pays.
CostTables capped(CostTables costs, double cap) {
  for (auto* table : {&costs.node_del, &costs.node_ins, &costs.node_sub, &costs.edge_del, &costs.edge_ins, &costs.edge_sub})
    for (double& cost : *table) cost = std::min(cost, cap);
  return costs;
}

}  // namespace

std::int64_t threshold_of_cutoff(const Problem& problem, double cutoff) {
  if (!(cutoff < problem.base * problem.lattice.unit() * 2 + 1)) return -1;
  double allowed = std::floor(cutoff / problem.lattice.unit() * (1 + 1e-14) + 1e-9);
  if (!problem.lattice.exact()) allowed += problem.most_terms();  // each may be off by half a unit; do not cut too much
  const double needed = std::ceil((static_cast<double>(problem.base) - allowed) / static_cast<double>(problem.step));
  // It may be far below what an integer can be, or far above what there is to save, which is what weights have room for.
  return static_cast<std::int64_t>(std::clamp(needed, 0.0, static_cast<double>(problem.most_savings()) + 1)) - 1;
}

Answer certified(const Task& task, const Problem& problem, const std::vector<int>& column_of, const Outcome& outcome,
                 const Deadline& deadline) {
  if (outcome.best < 0 && outcome.threshold < 0)  // no mapping was found and none was excluded: only the root bound holds
    return certified(task, problem, column_of, outcome.best, std::max<std::int64_t>(0, outcome.root_bound), deadline);
  std::int64_t most = outcome.best;
  const bool above_cutoff = outcome.finished && most <= outcome.threshold;
  if (!outcome.finished) {
    most = std::max({most, std::min(outcome.bound, outcome.root_bound), outcome.threshold});
  } else if (above_cutoff) {
    most = std::min(outcome.threshold, std::max(most, outcome.root_bound));
  }
  Answer answer = certified(task, problem, column_of, outcome.best, most, deadline);
  if (most <= outcome.best && !problem.lattice.is_at_limit()) {  // as far as this lattice can tell: see make_finer
    answer.stop = Stop::kProved;
    answer.lower = answer.upper;
  }
  if (above_cutoff && answer.stop != Stop::kProved) {
    if (answer.lower <= task.cutoff) answer.lower = std::min(std::nextafter(task.cutoff, INFINITY), answer.upper);
    answer.stop = answer.lower == answer.upper ? Stop::kProved : Stop::kCutoff;
  }
  return answer;
}

bool make_finer(Problem& problem, const Task& task, double upper) {
  if (!is_too_coarse(problem, upper)) return false;
  Problem finer(task.source, task.target, capped(task.costs, upper * 1.001));
  if (finer.lattice.unit() > problem.lattice.unit() / 2) return false;  // as fine as adding up doubles is
  problem = std::move(finer);
  return true;
}

}  // namespace graphedx
