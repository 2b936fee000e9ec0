#include <algorithm>

#include "graphedx/anchor_tree.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

namespace {

template <class W>
Answer search(const Task& task, const Problem& problem, Deadline& deadline) {
  AnchorTree<W> tree(problem, deadline);
  tree.beam(std::max(1, task.effort / std::max(1, problem.rows)));  // as many expansions whatever the size
  const std::int64_t most = std::max(tree.best_savings(), std::min(tree.savings_bound(), tree.root_bound()));
  Answer answer = certified(task, problem, tree.best_columns(), tree.best_savings(), most, deadline);
  answer.nodes = tree.nodes();
  return answer;
}

}  // namespace

Answer solve_beam(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return Weights<std::int32_t>::fits(problem) ? search<std::int32_t>(task, problem, deadline)
                                                : search<std::int64_t>(task, problem, deadline);
  });
}

}  // namespace graphedx
