#include "graphedx/set_terms/packed_graph.hpp"

#include <algorithm>

namespace graphedx {

template <class T>
void PackedGraph<T>::find_classes(const std::int64_t* alike) {
  class_of_.resize(nodes);
  first_nodes.clear();
  weights.clear();
  for (std::size_t u = 0; u < nodes; ++u) {
    const std::size_t first = alike ? static_cast<std::size_t>(alike[u]) : u;
    if (first == u) {
      class_of_[u] = static_cast<std::uint32_t>(first_nodes.size());
      first_nodes.push_back(u);
      weights.push_back(T(0));
    }
    class_of_[u] = class_of_[first];
    weights[class_of_[u]] += 1;
  }
}

template <class T>
void PackedGraph<T>::find_types(const std::uint8_t* adjacency) {
  tallies_.assign(2 * pair_place(0, classes + 1), Tally{});  // of each two classes non-edges, then edges
  std::uint32_t place = 0;
  for (std::size_t v = 1; v < nodes; ++v)
    for (std::size_t u = 0; u < v; ++u, ++place) {
      const auto [low, high] = std::minmax(class_of_[u], class_of_[v]);
      Tally& tally = tallies_[2 * pair_place(low, high + 1) + (adjacency[place] ? 1 : 0)];
      if (tally.count++ == 0) tally.first = place;
    }

  types_.clear();
  first_pairs.clear();
  const auto append = [&](std::size_t low, std::size_t high, std::uint32_t count, bool joined) {
    types_.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high),
                      static_cast<std::uint32_t>(types_.size()), count, joined});
  };
  const Tally* tally = tallies_.data();
  for (std::size_t high = 0; high < classes; ++high)
    for (std::size_t low = 0; low <= high; ++low)
      for (const bool joined : {false, true}) {
        if (tally->count > 0) {
          first_pairs.push_back(tally->first);
          append(low, high, tally->count, joined);
        }
        ++tally;
      }
  for (std::size_t low = 0; low < classes; ++low) {
    first_pairs.push_back(pair_place(first_nodes[low], nodes));
    append(low, classes, 0, false);
  }
  append(classes, classes, 0, false);
}

template <class T>
void PackedGraph<T>::pack_square() {
  width = whole_lanes<T>(pair_features);
  vectors.assign(types() * width, T(0));
  shares.assign(types(), T(0));
  square.assign((classes + 1) * (classes + 1) * width, T(0));
  for (const PairType& type : rows.types) {
    const T* from = pair_row(type.number);
    std::copy(from, from + pair_features, vectors.data() + type.number * width);
    T& share = shares[type.number] = 1;
    if (type.high < classes)
      share = (type.low == type.high ? 2 : 1) * static_cast<T>(type.count) / (weights[type.low] * weights[type.high]);
    const auto add = [&](std::size_t c, std::size_t other) {
      T* to = square.data() + (c * (classes + 1) + other) * width;
      for (std::size_t f = 0; f < pair_features; ++f) to[f] += share * from[f];
    };
    add(type.low, type.high);
    if (type.low != type.high) add(type.high, type.low);
  }
}

template <class T>
void PackedGraph<T>::pack(const EncodedGraphs<T>& graphs, std::size_t graph, std::size_t first_pair,
                          std::size_t first_real_pair, const SetTermOptions& options) {
  const std::size_t first = static_cast<std::size_t>(graphs.offsets[graph]);
  nodes = static_cast<std::size_t>(graphs.offsets[graph + 1]) - first;
  node_features = graphs.node_features;
  align_features = graphs.align_features;
  pair_features = graphs.pair_features;
  node = graphs.node + first * node_features;
  align = graphs.align + first * align_features;
  align_pad = graphs.align_pad;
  pair = graphs.pair + first_pair * pair_features;
  pair_pad = graphs.pair_pad;

  find_classes(graphs.alike ? graphs.alike + first : nullptr);
  classes = first_nodes.size();
  stride = whole_lanes<T>(classes + 1);
  zeros_.assign(node_features, T(0));
  node_columns.pack(classes + 1, node_features,
                    [&](std::size_t c) { return c < classes ? node_row(c) : zeros_.data(); });
  align_columns.pack(classes + 1, align_features, [&](std::size_t c) { return align_row(c); });

  find_types(graphs.adjacency + first_real_pair);
  pack_types(options);
}

/// The types that the options compare.
template <class T>
void PackedGraph<T>::pack_types(const SetTermOptions& options) {
  for (TypeList* some : {&rows, &columns}) {
    some->types.clear();
    some->real = 0;
  }
  const auto list = [&](TypeList& to, bool edges, bool others) {
    to.types.reserve(types_.size());
    for (const PairType& type : types_) {
      if (!(type.is_edge ? edges : others)) continue;
      to.types.push_back(type);
      if (type.high < classes) to.real = to.types.size();
    }
  };
  const SetTerm term = options.edge_term;
  if (options.pair_align_features > 0) {
    list(columns, true, false);  // edges first: most pairs of XOR are others, and are compared with edges only
    edges = columns.types.size();
    list(columns, false, true);
    pack_own(pair_features - options.pair_align_features);
    return;
  }
  const bool some = options.edges_only || term == SetTerm::xor_diff_align || term == SetTerm::or_maximum;
  list(rows, true, !some);
  if (term == SetTerm::align_diff) return pack_square();
  list(columns, term != SetTerm::xor_diff_align, !options.edges_only);
  pair_columns.pack(columns.types.size(), pair_features,
                    [&](std::size_t i) { return pair_row(columns.types[i].number); });
}

/// What alignments of node pairs by themselves read.
template <class T>
void PackedGraph<T>::pack_own(std::size_t compared) {
  const auto row = [&](std::size_t i) { return pair_row(columns.types[i].number); };
  pair_columns.pack(columns.types.size(), compared, row);
  by_columns.pack(columns.types.size(), pair_features - compared, [&](std::size_t i) { return row(i) + compared; });
  width = whole_lanes<T>(compared);
  vectors.assign(columns.types.size() * width, T(0));
  for (std::size_t i = 0; i < columns.types.size(); ++i) std::copy(row(i), row(i) + compared, vectors.data() + i * width);
}

template struct PackedGraph<float>;
template struct PackedGraph<double>;

}  // namespace graphedx
