// Whether two graphs can have nearly all of their edges in common.
//
// A mapping that keeps c edges, whatever their labels, says that both graphs are the same once all other edges are gone:
// the query without m - c of its own and the graph without m' - c, nodes that have none left aside. Where few are lost,
// every way to lose them can be tried. What is left of the query has keys, which do not depend on the names of nodes and are
// made once; if nothing that may be left of a graph has one of them, no mapping keeps so many edges. Three keys are used: the
// degrees at the ends of all edges, which take a few nanoseconds a way, and for those ways that pass, colours of all nodes
// after a round of refinement and after some more. What has the same colours is nearly always the same.
//
// One of the edges that a graph loses can as well be gained by the query, anywhere: more keys to make, once, and a tenth of
// the ways to try for each graph.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "graphedx/collection/thinning.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

class Remnants {
 public:
  static constexpr int kMostLost = Thinning::kMostLost;  ///< edges, of either graph

  /// What becomes of the query.
  struct Own {
    int lost;
    bool gains;  ///< one edge, anywhere
  };

  /// Of an undirected query.
  Remnants(int nodes, const std::vector<Edge>& edges);

  /// How many there are to lose so many edges.
  static double ways(std::size_t edges, int lost);
  double ways(Own own) const;

  /// False if there is no mapping that keeps all edges but those that are lost, and gained, which leaves as many of the query
  /// as of this graph. True if there is one, and hardly ever else. Takes 2 to 20 ns for each way to lose edges of the graph,
  /// by how many pass the first key; and about 100 ns, once, for each of the query's ways.
  bool may_match(int nodes, const std::vector<Edge>& edges, Own own, int lost) const;

 private:
  using Key = std::uint64_t;

  /// Keys that tell two different remnants apart nearly always.
  class KeySet {
   public:
    void reserve(double most);
    void add(Key key) { slots_[place(key)] = key; }
    bool has(Key key) const { return slots_[place(key)] == key; }

   private:
    std::size_t place(Key key) const;  // where it is, or would be

    std::vector<Key> slots_;  // a power of two, at least half of them free, that is zero; so zero is always there
  };

  /// The same, less sure and quicker.
  class KeyBits {
   public:
    void reserve(double least);
    void add(Key key) { bits_[(key & mask_) / 64] |= Key{1} << key % 64; }
    bool has(Key key) const { return bits_[(key & mask_) / 64] >> key % 64 & 1; }

   private:
    std::vector<Key> bits_;
    Key mask_ = 0;
  };

  /// Of all that may become of the query.
  struct Keys {
    std::once_flag once;
    KeyBits degrees, roughly;
    KeySet colours;
  };
  const Keys& keys(Own own) const;

  int nodes_;
  std::vector<Edge> edges_;
  mutable std::array<std::array<Keys, 2>, kMostLost + 1> keys_;
};

}  // namespace graphedx
