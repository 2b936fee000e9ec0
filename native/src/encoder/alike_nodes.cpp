#include <cmath>

#include "graphedx/deadline.hpp"
#include "graphedx/encoder.hpp"
#include "graphedx/stable_partition.hpp"

namespace graphedx {

std::vector<std::int64_t> alike_nodes(const NodeOffsets& graphs, const Arcs& arcs, const std::int32_t* classes,
                                      std::size_t nodes) {
  const std::vector<std::uint32_t> graph_of = graphs.graph_of_nodes(nodes);
  arcs.check(graph_of);
  std::vector<std::vector<int>> receivers(nodes);  // places in the graph
  for (std::size_t i = 0; i < arcs.count; ++i)
    receivers[arcs.sources[i]].push_back(static_cast<int>(arcs.targets[i] - graphs.offsets[graph_of[arcs.sources[i]]]));

  std::vector<std::int64_t> alike(nodes);
  Deadline never(INFINITY, nullptr, nullptr);
  for (std::size_t g = 0; g < graphs.graphs; ++g) {
    const std::int64_t begin = graphs.offsets[g], end = graphs.offsets[g + 1];
    ArcLists lists;
    for (std::int64_t u = begin; u < end; ++u) {
      for (const int receiver : receivers[u]) lists.arcs.push_back({receiver, 1});
      lists.close();
    }
    StablePartition partition(std::vector<int>(classes + begin, classes + end));
    partition.refine(lists, never);
    std::vector<std::int64_t> first(static_cast<std::size_t>(end - begin), -1);  // of each cell
    for (std::int64_t u = 0; u < end - begin; ++u) {
      std::int64_t& of_cell = first[partition.cell_of(static_cast<int>(u))];
      if (of_cell < 0) of_cell = u;
      alike[begin + u] = of_cell;
    }
  }
  return alike;
}

}  // namespace graphedx
