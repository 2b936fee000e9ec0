#include "graphedx/dispatch.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/root_assignment.hpp"

namespace graphedx {

Answer solve_branch(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return with_weights(problem, [&](const auto& weights) {
      RootAssignment assignment(weights, deadline);
      assignment.weigh_stars(1);  // an edge is seen from both ends, so each counts half
      assignment.solve();
      std::vector<int> column_of;
      assignment.read_columns(column_of);
      const auto savings = static_cast<std::int64_t>(weights.value_of(column_of) / weights.scale);
      const auto most = static_cast<std::int64_t>(assignment.total() / weights.scale);
      return certified(task, problem, column_of, savings, most, deadline);
    });
  });
}

}  // namespace graphedx
