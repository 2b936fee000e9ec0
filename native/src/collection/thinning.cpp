#include "graphedx/collection/thinning.hpp"

namespace graphedx {

namespace {

/// Any number becomes any other, in the same way on every machine.
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

}  // namespace

Skeleton::Skeleton(int nodes, const std::vector<Edge>& edges) : edges(edges), first(nodes + 1, 0), ends(2 * edges.size()) {
  for (const Edge& edge : edges) ++first[edge.source], ++first[edge.target];
  int sum = 0;
  for (int& value : first) sum += value, value = sum;
  for (std::size_t e = edges.size(); e-- > 0;) {
    ends[--first[edges[e].source]] = {edges[e].target, static_cast<int>(e)};
    ends[--first[edges[e].target]] = {edges[e].source, static_cast<int>(e)};
  }
}

Thinning::EdgeKeys::EdgeKeys() {
  for (int d = 1; d <= kMostDegree; ++d)
    for (int e = 1; e <= kMostDegree; ++e)
      keys_[d][e] = scrambled(static_cast<Key>(64 * std::min(d, e) + std::max(d, e)));
  for (int d = 1; d <= kMostDegree; ++d)
    for (int e = 1; e <= kMostDegree; ++e) changes_[d][e] = keys_[d - 1][e] - keys_[d][e];
}

const Thinning::EdgeKeys Thinning::kEdgeKeys;

Thinning::Thinning(const Skeleton& graph, int most) : graph_(graph), edges_(static_cast<int>(graph.edges.size())) {
  State& whole = states_[0];
  whole.degrees.resize(graph.nodes());
  for (int i = 0; i < graph.nodes(); ++i) whole.degrees[i] = graph.degree(i);
  whole.falls.assign(edges_, 0);
  for (int e = 0; e < edges_; ++e) {
    whole.key += kEdgeKeys.of(whole.degrees[graph.edges[e].source], whole.degrees[graph.edges[e].target]);
    add_falls(whole.degrees, e, 1, whole.falls);
  }
  if (most > 2) fill_rows();
}

void Thinning::fill_rows() {
  const State& whole = states_[0];
  const std::size_t edges = edges_;
  rows_.resize(edges * edges);
  near_.resize(edges * edges, false);
  for (std::size_t e = 0; e < edges; ++e) {
    lost_[0] = static_cast<int>(e);
    notice(0, whole, states_[1]);
    for (std::size_t f = 0; f < edges; ++f) rows_[e * edges + f] = states_[1].falls[f] - whole.falls[f];
    for (int i : {graph_.edges[e].source, graph_.edges[e].target})
      graph_.each_end(i, [&](const Skeleton::End& end) {
        graph_.each_end(i, [&](const Skeleton::End& there) { near_[e * edges + there.edge] = true; });
        graph_.each_end(end.node, [&](const Skeleton::End& there) { near_[e * edges + there.edge] = true; });
      });
  }
}

/// The state that has lost one more than the first ones: the last of lost_.
void Thinning::lose(int have) {
  const State& state = states_[have];
  State& next = states_[have + 1];
  const int e = lost_[have];
  const std::size_t row = static_cast<std::size_t>(e) * edges_;
  if (rows_.empty() || std::any_of(lost_.begin(), lost_.begin() + have, [&](int other) { return near_[row + other]; }))
    return notice(have, state, next);
  next.key = state.key + state.falls[e];
  next.degrees = state.degrees;
  --next.degrees[graph_.edges[e].source], --next.degrees[graph_.edges[e].target];
  next.falls.resize(edges_);
  for (int f = e + 1; f < edges_; ++f) next.falls[f] = state.falls[f] + rows_[row + f];  // only later ones follow
}

/// The same, by all edges that notice it.
void Thinning::notice(int have, const State& state, State& next) const {
  const int e = lost_[have], two[] = {graph_.edges[e].source, graph_.edges[e].target};
  next = state;
  next.key += state.falls[e];
  for (int i : two) --next.degrees[i];
  for (int i : two)
    graph_.each_end(i, [&](const Skeleton::End& end) {
      if (std::find(lost_.begin(), lost_.begin() + have + 1, end.edge) != lost_.begin() + have + 1) return;
      add_falls(state.degrees, end.edge, -Key{1}, next.falls);
      add_falls(next.degrees, end.edge, 1, next.falls);
    });
  add_falls(state.degrees, e, -Key{1}, next.falls);
}

/// What an edge adds to the falls, if it is there.
void Thinning::add_falls(const std::vector<int>& degrees, int e, Key sign, std::vector<Key>& falls) const {
  const int i = graph_.edges[e].source, k = graph_.edges[e].target, d = degrees[i], f = degrees[k];
  const Key at_i = sign * kEdgeKeys.change(d, f), at_k = sign * kEdgeKeys.change(f, d);
  graph_.each_end(i, [&](const Skeleton::End& end) { falls[end.edge] += at_i; });
  graph_.each_end(k, [&](const Skeleton::End& end) { falls[end.edge] += at_k; });
  falls[e] -= sign * kEdgeKeys.of(d, f) + at_i + at_k;  // of its own loss it notices that it is gone
}

}  // namespace graphedx
