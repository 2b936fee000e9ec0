#include "graphedx/set_terms/packed_graph.hpp"

namespace graphedx {

namespace {

/// Calls visit(low, high, is_edge) for every node pair of a padded graph, real ones first.
template <class Visit>
void each_pair(std::size_t nodes, const std::uint8_t* adjacency, const Visit& visit) {
  for (std::size_t high = 1; high < nodes; ++high)
    for (std::size_t low = 0; low < high; ++low) visit(low, high, adjacency[pair_place(low, high)] != 0);
  for (std::size_t low = 0; low <= nodes; ++low) visit(low, nodes, false);
}

void append(PairList& list, std::size_t low, std::size_t high, std::size_t nodes) {
  const std::size_t place = low == nodes ? pair_place(0, nodes + 1) : pair_place(low, high);
  list.ends.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high),
                       static_cast<std::uint32_t>(place)});
  if (high < nodes) list.real = list.ends.size();
}

}  // namespace

template <class T>
void PackedGraph<T>::pack(const EncodedGraphs<T>& graphs, std::size_t graph, std::size_t first_pair,
                          std::size_t first_real_pair, const SetTermOptions& options) {
  const std::size_t first = static_cast<std::size_t>(graphs.offsets[graph]);
  nodes = static_cast<std::size_t>(graphs.offsets[graph + 1]) - first;
  stride = whole_lanes<T>(nodes + 1);
  node_features = graphs.node_features;
  align_features = graphs.align_features;
  pair_features = graphs.pair_features;
  node = graphs.node + first * node_features;
  align = graphs.align + first * align_features;
  align_pad = graphs.align_pad;
  pair = graphs.pair + first_pair * pair_features;
  pair_pad = graphs.pair_pad;

  const std::vector<T> zeros(node_features, T(0));
  node_columns.pack(nodes + 1, node_features,
                    [&](std::size_t u) { return u < nodes ? node + u * node_features : zeros.data(); });
  align_columns.pack(nodes + 1, align_features, [&](std::size_t u) { return align_row(u); });

  const std::uint8_t* adjacency = graphs.adjacency + first_real_pair;
  if (options.edge_term == SetTerm::align_diff) {
    square.assign((nodes + 1) * pair_features * stride, T(0));
    each_pair(nodes, adjacency, [&](std::size_t low, std::size_t high, bool) {
      const T* from = low == nodes ? pair_pad : pair_row(pair_place(low, high));
      for (std::size_t f = 0; f < pair_features; ++f) {
        square[(low * pair_features + f) * stride + high] = from[f];
        square[(high * pair_features + f) * stride + low] = from[f];
      }
    });
    return;
  }
  const bool all = options.edge_term == SetTerm::diff_align;
  rows.ends.reserve(all ? last_pair() + 1 : nodes);
  columns.ends.reserve(last_pair() + 1);
  each_pair(nodes, adjacency, [&](std::size_t low, std::size_t high, bool is_edge) {
    if (all || is_edge) append(rows, low, high, nodes);
    if (all || !is_edge) append(columns, low, high, nodes);
  });
  pair_columns.pack(columns.ends.size(), pair_features,
                    [&](std::size_t i) { return pair_row(columns.ends[i].place); });
}

template struct PackedGraph<float>;
template struct PackedGraph<double>;

}  // namespace graphedx
