// The exact solver: anytime branch and bound under general costs.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

enum class Stop { kProved, kCutoff, kTime, kInterrupted };

struct ExactResult {
  double lower;
  double upper;
  std::vector<int> images;  ///< target node of each source node, or -1; costs `upper`
  Stop stop;
  std::int64_t nodes;  ///< search nodes visited
};

/// Graph edit distance. With a finite cutoff, distances above it are only proven to be above it. Deterministic except
/// for where a time limit strikes. Memory O(n^2 + m^2) plus a few MB at most; time exponential in the worst case.
/// Throws std::invalid_argument if label classes exceed the cost tables or only one graph is directed.
ExactResult solve_exact(const Graph& source, const Graph& target, const CostTables& costs,
                        double cutoff, Deadline& deadline);

}  // namespace graphedx
