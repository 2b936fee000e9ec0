// What nodes look like from where they stand: two nodes with the same kinds of edges around them have the same star.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "graphedx/graph.hpp"

namespace graphedx {

/// The nodes of a graph grouped by the kinds of their edges; molecules have a handful of types, whatever their size.
struct StarTypes {
  explicit StarTypes(const Graph& graph) : of(graph.size()) {
    std::map<std::vector<int>, int> number;
    std::vector<int> kinds;
    for (int i = 0; i < graph.size(); ++i) {
      kinds.clear();
      for (int s = 0; s < graph.degree(i); ++s) kinds.push_back(graph.neighbours(i)[s].kind);
      std::sort(kinds.begin(), kinds.end());
      const auto [where, fresh] = number.try_emplace(kinds, static_cast<int>(star.size()));
      if (fresh) star.push_back(kinds);
      of[i] = where->second;
    }
  }

  std::vector<int> of;                 ///< type of each node
  std::vector<std::vector<int>> star;  ///< kinds of the edges at a node of each type
};

}  // namespace graphedx
