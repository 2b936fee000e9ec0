// The distance, if it is no more than the cutoff.
#pragma once

#include <cstdint>

#include "graphedx/answer.hpp"

namespace graphedx {

/// Like solve_exact, for pairs of which most are further apart than the cutoff: no time goes into mappings that cost more
/// than that, nor into anything but to prove that there are none. The upper end of what it answers is then a poor one.
/// After so many nodes it gives up, as if time were up.
Answer solve_within(const Task& task, Deadline& deadline, std::int64_t most_nodes = INT64_MAX);

}  // namespace graphedx
