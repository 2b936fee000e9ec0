// Colour refinement: nodes fall into one cell as long as nothing that they are joined to tells them apart.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/graph.hpp"

namespace graphedx {

class Deadline;

/// The Kind of a joint in one number that means the same in every graph; 0: not joined.
using KindCode = std::uint64_t;

inline KindCode code_of(Kind kind) {
  return static_cast<KindCode>(kind.out + 1) << 32 | static_cast<KindCode>(kind.in + 1);
}
/// The same joint seen from its other end.
inline KindCode reversed(KindCode code) { return code << 32 | code >> 32; }

struct Arc {
  int node;
  KindCode kind;
};

/// The neighbours of every node and nothing else: all that refinement needs, and little enough to keep for many graphs.
struct ArcLists {
  std::vector<int> first{0};  ///< one entry more than there are nodes
  std::vector<Arc> arcs;

  int size() const { return static_cast<int>(first.size()) - 1; }
  const Arc* begin(int node) const { return arcs.data() + first[node]; }
  const Arc* end(int node) const { return arcs.data() + first[node + 1]; }
  /// Ends the list of the next node: what was put into `arcs` since the last call is its own.
  void close() { first.push_back(static_cast<int>(arcs.size())); }
};

/// An ordered partition of nodes into cells. A cell is called by the position of its first node, and nothing that is
/// done here looks at the numbers of nodes: renamed graphs end in the same cells, in the same order.
class StablePartition {
 public:
  /// A cell a class, in ascending order of the classes; not refined yet.
  explicit StablePartition(const std::vector<int>& node_classes);

  /// Splits cells until all nodes of a cell have equally many arcs of every kind into every cell; O(m log n) for a
  /// bounded number of kinds. Coarser than that if the deadline expires.
  void refine(const ArcLists& lists, Deadline& deadline);

  /// Gives two nodes of one cell a cell of their own; refine afterwards.
  void single_out(int node, int other);

  int size() const { return static_cast<int>(order_.size()); }
  int num_cells() const { return num_cells_; }
  int cell_of(int node) const { return cell_[node]; }
  /// Cells are visited by `for (int c = 0; c < size(); c = end(c))`; the nodes of one lie at positions c to end(c).
  int end(int cell) const { return end_[cell]; }
  int node_at(int position) const { return order_[position]; }

 private:
  struct Tally {
    int cell, count, node;
  };

  void split(std::vector<Tally>& tallies);
  void split_cell(const Tally* begin, const Tally* end);
  void put(int node, int position);
  void enqueue(int cell);

  std::vector<int> order_, position_;  ///< nodes by position, and back
  std::vector<int> cell_;              ///< of a node
  std::vector<int> end_;               ///< of a cell; only at positions where one begins
  std::vector<int> queue_;             ///< cells that others may have to be split by
  std::vector<char> queued_;
  int num_cells_ = 0;
};

}  // namespace graphedx
