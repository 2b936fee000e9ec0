// Random graphs and costs for the fuzz tests: small, labelled or not, directed or not, from empty to complete.
#pragma once

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

inline std::mt19937 rng;

inline int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

inline Graph random_graph(int n, bool directed, int node_classes, int edge_classes) {
  std::vector<int> classes(n);
  for (int& c : classes) c = below(node_classes);
  std::vector<Edge> edges;
  const int density = 1 + below(9);
  for (int i = 0; i < n; ++i)
    for (int j = directed ? 0 : i + 1; j < n; ++j)
      if (i != j && below(10) < density) edges.push_back({i, j, below(edge_classes)});
  return Graph(std::move(classes), edges, directed);
}

inline double random_cost(int regime) {
  switch (regime) {
    case 0: return below(4);
    case 1: return below(1000) / 317.0;
    case 2: return std::pow(10.0, below(13) - 6);
    case 3: return below(4) == 0 ? 1e290 : below(5);  // substitutions that are out of the question
    default: return 0.825 * below(3) + 5.5 * below(2);
  }
}

inline CostTables random_costs(int node_classes, int edge_classes) {
  const int regime = below(5);
  const auto fill = [&](int size, bool substitution = false) {
    std::vector<double> table(size);
    for (double& cost : table) cost = random_cost(regime == 3 && !substitution ? 0 : regime);
    return table;
  };
  return {fill(node_classes), fill(node_classes), fill(node_classes * node_classes, true),
          fill(edge_classes), fill(edge_classes), fill(edge_classes * edge_classes, true)};
}

}  // namespace graphedx
