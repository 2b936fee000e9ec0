// A node with its edges, but not what is at their other ends: what two nodes can save at most is decided by their stars.
#pragma once

#include <vector>

#include "graphedx/collection/numbers.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

/// So many edges of a kind.
struct Ray {
  Kind kind;
  int count;
};

struct Star {
  int node_class;
  std::vector<Ray> rays;  ///< sorted by kind, each kind once
};

/// The star of each node.
std::vector<Star> stars_of(const std::vector<int>& node_classes, const std::vector<Edge>& edges, bool directed);

/// The same bytes for the same star.
void write_star(Bytes& bytes, const Star& star);
/// Throws std::invalid_argument if these bytes are not those of one star.
Star read_star(const std::uint8_t* begin, const std::uint8_t* end);

/// As it looks to costs that see no labels of nodes, or of edges.
Star without_labels(Star star, bool of_nodes, bool of_edges);

}  // namespace graphedx
