// From a tree search to a proven distance: cutoff, time limit, and lattices fine enough.
#pragma once

#include <cstdint>

#include "graphedx/answer.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

/// Savings above which a mapping costs no more than the cutoff, less one: what a search must exceed.
std::int64_t threshold_of_cutoff(const Problem& problem, double cutoff);

/// What the end of a search above `threshold` proves.
struct Outcome {
  std::int64_t threshold;
  std::int64_t best;
  std::int64_t bound;       ///< no mapping saves more than this, the best or the threshold
  std::int64_t root_bound;  ///< no mapping saves more than this
  bool finished;
};
Answer certified(const Task& task, const Problem& problem, const std::vector<int>& column_of, const Outcome& outcome,
                 const Deadline& deadline);

/// The problem on a finer lattice, where the one it has may hide a better mapping than one that costs `upper`; false if it
/// has no finer one.
bool make_finer(Problem& problem, const Task& task, double upper);

template <template <class> class Tree, class W, class Run>
Answer search_once(const Problem& problem, const Task& task, Deadline& deadline, Run&& run) {
  Tree<W> tree(problem, deadline);
  const std::int64_t threshold = threshold_of_cutoff(problem, task.cutoff);
  run(tree, threshold);
  const Outcome outcome{threshold, tree.best_savings(), tree.savings_bound(), tree.root_bound(), tree.finished()};
  Answer answer = certified(task, problem, tree.best_columns(), outcome, deadline);
  answer.nodes = tree.nodes();
  return answer;
}

/// The distance by a tree search: run(tree, threshold) looks for mappings that save more than the threshold. Repeated on
/// finer lattices until no rounding of costs can hide a better mapping.
template <template <class> class Tree, class Run>
Answer prove(const Task& task, Deadline& deadline, Run&& run) {
  Problem problem(task.source, task.target, task.costs);
  const auto search = [&](const Task& asked) {
    return Weights<std::int32_t>::fits(problem) ? search_once<Tree, std::int32_t>(problem, asked, deadline, run)
                                                : search_once<Tree, std::int64_t>(problem, asked, deadline, run);
  };
  Answer answer = search(task);
  while (answer.stop == Stop::kProved && make_finer(problem, task, answer.upper)) {
    Answer next = search(Task{task.source, task.target, task.costs});
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
