// How far apart two graphs seem to be: nodes of the one that look like no node of the other. No bound, but quick.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/collection/collection.hpp"

namespace graphedx {

/// What nodes look like: their colours after so many rounds of refinement that sees these labels. Without rounds it is
/// the labels alone, of nodes or else of edges; or degrees, if no labels are seen.
struct Look {
  bool nodes, edges;
  int rounds;
  double weight;  ///< what each node adds that has nothing like it in the other graph
};

/// Compares graphs with one of them, the query. Equal looks are told by hashes of 64 bits.
class Likeness {
 public:
  /// Looks of the same labels should come together, those with fewer rounds first: they go on where the last one ended.
  Likeness(const GraphContent& query, bool directed, std::vector<Look> looks);

  /// The weighted L1 distance of how often each look occurs. O((n log n + m) * rounds); for any two graphs of one sort.
  double distance(const GraphContent& graph) const;

  /// To the graphs at these positions; infinite for those that time was too short for.
  std::vector<double> distances(const Collection& collection, const std::vector<std::int64_t>& positions, int threads,
                                double seconds) const;

 private:
  using Colours = std::vector<std::uint64_t>;  // sorted
  std::vector<Colours> colours(const GraphContent& graph) const;

  bool directed_;
  std::vector<Look> looks_;
  std::vector<Colours> own_;  // of each look
};

}  // namespace graphedx
