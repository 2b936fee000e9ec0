#include "graphedx/dispatch.hpp"
#include "graphedx/dual_ascent.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

namespace {

constexpr int kIdleRounds = 4;  // rounds that hardly gain anything, after which more will not either

template <class W>
Answer tighten(const Task& task, const Problem& problem, const Weights<W>& weights, Deadline& deadline) {
  DualAscent<W> ascent(weights, deadline);
  std::vector<int> column_of, best_columns;
  ascent.assignment().read_columns(best_columns);
  W best = weights.value_of(best_columns), before = ascent.bound();
  for (int round = 0, idle = 0;
       round < task.effort && idle < kIdleRounds && ascent.bound() - best >= weights.scale; ++round) {
    if (!ascent.tighten()) break;
    ascent.assignment().read_columns(column_of);
    const W value = weights.value_of(column_of);
    if (value > best) best = value, best_columns = column_of;
    idle = before - ascent.bound() > weights.scale / 64 ? 0 : idle + 1;
    before = ascent.bound();
  }
  return certified(task, problem, best_columns, static_cast<std::int64_t>(best / weights.scale),
                   static_cast<std::int64_t>(ascent.bound() / weights.scale), deadline);
}

}  // namespace

Answer solve_branch_tight(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return with_weights(problem, [&](const auto& weights) { return tighten(task, problem, weights, deadline); });
  });
}

}  // namespace graphedx
