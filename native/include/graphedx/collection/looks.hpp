// What nodes look like, counted; and how far apart two graphs seem to be: nodes of the one that look like no node of the
// other. No bound, but quick.
#pragma once

#include <cstddef>
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

/// The colours of such a look in so many bins: columns of a vector that counts them.
struct Block {
  bool nodes, edges;
  int rounds, bins;
};

std::size_t width(const std::vector<Block>& blocks);

/// How many nodes (of labels of edges alone: edges) have a colour in each bin, block after block; none above 255. Blocks of
/// the same labels should come together, those with fewer rounds first. Colours are the same on every machine. `counts` has
/// room for width(blocks). O((n + m) * rounds).
void count_colours(const GraphContent& graph, bool directed, const std::vector<Block>& blocks, std::uint8_t* counts);

/// The same for the graphs at these positions, a row each; `sizes` has room for two numbers each: nodes and edges.
void count_colours(const Collection& collection, const std::vector<std::int64_t>& positions,
                   const std::vector<Block>& blocks, int threads, float* sizes, std::uint8_t* counts);

/// How often each colour occurs among those of one graph.
class Palette {
 public:
  explicit Palette(const std::vector<std::uint64_t>& colours);

  /// Colours of either graph that have no partner in the other one. O(n); `taken` is room to work in.
  std::size_t unpaired(const std::vector<std::uint64_t>& colours, std::vector<std::uint32_t>& taken) const;

 private:
  struct Slot {
    std::uint64_t colour = 0;
    std::uint32_t count = 0;
  };
  /// Where the colour is, or the free slot where it would be.
  std::size_t slot_of(std::uint64_t colour) const;

  std::size_t size_;
  std::vector<Slot> slots_;  // a power of two, most of them free
};

/// Compares graphs with one of them, the query. Equal looks are told by hashes of 64 bits.
class Likeness {
 public:
  /// Looks of the same labels should come together, those with fewer rounds first: they go on where the last one ended.
  Likeness(const GraphContent& query, bool directed, std::vector<Look> looks);

  /// The weighted L1 distance of how often each look occurs. O((n + m) * rounds); for any two graphs of one sort.
  double distance(const GraphContent& graph) const;

  /// To the graphs at these positions; infinite for those that time was too short for.
  std::vector<double> distances(const Collection& collection, const std::vector<std::int64_t>& positions, int threads,
                                double seconds) const;

 private:

  bool directed_;
  std::vector<Look> looks_;
  std::vector<Palette> own_;  // of each look
};

}  // namespace graphedx
