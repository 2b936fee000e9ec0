// What nodes look like from where they stand: two nodes with the same kinds of edges around them have the same star.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "graphedx/star.hpp"
#include "graphedx/weights.hpp"

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

/// Most that the edges at two nodes can save together, for every two types: (row types, column types).
template <class W>
std::vector<W> best_star_matchings(const Weights<W>& w, const StarTypes& rows, const StarTypes& columns) {
  std::vector<W> best(rows.star.size() * columns.star.size());
  LargeStar<W> star;
  for (std::size_t a = 0; a < rows.star.size(); ++a)
    for (std::size_t b = 0; b < columns.star.size(); ++b) {
      const std::vector<int>&left = rows.star[a], &right = columns.star[b];
      star.resize(static_cast<int>(left.size()), static_cast<int>(right.size()));
      for (std::size_t s = 0; s < left.size(); ++s)
        for (std::size_t t = 0; t < right.size(); ++t)
          star.at(static_cast<int>(s), static_cast<int>(t)) = w.edge_weight(left[s], right[t]);
      best[a * columns.star.size() + b] = star.solve();
    }
  return best;
}

}  // namespace graphedx
