#include "graphedx/large.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

Answer solve_large(const Task& task, Deadline& deadline) {
  const auto answer = [&](Interval interval) {
    Answer answer{interval.lower, interval.upper, std::move(interval.images), Stop::kBound};
    if (interval.proved) answer.stop = Stop::kProved;
    else if (deadline.was_interrupted()) answer.stop = Stop::kInterrupted;
    else if (answer.lower > task.cutoff) answer.stop = Stop::kCutoff;
    else if (deadline.ran_out_of_patience()) answer.stop = Stop::kPatience;
    else if (deadline.struck()) answer.stop = Stop::kTime;
    return answer;
  };
  std::function<void(const Interval&)> improved;
  if (task.improved) improved = [&](const Interval& interval) { task.improved(answer(interval)); };
  return answer(solve_large(task.source, task.target, task.costs, deadline, improved));
}

}  // namespace graphedx
