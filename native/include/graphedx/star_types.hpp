// What nodes look like from where they stand: two nodes with the same kinds of edges around them have the same star.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "graphedx/graph.hpp"

namespace graphedx {

/// So many edges of a kind.
struct KindCount {
  int kind;
  int count;
  bool operator<(const KindCount& other) const {
    return kind != other.kind ? kind < other.kind : count < other.count;
  }
};

/// The nodes of a graph grouped by the kinds of their edges; molecules have a handful of types, whatever their size.
struct StarTypes {
  explicit StarTypes(const Graph& graph) : of(graph.size()) {
    std::map<std::vector<KindCount>, int> number;
    std::vector<int> seen;
    for (int i = 0; i < graph.size(); ++i) {
      seen.clear();
      for (int s = 0; s < graph.degree(i); ++s) seen.push_back(graph.neighbours(i)[s].kind);
      std::sort(seen.begin(), seen.end());
      std::vector<KindCount> kinds;
      for (int kind : seen) {
        if (kinds.empty() || kinds.back().kind != kind) kinds.push_back({kind, 0});
        ++kinds.back().count;
      }
      const auto [where, fresh] = number.try_emplace(kinds, static_cast<int>(star.size()));
      if (fresh) star.push_back(kinds);
      of[i] = where->second;
    }
  }

  std::vector<int> of;                       ///< type of each node
  std::vector<std::vector<KindCount>> star;  ///< the edges at a node of each type
};

}  // namespace graphedx
