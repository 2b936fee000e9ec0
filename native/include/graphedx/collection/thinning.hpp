// All ways of an undirected graph to lose a few of its edges.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "graphedx/graph.hpp"

namespace graphedx {

/// A graph as lists of neighbours.
struct Skeleton {
  struct End {
    int node, edge;
  };

  Skeleton(int nodes, const std::vector<Edge>& edges);

  int nodes() const { return static_cast<int>(first.size()) - 1; }
  int degree(int i) const { return first[i + 1] - first[i]; }

  template <class Visit>
  void each_end(int i, const Visit& visit) const {
    for (int s = first[i]; s < first[i + 1]; ++s) visit(ends[s]);
  }

  const std::vector<Edge>& edges;
  std::vector<int> first;  // of the list of each node
  std::vector<End> ends;
};

/// Goes through the ways, and tells a key of what is left in each: the sum of what each edge adds by the degrees at its ends.
/// It does not depend on the names of nodes, and takes about 2 ns a way.
///
/// An edge notices the loss of itself and of those that it meets, by the degrees at its ends, and of no others. So what a
/// loss adds to the key only changes by losses that some edge notices together with it, which are few and near. All these
/// changes are made beforehand, a row of numbers for each edge that may be lost: where nothing near it has been lost yet,
/// its row is added to what each further loss adds.
class Thinning {
 public:
  static constexpr int kMostLost = 5;
  using Key = std::uint64_t;
  using Lost = std::array<int, kMostLost>;  ///< edges, in ascending order
  struct Gained {
    int from, to;
  };

  /// Up to `most` edges are to be lost. O(m^2) if that is more than one.
  Thinning(const Skeleton& graph, int most);

  /// Calls visit(lost, key) for all ways to lose so many edges, until it returns false.
  template <class Visit>
  void each_way(int count, const Visit& visit) {
    static_assert(kMostLost == 5);
    switch (count) {
      case 0: visit(lost_, states_[0].key); return;
      case 1: each_way<0, 1>(0, visit); return;
      case 2: each_way<0, 2>(0, visit); return;
      case 3: each_way<0, 3>(0, visit); return;
      case 4: each_way<0, 4>(0, visit); return;
      case 5: each_way<0, 5>(0, visit); return;
    }
  }

  /// Calls visit(gained, key) for all edges that may be gained where these are lost, which has left this key. The last
  /// `new_nodes` of the graph are all alike.
  template <class Visit>
  void each_gain(int count, const Lost& lost, Key key, int new_nodes, const Visit& visit) const;

 private:
  struct State {
    std::vector<int> degrees;
    std::vector<Key> falls;  // what is added to the key by the loss of an edge, too; of those that are lost, anything
    Key key = 0;
  };

  /// What an edge between nodes of these degrees adds to a key.
  class EdgeKeys {
   public:
    EdgeKeys();
    Key of(int d, int e) const { return keys_[within(d)][within(e)]; }
    /// How that changes if the first node loses another edge.
    Key change(int d, int e) const { return d <= kMostDegree ? changes_[d][within(e)] : 0; }

   private:
    static constexpr int kMostDegree = 15;  // that is told from larger ones
    static int within(int degree) { return std::min(degree, kMostDegree); }

    Key keys_[kMostDegree + 1][kMostDegree + 1] = {}, changes_[kMostDegree + 1][kMostDegree + 1] = {};
  };
  static const EdgeKeys kEdgeKeys;

  /// The same for ways that begin with those edges that are lost already; false if visit was.
  template <int Have, int Count, class Visit>
  bool each_way(int from, const Visit& visit) {
    const State& state = states_[Have];
    for (int e = from; e < edges_ - (Count - Have - 1); ++e) {
      lost_[Have] = e;
      if constexpr (Have + 1 == Count) {
        if (!visit(lost_, state.key + state.falls[e])) return false;
      } else {
        lose(Have);
        if (!each_way<Have + 1, Count>(e + 1, visit)) return false;
      }
    }
    return true;
  }

  void lose(int have);
  void notice(int have, const State& state, State& next) const;
  void add_falls(const std::vector<int>& degrees, int e, Key sign, std::vector<Key>& falls) const;
  void fill_rows();

  const Skeleton& graph_;
  const int edges_;
  std::vector<Key> rows_;   // (edges, edges)
  std::vector<char> near_;  // (edges, edges): whether some edge notices both
  std::array<State, kMostLost> states_;  // after as many losses
  Lost lost_{};
};

template <class Visit>
void Thinning::each_gain(int count, const Lost& lost, Key key, int new_nodes, const Visit& visit) const {
  const int nodes = graph_.nodes(), old_nodes = nodes - new_nodes;
  std::vector<int> degrees = states_[0].degrees;
  for (int k = 0; k < count; ++k) --degrees[graph_.edges[lost[k]].source], --degrees[graph_.edges[lost[k]].target];
  const auto each_kept = [&](int i, const auto& body) {
    graph_.each_end(i, [&](const Skeleton::End& end) {
      if (std::find(lost.begin(), lost.begin() + count, end.edge) == lost.begin() + count) body(end.node);
    });
  };
  std::vector<Key> gains(nodes, 0);  // at the other edges of a node that gains one
  for (int i = 0; i < nodes; ++i)
    each_kept(i, [&](int k) {
      gains[i] += kEdgeKeys.of(degrees[i] + 1, degrees[k]) - kEdgeKeys.of(degrees[i], degrees[k]);
    });
  std::vector<int> joined(nodes, -1);  // to which node last
  for (int i = 0; i <= old_nodes; ++i) {
    each_kept(i, [&](int k) { joined[k] = i; });
    // One end of an edge is an old node or the first of the new ones; of two new ones, they are the first two.
    for (int k = i + 1; k <= std::max(old_nodes, i + 1); ++k)
      if (joined[k] != i) visit(Gained{i, k}, key + kEdgeKeys.of(degrees[i] + 1, degrees[k] + 1) + gains[i] + gains[k]);
  }
}

}  // namespace graphedx
