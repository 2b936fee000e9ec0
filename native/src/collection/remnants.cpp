#include "graphedx/collection/remnants.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace graphedx {

namespace {

using Key = std::uint64_t;
using Lost = std::array<int, Remnants::kMostLost>;  // edges, in ascending order

struct Gained {
  int from, to;
};

constexpr int kRounds = 3;       // of refinement: what has the same colours then is nearly always the same
constexpr int kMostDegree = 15;  // that is told from larger ones
constexpr int kNewNodes = 2;     // of the query, that an edge may be gained between
constexpr std::size_t kFewestBits = 4096;

/// Any two numbers become any two others, in the same way on every machine.
constexpr Key scrambled(Key x) {
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

/// What an edge between nodes of these degrees adds to a key.
class EdgeKeys {
 public:
  EdgeKeys() {
    for (int d = 1; d <= kMostDegree; ++d)
      for (int e = 1; e <= kMostDegree; ++e)
        keys_[d][e] = scrambled(static_cast<Key>(64 * std::min(d, e) + std::max(d, e)));
    for (int d = 1; d <= kMostDegree; ++d)
      for (int e = 1; e <= kMostDegree; ++e) changes_[d][e] = keys_[d - 1][e] - keys_[d][e];
  }

  Key of(int d, int e) const { return keys_[within(d)][within(e)]; }
  /// How that changes if the first node loses another edge.
  Key change(int d, int e) const {
    return d <= kMostDegree ? changes_[d][within(e)] : 0;
  }

 private:
  static int within(int degree) { return std::min(degree, kMostDegree); }

  Key keys_[kMostDegree + 1][kMostDegree + 1] = {}, changes_[kMostDegree + 1][kMostDegree + 1] = {};
};

const EdgeKeys kEdgeKeys;

struct End {
  int node, edge;
};

/// A graph as lists of neighbours.
struct Skeleton {
  Skeleton(int nodes, const std::vector<Edge>& edges) : edges(edges), first(nodes + 1, 0), ends(2 * edges.size()) {
    for (const Edge& edge : edges) ++first[edge.source], ++first[edge.target];
    int sum = 0;
    for (int& value : first) sum += value, value = sum;
    for (std::size_t e = edges.size(); e-- > 0;) {
      ends[--first[edges[e].source]] = {edges[e].target, static_cast<int>(e)};
      ends[--first[edges[e].target]] = {edges[e].source, static_cast<int>(e)};
    }
  }

  int nodes() const { return static_cast<int>(first.size()) - 1; }

  const std::vector<Edge>& edges;
  std::vector<int> first;  // of the list of each node
  std::vector<End> ends;
};

/// All ways of a graph to lose edges, and what that makes of its key of degrees.
class Thinning {
 public:
  explicit Thinning(const Skeleton& graph) : graph_(graph) {
    State& whole = states_[0];
    whole.degrees.resize(graph.nodes());
    whole.changes.resize(graph.nodes());
    whole.is_lost.resize(graph.edges.size(), false);
    for (int i = 0; i < graph.nodes(); ++i) whole.degrees[i] = graph.first[i + 1] - graph.first[i];
    for (int i = 0; i < graph.nodes(); ++i) sum_changes(whole, i);
    for (const Edge& edge : graph.edges) whole.key += kEdgeKeys.of(whole.degrees[edge.source], whole.degrees[edge.target]);
  }

  /// Calls visit(lost, key) for all ways to lose so many edges, until it returns false.
  template <class Visit>
  void each_way(int count, const Visit& visit) {
    static_assert(Remnants::kMostLost == 5);
    switch (count) {
      case 0: visit(lost_, states_[0].key); return;
      case 1: each_way<0, 1>(0, visit); return;
      case 2: each_way<0, 2>(0, visit); return;
      case 3: each_way<0, 3>(0, visit); return;
      case 4: each_way<0, 4>(0, visit); return;
      case 5: each_way<0, 5>(0, visit); return;
    }
  }

  /// Calls visit(gained, key) for all edges that may be gained where these are lost.
  template <class Visit>
  void each_gain(int count, const Lost& lost, const Visit& visit) const {
    State state = states_[0];
    for (int k = 0; k < count; ++k) {
      State next;
      lose(lost[k], state, next);
      state = std::move(next);
    }
    const int nodes = graph_.nodes(), old_nodes = nodes - kNewNodes;
    std::vector<Key> gains(nodes, 0);  // at the other edges of a node that gains one
    for (int i = 0; i < nodes; ++i)
      for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s) {
        const int d = state.degrees[i], f = state.degrees[graph_.ends[s].node];
        if (!state.is_lost[graph_.ends[s].edge]) gains[i] += kEdgeKeys.of(d + 1, f) - kEdgeKeys.of(d, f);
      }
    std::vector<int> joined(nodes, -1);  // to which node last
    for (int i = 0; i <= old_nodes; ++i) {
      for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s)
        if (!state.is_lost[graph_.ends[s].edge]) joined[graph_.ends[s].node] = i;
      // New nodes are all alike: one end of an edge is the first of them, or both ends are new.
      for (int k = i + 1; k <= std::max(old_nodes, i + 1); ++k)
        if (joined[k] != i)
          visit({i, k}, state.key + kEdgeKeys.of(state.degrees[i] + 1, state.degrees[k] + 1) + gains[i] + gains[k]);
    }
  }

 private:
  struct State {
    std::vector<int> degrees;
    std::vector<Key> changes;  // of the key at the other edges of a node that loses one
    std::vector<char> is_lost;
    Key key = 0;
  };

  /// The same for ways that begin with those edges that are lost already; false if visit was.
  template <int Have, int Count, class Visit>
  bool each_way(int from, const Visit& visit) {
    const int end = static_cast<int>(graph_.edges.size()) - (Count - Have - 1);
    for (int e = from; e < end; ++e) {
      lost_[Have] = e;
      if constexpr (Have + 1 == Count) {
        if (!visit(lost_, key_without(states_[Have], e))) return false;
      } else {
        lose(e, states_[Have], states_[Have + 1]);
        if (!each_way<Have + 1, Count>(e + 1, visit)) return false;
      }
    }
    return true;
  }

  Key key_without(const State& state, int e) const {
    const int i = graph_.edges[e].source, k = graph_.edges[e].target, d = state.degrees[i], f = state.degrees[k];
    return state.key - kEdgeKeys.of(d, f) + state.changes[i] - kEdgeKeys.change(d, f) + state.changes[k] -
           kEdgeKeys.change(f, d);
  }

  void lose(int e, const State& state, State& next) const {
    next = state;
    next.key = key_without(state, e);
    next.is_lost[e] = true;
    const int two[] = {graph_.edges[e].source, graph_.edges[e].target};
    for (int i : two) --next.degrees[i];
    for (int i : two) {
      sum_changes(next, i);
      for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s) sum_changes(next, graph_.ends[s].node);
    }
  }

  void sum_changes(State& state, int i) const {
    Key sum = 0;
    for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s)
      if (!state.is_lost[graph_.ends[s].edge])
        sum += kEdgeKeys.change(state.degrees[i], state.degrees[graph_.ends[s].node]);
    state.changes[i] = sum;
  }

  const Skeleton& graph_;
  std::array<State, Remnants::kMostLost> states_;  // after as many losses
  Lost lost_{};
};

/// What becomes of a graph in some ways, side by side: keys of colours.
class Colouring {
 public:
  static constexpr int kWays = 8;

  Colouring(const Skeleton& graph, int lost)
      : graph_(graph), count_(lost), kept_(graph.edges.size(), kAll), colours_(graph.nodes()), before_(graph.nodes()) {}

  bool is_full() const { return filled_ == kWays; }

  void add(const Lost& lost, std::optional<Gained> gained = {}) {
    lost_[filled_] = lost;
    gained_[filled_++] = gained;
  }

  /// Calls visit(key) for all that were added, and forgets them.
  template <class Visit>
  void each_key(const Visit& visit) {
    mark(0);
    for (int i = 0; i < graph_.nodes(); ++i) {
      Lanes degree{};
      for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s) degree -= kept_[graph_.ends[s].edge];
      colours_[i] = degree;
    }
    each_gained([&](int i, int, int way) { ++colours_[i][way]; });
    for (int round = 0; round < kRounds; ++round) refine();
    Lanes sum{}, other{};
    for (const Lanes& colour : colours_) {
      const Lanes last = mixed(colour);
      sum += last;
      other += mixed(last);
    }
    mark(~std::uint32_t{0});
    for (int way = 0; way < filled_; ++way) visit(static_cast<Key>(sum[way]) << 32 | other[way]);
    filled_ = 0;
  }

 private:
  typedef std::uint32_t Lanes __attribute__((vector_size(4 * kWays)));
  static constexpr Lanes kAll = Lanes{} - 1;

  static Lanes mixed(Lanes x) {
    x = (x ^ x >> 15) * 0x2c1b3c6d;
    return (x ^ x >> 12) * 0x297a2d39;  // zero stays zero: a node without edges is left aside
  }

  void mark(std::uint32_t kept) {
    for (int way = 0; way < filled_; ++way)
      for (int k = 0; k < count_; ++k) kept_[lost_[way][k]][way] = kept;
  }

  /// Calls visit(i, k, way) from both ends of the edges that are gained.
  template <class Visit>
  void each_gained(const Visit& visit) {
    for (int way = 0; way < filled_; ++way)
      if (gained_[way]) {
        visit(gained_[way]->from, gained_[way]->to, way);
        visit(gained_[way]->to, gained_[way]->from, way);
      }
  }

  void refine() {
    for (int i = 0; i < graph_.nodes(); ++i) before_[i] = mixed(colours_[i]);
    for (int i = 0; i < graph_.nodes(); ++i) {
      Lanes seen = 5 * before_[i];
      for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s)
        seen += before_[graph_.ends[s].node] & kept_[graph_.ends[s].edge];
      colours_[i] = seen;
    }
    each_gained([&](int i, int k, int way) { colours_[i][way] += before_[k][way]; });
  }

  const Skeleton& graph_;
  const int count_;
  std::array<Lost, kWays> lost_;
  std::array<std::optional<Gained>, kWays> gained_;
  int filled_ = 0;
  std::vector<Lanes> kept_, colours_, before_;  // of edges, all bits or none; of nodes
};

std::size_t power_of_two(double least) {
  std::size_t size = 1;
  while (static_cast<double>(size) < least) size *= 2;
  return size;
}

}  // namespace

void Remnants::KeySet::reserve(double most) { slots_.assign(power_of_two(2 * most), 0); }

std::size_t Remnants::KeySet::place(Key key) const {
  std::size_t place = key & (slots_.size() - 1);
  while (slots_[place] != 0 && slots_[place] != key) place = (place + 1) & (slots_.size() - 1);
  return place;
}

void Remnants::KeyBits::reserve(double most) {
  const std::size_t bits = power_of_two(std::max<double>(kFewestBits, 2 * most));  // most ways have a key that others have
  bits_.assign(bits / 64, 0);
  mask_ = bits - 1;
}

Remnants::Remnants(int nodes, const std::vector<Edge>& edges) : nodes_(nodes), edges_(edges) {}

double Remnants::ways(std::size_t edges, int lost) {
  double ways = 1;
  for (int k = 0; k < lost; ++k) ways *= (static_cast<double>(edges) - k) / (k + 1);
  return std::max(0.0, ways);
}

double Remnants::ways(Own own) const {
  const double nodes = nodes_, gained = nodes * (nodes + 1) / 2 + 1 - static_cast<double>(edges_.size()) + own.lost;
  return ways(edges_.size(), own.lost) * (own.gains ? gained : 1);
}

const Remnants::Keys& Remnants::keys(Own own) const {
  Keys& keys = keys_[own.lost][own.gains];
  std::call_once(keys.once, [&] {
    const Skeleton graph(nodes_ + kNewNodes, edges_);
    Thinning thinning(graph);
    Colouring colouring(graph, own.lost);
    keys.degrees.reserve(ways(own));
    keys.colours.reserve(ways(own));
    const auto finish = [&] { colouring.each_key([&](Key key) { keys.colours.add(key); }); };
    const auto add = [&](const Lost& lost, std::optional<Gained> gained, Key key) {
      keys.degrees.add(key);
      colouring.add(lost, gained);
      if (colouring.is_full()) finish();
    };
    thinning.each_way(own.lost, [&](const Lost& lost, Key key) {
      if (own.gains) {
        thinning.each_gain(own.lost, lost, [&](Gained gained, Key with) { add(lost, gained, with); });
      } else {
        add(lost, {}, key);
      }
      return true;
    });
    finish();
  });
  return keys;
}

bool Remnants::may_match(int nodes, const std::vector<Edge>& edges, Own own, int lost) const {
  const Keys& known = keys(own);
  const Skeleton graph(nodes, edges);
  Thinning thinning(graph);
  Colouring colouring(graph, lost);
  bool found = false;
  const auto compare = [&] { colouring.each_key([&](Key key) { found |= known.colours.has(key); }); };
  thinning.each_way(lost, [&](const Lost& way, Key key) {
    if (!known.degrees.has(key)) return true;
    colouring.add(way);
    if (colouring.is_full()) compare();
    return !found;
  });
  if (!found) compare();
  return found;
}

}  // namespace graphedx
