#include "graphedx/bracket.hpp"

#include <algorithm>
#include <utility>

#include "graphedx/anchor_tree.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

namespace {

template <class W>
Bracket search(const Task& task, const Problem& problem, Deadline& deadline) {
  AnchorTree<W> tree(problem, deadline);
  tree.beam(std::max(1, task.effort / std::max(1, problem.rows)));  // as many expansions whatever the size
  const std::int64_t best = tree.best_savings(), root = std::max(best, tree.root_bound());
  const double unit = problem.lattice.unit() * static_cast<double>(problem.step);
  std::int64_t shared = 1;
  for (std::int64_t saving : problem.edge_savings) shared = std::max(shared, saving);

  Bracket found;
  found.answer = certified(task, problem, tree.best_columns(), best,
                           std::max(best, std::min(tree.savings_bound(), tree.root_bound())), deadline);
  found.answer.nodes = tree.nodes();
  found.root_lower = lower_bound(problem, root, found.answer.upper);
  found.step = problem.lattice.exact() ? unit : 0;
  found.shared = unit * static_cast<double>(shared);
  found.hope = 0;
  found.open.fill(0);
  const auto in_wholes = [&](W promise) { return static_cast<double>(promise) / static_cast<double>(tree.scale()); };
  for (W promise : tree.left_open()) {
    const double gain = in_wholes(promise) - static_cast<double>(best);
    found.hope = std::max(found.hope, gain * unit);
    const std::int64_t whole = static_cast<std::int64_t>(promise / tree.scale()) - best;
    for (std::size_t k = 0; k < found.open.size(); ++k) found.open[k] += whole > static_cast<std::int64_t>(k) * shared;
  }
  return found;
}

Bracket search(const Task& task, const Problem& problem, Deadline& deadline) {
  return Weights<std::int32_t>::fits(problem) ? search<std::int32_t>(task, problem, deadline)
                                              : search<std::int64_t>(task, problem, deadline);
}

}  // namespace

Bracket bracket(const Task& task, Deadline& deadline) {
  const Problem problem(task.source, task.target, task.costs);
  Bracket found = search(task, problem, deadline);
  if (!problem.tied || found.answer.stop == Stop::kProved || found.answer.stop == Stop::kInterrupted) return found;
  Bracket other = search(task, Problem(task.source, task.target, task.costs, Problem::Ties::kSwap), deadline);
  found.root_lower = std::max(found.root_lower, other.root_lower);
  found.hope = std::min(found.hope, other.hope);
  for (std::size_t k = 0; k < found.open.size(); ++k) found.open[k] = std::min(found.open[k], other.open[k]);
  found.answer = combined(std::move(found.answer), std::move(other.answer));
  return found;
}

Answer solve_beam(const Task& task, Deadline& deadline) { return bracket(task, deadline).answer; }

}  // namespace graphedx
