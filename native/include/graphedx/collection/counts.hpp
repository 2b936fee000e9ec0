// Tables of counts, a byte each, and whose rows are nearest to a query's by a weighted L1 distance: what approximate search
// looks at first. Counts stay bytes, and weights come with the query, so the same tables serve all costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphedx {

/// A row of counts for each graph, the query's own, and what each count that differs by one weighs.
struct CountTable {
  const std::uint8_t* counts;  // graphs x width
  const std::uint8_t* own;     // width
  std::size_t width;
  float weight;
};

/// How many nodes and edges graphs have, and the query, and what a difference weighs.
struct SizeTable {
  std::size_t graphs;
  const float* sizes;  // graphs x 2
  float nodes, edges;
  float node_weight, edge_weight;  // of each more or less
  float node_growth, edge_growth;  // of each more; of each less, taken away
};

struct NearCounts {
  std::vector<std::int64_t> positions;
  std::vector<float> distances;
};

/// The `count` graphs at the least distance, all if there are no more, sorted by distance, then position. Tables that tell
/// most should come first: of graphs that are too far by then, the others are not read. Same answer for any number of
/// threads. Throws std::invalid_argument on negative weights.
NearCounts nearest_counts(const SizeTable& sizes, const std::vector<CountTable>& tables, std::size_t count, int threads);

}  // namespace graphedx
