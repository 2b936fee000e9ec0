// Chooses the integers that a problem fits in.
#pragma once

#include <cstdint>

#include "graphedx/weights.hpp"

namespace graphedx {

/// Calls body(weights) with weights of 32 bits where they are enough, else of 64.
template <class Body>
auto with_weights(const Problem& problem, Body&& body) {
  if (Weights<std::int32_t>::fits(problem)) return body(Weights<std::int32_t>(problem));
  return body(Weights<std::int64_t>(problem));
}

}  // namespace graphedx
