// An encoded graph as the terms read it: its vectors as columns, packed once for all pairs that the graph is part of.
#pragma once

#include <vector>

#include "graphedx/set_terms.hpp"
#include "graphedx/set_terms/differences.hpp"

namespace graphedx {

constexpr std::size_t pair_place(std::size_t low, std::size_t high) { return high * (high - 1) / 2 + low; }

struct PairEnds {
  std::uint32_t low, high;
  std::uint32_t place;  // which of the graph's pair vectors
};

/// Some node pairs of a graph, by their higher ends, so that those with padding are last; node number n is padding.
struct PairList {
  std::vector<PairEnds> ends;
  std::size_t real = 0;

  /// How many of them there are once the graph is padded, or not.
  std::size_t used(bool padded) const { return padded ? ends.size() : real; }
};

template <class T>
struct PackedGraph {
  void pack(const EncodedGraphs<T>& graphs, std::size_t graph, std::size_t first_pair, std::size_t first_real_pair,
            const SetTermOptions& options);

  std::size_t nodes;   // real ones
  std::size_t stride;  // of rows with a number for each node and padding
  std::size_t node_features, align_features, pair_features;
  const T *node, *align, *align_pad, *pair, *pair_pad;

  Columns<T> node_columns, align_columns;  // real nodes and padding
  PairList rows, columns;                  // for XOR edges and the others; for DiffAlign all pairs, twice
  Columns<T> pair_columns;                 // of `columns`
  std::vector<T> square;                   // for AlignDiff: [node][feature][other node], zero on the diagonal

  const T* align_row(std::size_t u) const { return u < nodes ? align + u * align_features : align_pad; }
  std::size_t last_pair() const { return pair_place(0, nodes + 1); }  // that of two padding nodes
  const T* pair_row(std::size_t place) const { return place < last_pair() ? pair + place * pair_features : pair_pad; }
};

/// Where the gradients of one graph in one pair lie: rows of nodes, alignment features and node pairs, padding last.
template <class T>
struct GradientRows {
  T *node, *align, *pair;
  static std::size_t size(const PackedGraph<T>& graph) {
    return (graph.nodes + 1) * (graph.node_features + graph.align_features) +
           (graph.last_pair() + 1) * graph.pair_features;
  }
  GradientRows(const PackedGraph<T>& graph, T* memory)
      : node(memory),
        align(node + (graph.nodes + 1) * graph.node_features),
        pair(align + (graph.nodes + 1) * graph.align_features) {}
};

}  // namespace graphedx
