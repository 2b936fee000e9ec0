// The distance, if it is no more than the cutoff.
#pragma once

#include "graphedx/answer.hpp"

namespace graphedx {

/// Like solve_exact, for pairs of which most are further apart than the cutoff: no time goes into mappings that cost more
/// than that, nor into anything but to prove that there are none. The upper end of what it answers is then a poor one.
Answer solve_within(const Task& task, Deadline& deadline);

}  // namespace graphedx
