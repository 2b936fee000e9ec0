// The distance, if it is no more than the cutoff.
#pragma once

#include <cstdint>

#include "graphedx/answer.hpp"

namespace graphedx {

/// When to give up, as if time were up.
struct Effort {
  std::int64_t nodes = INT64_MAX;        ///< of the tree
  std::int64_t nodes_after = INT64_MAX;  ///< of the tree, after the first mapping that costs no more than the cutoff
};

/// Like solve_exact, for pairs of which most are further apart than the cutoff: no time goes into mappings that cost more
/// than that, nor into anything but to prove that there are none. The upper end of what it answers is then a poor one.
Answer solve_within(const Task& task, Deadline& deadline, Effort effort = {});

}  // namespace graphedx
