// A collection of graphs in memory, for the fuzz tests; its bytes can be damaged.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "graphedx/collection/collection.hpp"
#include "random_pairs.hpp"

namespace graphedx {

template <class Values>
Collection::Column<typename Values::value_type> column(const Values& values) {
  return {values.data(), values.size()};
}

/// The columns of a builder, in memory that is exactly as large as they are.
struct Columns {
  Bytes graph_bytes, star_bytes, view_bytes;
  std::vector<std::int64_t> graph_ends, star_ends, view_ends, counted_ends;
  std::vector<std::uint32_t> counted_views, counts;

  explicit Columns(const CollectionBuilder& built)
      : graph_bytes(built.graph_bytes),
        star_bytes(built.star_bytes()),
        view_bytes(built.view_bytes()),
        graph_ends(built.graph_ends),
        star_ends(built.star_ends()),
        view_ends(built.view_ends()),
        counted_ends(built.counted_ends),
        counted_views(built.counted_views),
        counts(built.counts) {}

  Collection collection(bool directed) const {
    return {directed,           column(graph_bytes), column(graph_ends),    column(star_bytes), column(star_ends),
            column(view_bytes), column(view_ends),   column(counted_views), column(counts),     column(counted_ends)};
  }

  void damage() {
    const auto change = [](auto& values) {
      if (values.empty()) return;
      auto& value = values[below(static_cast<int>(values.size()))];
      value = static_cast<std::decay_t<decltype(value)>>(below(3) == 0 ? rng() : value ^ (1u << below(8)));
    };
    switch (below(9)) {
      case 0: return change(graph_bytes);
      case 1: return change(star_bytes);
      case 2: return change(view_bytes);
      case 3: return change(graph_ends);
      case 4: return change(star_ends);
      case 5: return change(view_ends);
      case 6: return change(counted_ends);
      case 7: return change(counted_views);
      default: return change(counts);
    }
  }
};

inline GraphContent content_of(const Graph& graph) {
  GraphContent content{{}, graph.edges()};
  for (int i = 0; i < graph.size(); ++i) content.node_classes.push_back(graph.node_class(i));
  return content;
}

}  // namespace graphedx
