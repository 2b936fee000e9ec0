// A simple graph as the solvers see it. Both directions of a node pair are folded into one "kind", so that directed
// graphs, undirected graphs and edge labels are all the same thing from here on.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace graphedx {

struct Symmetry;

struct Edge {
  int source;
  int target;
  int label_class;
};

/// What joins a node to a neighbour: the label class of the edge out and of the edge in, -1 where there is none.
/// In an undirected graph both are the same edge.
struct Kind {
  int out;
  int in;
};

/// Two nodes that are joined, as seen from the first.
struct Joint {
  int node, other;
  Kind kind;
};

/// All ordered pairs of joined nodes, sorted by node, then other. Throws std::invalid_argument on self-loops, parallel
/// edges, or end points and classes out of range.
std::vector<Joint> joints_of(const std::vector<int>& node_classes, const std::vector<Edge>& edges, bool directed);

struct Neighbour {
  int node;
  int kind;  ///< position in Graph::kinds(), plus 1
  int back;  ///< position of this edge in the neighbour's own list
};

class Graph {
 public:
  static constexpr int kMostInMatrix = 512;  ///< larger graphs take memory in proportion to their edges only

  /// Throws std::invalid_argument on self-loops, parallel edges, or end points and classes out of range.
  Graph(std::vector<int> node_classes, const std::vector<Edge>& edges, bool directed);
  ~Graph();

  int size() const { return static_cast<int>(node_classes_.size()); }
  bool directed() const { return directed_; }
  int node_class(int node) const { return node_classes_[node]; }
  const std::vector<Edge>& edges() const { return edges_; }
  const std::vector<Kind>& kinds() const { return kinds_; }
  int degree(int node) const { return first_[node + 1] - first_[node]; }
  int first(int node) const { return first_[node]; }  ///< offset of the node's list; first(size()) is the sum of degrees
  const Neighbour* neighbours(int node) const { return neighbours_.data() + first_[node]; }
  /// Kind of the pair as seen from `node` (0: not joined). One look-up in graphs of up to kMostInMatrix nodes, else a
  /// binary search in the node's list.
  int kind(int node, int other) const {
    return kind_matrix_.empty() ? listed_kind(node, other) : kind_matrix_[static_cast<std::size_t>(node) * size() + other];
  }
  /// Label-preserving automorphisms that were found; not all of them, but each is one. None in large graphs. They are
  /// looked for when first asked for: of most graphs nobody does.
  const Symmetry& symmetry() const;

 private:
  int listed_kind(int node, int other) const;

  std::vector<int> node_classes_;
  std::vector<Edge> edges_;
  bool directed_;
  std::vector<Kind> kinds_;
  std::vector<int> first_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::uint16_t> kind_matrix_;
  mutable std::once_flag symmetry_is_known_;
  mutable std::unique_ptr<const Symmetry> symmetry_;
};

}  // namespace graphedx
