#include "graphedx/ipfp.hpp"

#include "graphedx/dispatch.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

Answer solve_ipfp(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return with_weights(problem, [&](const auto& weights) {
      Ipfp ipfp(weights, deadline);
      std::vector<int> best_columns = weights.any_columns(), trial = best_columns;
      auto best = weights.value_of(best_columns);
      for (int start = 0; start < task.effort && best < weights.most && !deadline.expired(); ++start) {
        const auto value = ipfp.run(trial);
        if (value > best) best = value, best_columns = trial;
      }
      return certified(task, problem, best_columns, static_cast<std::int64_t>(best / weights.scale),
                       problem.most_savings(), deadline);
    });
  });
}

}  // namespace graphedx
