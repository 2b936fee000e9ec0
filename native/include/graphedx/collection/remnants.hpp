// Whether two graphs can have nearly all of their edges in common.
//
// A mapping that keeps c edges, whatever their labels, says that both graphs are the same once all other edges are gone:
// the query without m - c of its own and the graph without m' - c, nodes that have none left aside. Where few are lost,
// every way to lose them can be tried. What is left of the query has keys, which do not depend on the names of nodes and are
// made once; if nothing that may be left of a graph has one of them, no mapping keeps so many edges. Two keys are used: the
// degrees at the ends of all edges, which take two nanoseconds a way, and for those few ways that pass, colours of all nodes
// after some rounds of refinement. What has the same colours is nearly always the same.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "graphedx/graph.hpp"

namespace graphedx {

class Remnants {
 public:
  static constexpr int kMostLost = 5;  ///< edges, of either graph

  /// Of an undirected query.
  Remnants(int nodes, const std::vector<Edge>& edges);

  /// How many there are to lose so many edges.
  static double ways(std::size_t edges, int lost);

  /// False if there is no mapping that keeps all but `own_lost` edges of the query and all but `lost` of this graph, which
  /// leaves as many of either. True if there is one, and hardly ever else. Takes about 10 ns for each way to lose edges of the
  /// graph; and as much once for each way to lose own ones.
  bool may_match(int nodes, const std::vector<Edge>& edges, int own_lost, int lost) const;

 private:
  /// Keys of all that may be left.
  struct Keys {
    std::once_flag once;
    std::vector<std::uint64_t> bits;  // one for each key of degrees, and a few for others
    std::vector<std::uint64_t> colours;  // sorted

    bool has_degrees(std::uint64_t key) const {
      const std::uint64_t place = key & (64 * bits.size() - 1);
      return bits[place / 64] >> (place % 64) & 1;
    }
  };
  const Keys& keys(int lost) const;

  int nodes_;
  std::vector<Edge> edges_;
  mutable std::array<Keys, kMostLost + 1> keys_;
};

}  // namespace graphedx
