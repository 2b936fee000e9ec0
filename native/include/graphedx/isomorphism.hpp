// Which graphs are the same graph under other names: a hash that does not see names, and an exact test.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graphedx/graph.hpp"
#include "graphedx/stable_partition.hpp"

namespace graphedx {

class Deadline;

/// A graph as far as isomorphism goes. Lighter than Graph, which looks for symmetry when it is made.
struct Outline {
  /// Throws std::invalid_argument as joints_of does.
  Outline(std::vector<int> node_classes, const std::vector<Edge>& edges, bool directed);

  int size() const { return lists.size(); }

  std::vector<int> node_classes;
  ArcLists lists;
  bool directed;
};

/// Equal for isomorphic graphs, on every machine; differs for most others, and for all that colour refinement tells
/// apart up to chance. O(m log n). Meaningless if the deadline expires.
std::uint64_t canonical_hash(const Outline& graph, Deadline& deadline);

/// Whether a renaming of nodes that keeps node classes, edge classes and directions makes one graph the other. Exact;
/// fast on all but graphs that are built to be hard, and exponential on those. Meaningless if the deadline expires.
bool isomorphic(const Outline& a, const Outline& b, Deadline& deadline);

/// Graphs told apart up to isomorphism, as they come: keeps the first of every class.
class IsomorphismClasses {
 public:
  /// The number of the graph's class, in order of appearance: the number of classes before, if it is a new one. A call
  /// whose deadline expires changes nothing and returns -1.
  int place(const Outline& graph, Deadline& deadline);

 private:
  std::vector<Outline> firsts_;
  std::unordered_map<std::uint64_t, std::vector<int>> by_hash_;
};

}  // namespace graphedx
