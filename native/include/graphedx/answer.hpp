// What every method is asked, and what it answers.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/graph.hpp"
#include "graphedx/problem.hpp"

namespace graphedx {

enum class Stop { kProved, kCutoff, kTime, kInterrupted, kBound, kPatience };

struct Answer {
  double lower;
  double upper;
  std::vector<int> images;  ///< target node of each source node, or -1; costs `upper`
  Stop stop;
  std::int64_t nodes = 0;  ///< search nodes visited
};

struct Task {
  const Graph& source;
  const Graph& target;
  const CostTables& costs;
  double cutoff = INFINITY;
  int effort = 1;  ///< starts, width or rounds, as the method has it
  bool endless = false;  ///< where there is no time limit: go on for ever rather than for as long as is reasonable
  std::function<void(const Answer&)> improved = nullptr;  ///< told of every better interval by methods that go on

  /// Throws std::invalid_argument if label classes exceed the cost tables or only one graph is directed.
  void check() const;
};

/// Returns the interval that follows from a mapping that saves `savings` if no mapping saves more than `most_savings`.
/// Negative `savings` mean that no mapping is known: `column_of` is then not read, and the fallback of the problem is
/// used instead.
Answer certified(const Task& task, const Problem& problem, const std::vector<int>& column_of, std::int64_t savings,
                 std::int64_t most_savings, const Deadline& deadline);

/// Why a method stops that has found this and cannot go on.
Stop stop_reason(const Task& task, const Deadline& deadline, const Answer& answer);

/// The tighter of two intervals on each side.
Answer combined(Answer one, Answer other);

/// An answer that needs no time: delete and insert everything, or map the first nodes to the first.
Answer trivial_answer(const Task& task, const Deadline& deadline);

/// Whether rounding costs to whole units could hide a better mapping than one that costs `upper`.
bool is_too_coarse(const Problem& problem, double upper);

/// Certified cost of a mapping that would save that much; at most `upper`.
double lower_bound(const Problem& problem, std::int64_t most_savings, double upper);

/// The most that a mapping can save if none costs less than `lower`: the inverse of lower_bound.
std::int64_t most_savings(const Problem& problem, double lower);

/// Runs `body` on the problem and, where neither graph is smaller, on its mirror image too: so that the answer does not
/// depend on which of the two is called the source.
template <class Body>
Answer from_both_sides(const Task& task, Body&& body) {
  const Problem problem(task.source, task.target, task.costs);
  Answer answer = body(problem);
  if (!problem.tied || answer.stop == Stop::kProved || answer.stop == Stop::kInterrupted) return answer;
  return combined(std::move(answer), body(Problem(task.source, task.target, task.costs, Problem::Ties::kSwap)));
}

}  // namespace graphedx
