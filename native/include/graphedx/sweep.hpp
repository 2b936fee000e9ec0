// The order in which the rows of a savings problem pass slack on, and how much of it each of their edges gets.
//
// A bound over two ends of a path falls only if slack travels from one to the other. In a sweep, a row hands most of what
// it can spare to neighbours that are still to come, in equal shares, so that one sweep carries it through the whole graph
// and the next one, backwards, carries it back. Sharing with all neighbours alike would move it one edge a sweep.
#pragma once

#include <vector>

#include "graphedx/graph.hpp"

namespace graphedx {

class Sweep {
 public:
  static constexpr int kBits = 4, kWhole = 1 << kBits;  ///< parts of slack are multiples of one over this

  /// Breadth first, from the node with the most neighbours.
  explicit Sweep(const Graph& graph);

  int row(int place, bool backwards) const { return order_[backwards ? order_.size() - 1 - place : place]; }
  /// Of what is left when it is the edge's turn, for each edge of the row.
  const int* parts(int first, bool backwards) const { return (backwards ? backwards_ : forwards_).data() + first; }

 private:
  std::vector<int> order_;
  std::vector<int> forwards_, backwards_;  // for each end of an edge, as the graph lists them
};

}  // namespace graphedx
