// Where a search on the relaxed problem may start.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "graphedx/random.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

/// From the flat matrix alone all nodes of a degree look alike. An anchor, two nodes that are taken to correspond,
/// tells them apart. Needs at least one row. O(rows * columns) a start.
template <class W>
class AnchoredStarts {
 public:
  AnchoredStarts(const Weights<W>& weights, Random& random) : w_(weights), random_(random), anchors_(w_.columns) {
    std::iota(anchors_.begin(), anchors_.end(), 0);
    for (W weight : w_.edge) edge_most_ = std::max(edge_most_, static_cast<double>(weight));
  }

  /// Fills x, which is doubly sub-stochastic and 0 where forbidden: nearly flat, but heavier where a row is as far from
  /// the one end of the anchor as a column from the other. Another anchor every time.
  void place(int s, std::vector<double>& x) {
    const int j = next_anchor(s), i = alike_row(j);
    const std::vector<int> row_layer = layers(*w_.a, i), column_layer = layers(*w_.b, j);
    std::vector<int> row_count(w_.columns + 1, 0), column_count(w_.columns + 1, 0);
    for (int layer : row_layer) ++row_count[layer];
    for (int layer : column_layer) ++column_count[layer];
    x.assign(w_.node.size(), 0.0);
    for (int k = 0; k < w_.rows; ++k)
      for (int c = 0; c < w_.columns; ++c) {
        if (w_.is_forbidden(k, c)) continue;
        double& share = x[w_.at(k, c)];
        share = kFlat / w_.columns;
        if (row_layer[k] == column_layer[c])
          share += (1 - kFlat) / std::max(row_count[row_layer[k]], column_count[column_layer[c]]);
      }
  }

 private:
  static constexpr double kFlat = 0.97;  // part of a start that is the same for all cells

  /// All columns in random order, then in another.
  int next_anchor(int s) {
    if (s % w_.columns == 0)
      for (int c = w_.columns - 1; c > 0; --c) std::swap(anchors_[c], anchors_[random_.below(c + 1)]);
    return anchors_[s % w_.columns];
  }

  /// The best of three random rows for column j.
  int alike_row(int j) {
    int best = 0;
    double best_likeness = -INFINITY;
    for (int draw = 0; draw < 3; ++draw) {
      const int i = random_.below(w_.rows);
      const int unlike_edges = std::abs(w_.a->degree(i) - w_.b->degree(j));
      const double likeness = static_cast<double>(w_.node[w_.at(i, j)]) - edge_most_ * unlike_edges;
      if (likeness > best_likeness) best = i, best_likeness = likeness;
    }
    return best;
  }

  /// Steps to every node; unreachable nodes are w_.columns away in either graph.
  std::vector<int> layers(const Graph& graph, int from) const {
    std::vector<int> layer(graph.size(), w_.columns), queue{from};
    layer[from] = 0;
    for (std::size_t q = 0; q < queue.size(); ++q)
      for (int s = 0; s < graph.degree(queue[q]); ++s) {
        const int next = graph.neighbours(queue[q])[s].node;
        if (layer[next] == w_.columns) layer[next] = layer[queue[q]] + 1, queue.push_back(next);
      }
    return layer;
  }

  const Weights<W>& w_;
  Random& random_;
  std::vector<int> anchors_;
  double edge_most_ = 0;
};

}  // namespace graphedx
