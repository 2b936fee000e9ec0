// What a node mapping costs.
#pragma once

#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

/// Least total cost of edits that respect the mapping (image -1: deleted), correctly rounded. O(n + m).
double induced_cost(const Graph& source, const Graph& target, const CostTables& costs, const std::vector<int>& images);

}  // namespace graphedx
