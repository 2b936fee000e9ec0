// Automorphisms of a graph, for breaking symmetry: twins, and involutions that swap equal branches, ring halves or
// components.
#pragma once

#include <vector>

#include "graphedx/bits.hpp"

namespace graphedx {

class Graph;

struct Involution {
  std::vector<int> image;
  std::vector<Word> support;  ///< the nodes that move
};

struct Symmetry {
  int words = 0;
  bool trivial = true;
  std::vector<Word> twins;  ///< row i: the nodes that can trade places with node i while all others stay (i included)
  std::vector<Involution> involutions;

  /// Nodes that `node` can be moved to by known automorphisms that leave every node of `fixed` in place.
  void orbit(int node, const Word* fixed, Word* out) const;
};

/// Colour refinement proposes, an explicit check disposes: every involution returned is an automorphism.
/// The number of attempts is capped, so that large regular graphs cost little; O(n^2) attempts otherwise. Graphs above
/// Graph::kMostInMatrix nodes get the trivial answer.
Symmetry find_symmetry(const Graph& graph);

}  // namespace graphedx
