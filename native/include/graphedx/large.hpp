// Bounds and a mapping for graphs that are too large for the exact search.
#pragma once

#include <functional>
#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

/// lower <= graph edit distance <= upper.
struct Interval {
  double lower;
  double upper;
  std::vector<int> images;  ///< target node of each source node, or -1; costs `upper`
  bool proved;              ///< lower == upper
  bool interrupted;         ///< stopped by the deadline, not because further work no longer pays
};

/// Certified interval for graphs of any size, with general costs. Stops by itself once the bounds meet or no longer move.
/// Memory in proportion to nodes, edges and a fixed number of candidate cells (some 300 MB at most), plus the cost
/// tables. Deterministic except for where the deadline strikes. `improved`, if given, hears of every better interval.
/// Throws std::invalid_argument if label classes exceed the cost tables or only one graph is directed.
Interval solve_large(const Graph& source, const Graph& target, const CostTables& costs, Deadline& deadline,
                     const std::function<void(const Interval&)>& improved);

}  // namespace graphedx
