#include "graphedx/dispatch.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/refinement.hpp"

namespace graphedx {

Answer solve_refine(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return with_weights(problem, [&](const auto& weights) {
      Refinement refinement(weights, deadline);
      refinement.run(task.effort);
      return certified(task, problem, refinement.best_columns(), refinement.best_savings(), refinement.most_savings(),
                       deadline);
    });
  });
}

}  // namespace graphedx
