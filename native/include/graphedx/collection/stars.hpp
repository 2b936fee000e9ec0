// Nodes as their neighbourhoods look: what two nodes can save at most is decided by that.
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

/// A node with its edges, but not what is at their other ends.
struct Star {
  int node_class;
  std::vector<Ray> rays;  ///< sorted by kind, each kind once

  int degree() const;
};

/// So many edges of a kind, with a node of that star at the other end; stars are numbered elsewhere.
struct Sight {
  Kind kind;
  int star;
  int count;
};

/// A node with its star and those of its neighbours.
struct View {
  int star;
  std::vector<Sight> sights;  ///< sorted, each once
};

/// The star of each node.
std::vector<Star> stars_of(const std::vector<int>& node_classes, const std::vector<Joint>& joints);
/// The view of each node, given the numbers of their stars.
std::vector<View> views_of(const std::vector<int>& stars, const std::vector<Joint>& joints);

// The same bytes for the same star or view. What is read throws std::invalid_argument if it is none; numbers of stars are
// not checked.
void write_star(Bytes& bytes, const Star& star);
Star read_star(const std::uint8_t* begin, const std::uint8_t* end);
void write_view(Bytes& bytes, const View& view);
View read_view(const std::uint8_t* begin, const std::uint8_t* end);

/// Which labels costs can tell apart; others are read as if they were all the same.
struct Labels {
  bool of_nodes, of_edges;

  Kind seen(const Kind& kind) const;
  /// As it looks without the labels that do not count.
  Star seen(Star star) const;
};

}  // namespace graphedx
