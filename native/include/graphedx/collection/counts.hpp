// Vectors of counts, a byte each, and which of them are nearest to another by a weighted L1 distance: what approximate
// search looks at first. Counts stay bytes, and weights come with the query, so one table serves all costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphedx {

/// A row of counts for each graph, and how many nodes and edges it has.
struct CountTable {
  std::size_t graphs, width;
  const std::uint8_t* counts;  // graphs x width
  const float* sizes;          // graphs x 2
};

/// Columns from `begin` to `end`, of which each count that differs by one weighs so much.
struct WeightedColumns {
  std::size_t begin, end;
  float weight;
};

/// One row, and what a difference from it weighs.
struct CountQuery {
  const std::uint8_t* counts;  // width
  float nodes, edges;
  float node_weight, edge_weight;  // of each more or less
  float node_growth, edge_growth;  // of each more; of each less, taken away
  std::vector<WeightedColumns> columns;
};

struct NearCounts {
  std::vector<std::int64_t> positions;
  std::vector<float> distances;
};

/// The `count` rows at the least distance, all if there are no more, sorted by distance, then position. Most rows are
/// not read to their end. Same answer for any number of threads. Throws std::invalid_argument on columns that are not
/// there.
NearCounts nearest_counts(const CountTable& table, const CountQuery& query, std::size_t count, int threads);

}  // namespace graphedx
