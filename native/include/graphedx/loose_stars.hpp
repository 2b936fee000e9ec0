// Stars of graphs so large or dense that shares of all their edge pairs would not fit: every edge of one graph is taken
// to find its best partner in the other, half from each end. O(n + m) memory.
#pragma once

#include <algorithm>
#include <vector>

#include "graphedx/bits.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

template <class W>
class LooseStars {
 public:
  explicit LooseStars(const Weights<W>& weights)
      : w_(weights),
        row_best_(w_.a->kinds().size() + 1, 0),
        column_best_(w_.column_kinds, 0),
        row_star_(w_.rows),
        column_star_(w_.columns) {
    for (std::size_t s = 0; s < row_best_.size(); ++s)
      for (int t = 0; t < w_.column_kinds; ++t) {
        const W weight = w_.edge_weight(static_cast<int>(s), t);
        row_best_[s] = std::max(row_best_[s], weight);
        column_best_[t] = std::max(column_best_[t], weight);
        most_ = std::max(most_, weight);
      }
  }

  /// Counts the edges between nodes that are not mapped.
  void count(const Word* mapped_rows, const Word* mapped_columns) {
    count_side(*w_.a, mapped_rows, row_best_, row_star_);
    count_side(*w_.b, mapped_columns, column_best_, column_star_);
  }

  /// At least what the neighbours of cell (i, j) can save together.
  W star(int i, int j) const {
    const Side &x = row_star_[i], &y = column_star_[j];
    return std::min({x.sum, y.sum, static_cast<W>(std::min(x.edges, y.edges)) * most_}) / 2;
  }

 private:
  struct Side {
    W sum;
    int edges;
  };

  static void count_side(const Graph& g, const Word* mapped, const std::vector<W>& best, std::vector<Side>& out) {
    for (int i = 0; i < g.size(); ++i) {
      out[i] = {0, 0};
      const Neighbour* list = g.neighbours(i);
      for (int s = 0; s < g.degree(i); ++s)
        if (!test_bit(mapped, list[s].node)) out[i].sum += best[list[s].kind], ++out[i].edges;
    }
  }

  const Weights<W>& w_;
  std::vector<W> row_best_, column_best_;
  W most_ = 0;
  std::vector<Side> row_star_, column_star_;
};

}  // namespace graphedx
