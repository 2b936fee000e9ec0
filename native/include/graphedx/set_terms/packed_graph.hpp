// An encoded graph as the terms read it: classes of nodes that are alike and types of node pairs that are alike, with
// how many each stands for, and their vectors as columns; packed once for all pairs that the graph is part of.
#pragma once

#include <vector>

#include "graphedx/set_terms.hpp"
#include "graphedx/set_terms/differences.hpp"

namespace graphedx {

constexpr std::size_t pair_place(std::size_t low, std::size_t high) { return high * (high - 1) / 2 + low; }

/// All node pairs between two classes, or within one, that are edges, or all that are none.
struct PairType {
  std::uint32_t low, high;  // classes, low <= high; the one after the last is padding
  std::uint32_t number;     // which of the graph's types
  std::uint32_t count;      // node pairs; with padding it is not known before the graph is part of a pair: 0
  bool is_edge;
};

/// Some types of a graph, those with padding last, and of these that of two padding nodes.
struct TypeList {
  std::vector<PairType> types;
  std::size_t real = 0;

  /// How many of them there are once the graph is padded, or not.
  std::size_t used(bool padded) const { return padded ? types.size() : real; }
};

/// Keeps its memory when it is packed again.
template <class T>
struct PackedGraph {
  void pack(const EncodedGraphs<T>& graphs, std::size_t graph, std::size_t first_pair, std::size_t first_real_pair,
            const SetTermOptions& options);

  std::size_t nodes, classes;  // real ones
  std::size_t stride;          // of rows with a number for each class and padding
  std::size_t node_features, align_features, pair_features;
  const T *node, *align, *align_pad, *pair, *pair_pad;

  std::vector<std::size_t> first_nodes;  // of each class: its vectors are those of the class
  std::vector<std::size_t> first_pairs;  // of each type but the last, two padding nodes
  std::vector<T> weights;                // how many nodes each class has

  Columns<T> node_columns, align_columns;  // classes and padding
  TypeList rows, columns;                  // that are compared, as the options say
  Columns<T> pair_columns;                 // of `columns`, what is compared
  Columns<T> by_columns;                   // of `columns`, what they are aligned by, if not by their nodes;
  std::size_t edges = 0;                   // so many of them are edges, and come first

  // For AlignDiff: numbers for features fill whole lanes.
  std::size_t width;
  std::vector<T> shares;   // how many of the ordered node pairs between its classes are of a type
  std::vector<T> vectors;  // [type][feature]; where pairs are aligned by themselves, in the order of `columns`
  std::vector<T> square;   // [class][other class][feature]: the mean over ordered node pairs; a node has none with itself

  const T* node_row(std::size_t c) const { return node + first_nodes[c] * node_features; }
  const T* align_row(std::size_t c) const { return c < classes ? align + first_nodes[c] * align_features : align_pad; }
  std::size_t types() const { return first_pairs.size() + 1; }
  const T* pair_row(std::size_t type) const {
    return type < first_pairs.size() ? pair + first_pairs[type] * pair_features : pair_pad;
  }

 private:
  struct Tally {
    std::uint32_t count = 0, first = 0;
  };
  void find_classes(const std::int64_t* alike);
  void find_types(const std::uint8_t* adjacency);
  void pack_types(const SetTermOptions& options);
  void pack_square();
  void pack_own(std::size_t compared);

  std::vector<std::uint32_t> class_of_;  // of each node
  std::vector<PairType> types_;          // all of them, by their higher classes
  std::vector<Tally> tallies_;
  std::vector<T> zeros_;
};

/// Where the gradients of one graph in one pair lie: rows of classes and of types, padding last.
template <class T>
struct GradientRows {
  T *node, *align, *pair;
  static std::size_t size(const PackedGraph<T>& graph) {
    return (graph.classes + 1) * (graph.node_features + graph.align_features) + graph.types() * graph.pair_features;
  }
  GradientRows(const PackedGraph<T>& graph, T* memory)
      : node(memory),
        align(node + (graph.classes + 1) * graph.node_features),
        pair(align + (graph.classes + 1) * graph.align_features) {}
};

}  // namespace graphedx
