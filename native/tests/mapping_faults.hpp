// Checks of an answer that hold for every method.
#pragma once

#include <cmath>
#include <vector>

#include "graphedx/answer.hpp"
#include "graphedx/mapping.hpp"

namespace graphedx {

/// Returns what is wrong with the interval and the mapping of an answer, or null.
inline const char* mapping_fault(const Task& task, const Answer& answer) {
  if (static_cast<int>(answer.images.size()) != task.source.size()) return "a mapping of the wrong size";
  std::vector<char> used(task.target.size(), 0);
  for (int j : answer.images) {
    if (j < -1 || j >= task.target.size()) return "an image that does not exist";
    if (j >= 0 && used[j]++) return "two nodes with the same image";
  }
  if (!(0 <= answer.lower && answer.lower <= answer.upper && std::isfinite(answer.upper))) return "no interval";
  if (induced_cost(task.source, task.target, task.costs, answer.images) != answer.upper) return "upper is not the induced cost";
  return nullptr;
}

/// Like mapping_fault, and the stop reason must be kProved exactly if the interval is a point.
inline const char* fault(const Task& task, const Answer& answer) {
  if (const char* wrong = mapping_fault(task, answer)) return wrong;
  return (answer.stop == Stop::kProved) == (answer.lower == answer.upper) ? nullptr : "the wrong stop reason";
}

}  // namespace graphedx
