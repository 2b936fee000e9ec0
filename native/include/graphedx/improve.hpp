// Local search from a mapping that the caller brings.
#pragma once

#include <vector>

#include "graphedx/answer.hpp"

namespace graphedx {

/// Moves nodes and trades the images of two until neither makes the mapping cheaper; never dearer than `images`, and with
/// the cheapest of lower bounds. Throws std::invalid_argument if `images` is no mapping, TooLarge as methods do.
Answer improved(const Task& task, const std::vector<int>& images, Deadline& deadline);

}  // namespace graphedx
