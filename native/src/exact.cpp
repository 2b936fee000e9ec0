#include <algorithm>
#include <cmath>
#include <utility>

#include "graphedx/methods.hpp"
#include "graphedx/search.hpp"

namespace graphedx {

namespace {

/// Savings above which a mapping costs no more than the cutoff, less one: what the search must exceed.
std::int64_t threshold(const Problem& problem, double cutoff) {
  if (!(cutoff < problem.base * problem.lattice.unit() * 2 + 1)) return -1;
  double allowed = std::floor(cutoff / problem.lattice.unit() * (1 + 1e-14) + 1e-9);
  if (!problem.lattice.exact()) allowed += problem.most_terms();  // each may be off by half a unit; do not cut too much
  const double needed = std::ceil((static_cast<double>(problem.base) - allowed) / static_cast<double>(problem.step));
  return std::max<std::int64_t>(-1, static_cast<std::int64_t>(needed) - 1);
}

/// No optimum pays more than `cap` for a single edit, so dearer ones may as well cost that: mappings that cost less than
/// the cap cost the same as before, and the lattice no longer spends its digits on prices that nobody pays.
CostTables capped(CostTables costs, double cap) {
  for (auto* table : {&costs.node_del, &costs.node_ins, &costs.node_sub, &costs.edge_del, &costs.edge_ins, &costs.edge_sub})
    for (double& cost : *table) cost = std::min(cost, cap);
  return costs;
}

template <class W>
Answer search(const Problem& problem, const Task& task, Deadline& deadline) {
  Search<W> search(problem, deadline);
  const std::int64_t least = threshold(problem, task.cutoff);
  search.run(least);
  std::int64_t most = search.best_savings();
  const bool above_cutoff = search.finished() && most <= least;
  if (!search.finished()) {
    most = std::max({most, search.savings_bound(), least});
  } else if (above_cutoff) {
    most = std::min(least, std::max(most, search.root_bound()));
  }
  Answer answer = certified(task, problem, search.best_columns(), search.best_savings(), most, deadline);
  answer.nodes = search.nodes();
  if (most <= search.best_savings()) {  // as far as this lattice can tell: see solve_exact
    answer.stop = Stop::kProved;
    answer.lower = answer.upper;
  }
  if (above_cutoff && answer.stop != Stop::kProved) {
    answer.stop = Stop::kCutoff;
    if (answer.lower <= task.cutoff) answer.lower = std::min(std::nextafter(task.cutoff, INFINITY), answer.upper);
  }
  return answer;
}

Answer search(const Problem& problem, const Task& task, Deadline& deadline) {
  return Weights<std::int32_t>::fits(problem) ? search<std::int32_t>(problem, task, deadline)
                                              : search<std::int64_t>(problem, task, deadline);
}

}  // namespace

Answer solve_exact(const Task& task, Deadline& deadline) {
  Problem problem(task.source, task.target, task.costs);
  Answer answer = search(problem, task, deadline);
  while (answer.stop == Stop::kProved && is_too_coarse(problem, answer.upper)) {
    Problem finer(task.source, task.target, capped(task.costs, answer.upper * 1.001));
    if (finer.lattice.unit() > problem.lattice.unit() / 2) break;  // as fine as adding up doubles is
    problem = std::move(finer);
    Answer next = search(problem, Task{task.source, task.target, task.costs}, deadline);
    next.nodes += answer.nodes;
    if (next.upper > answer.upper) {
      next.images = std::move(answer.images);
      next.upper = answer.upper;
      if (next.stop == Stop::kProved) next.lower = next.upper;
    }
    answer = std::move(next);
  }
  return answer;
}

}  // namespace graphedx
