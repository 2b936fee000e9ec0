#include "graphedx/dispatch.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/root_assignment.hpp"

namespace graphedx {

Answer solve_bipartite(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return with_weights(problem, [&](const auto& weights) {
      RootAssignment assignment(weights, deadline);
      assignment.weigh_stars(2);
      assignment.solve();
      std::vector<int> column_of;
      assignment.read_columns(column_of);
      const auto savings = static_cast<std::int64_t>(weights.value_of(column_of) / weights.scale);
      // Whole stars count an edge twice: their assignment bounds nothing.
      return certified(task, problem, column_of, savings, problem.most_savings(), deadline);
    });
  });
}

}  // namespace graphedx
