// Colour refinement over all graphs of a batch: the partition of their nodes after each round of message passing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphedx {

/// The incoming arcs of every node in compressed rows: those of node u are sources[begin[u]] ... sources[begin[u + 1] - 1].
struct InNeighbours {
  InNeighbours(const struct Arcs& arcs, std::size_t nodes);

  std::size_t degree(std::size_t node) const { return begin[node + 1] - begin[node]; }

  std::vector<std::uint32_t> begin, sources;
};

/// The colours of one round. Colours are numbered by their first node.
struct ColourLevel {
  std::size_t colours = 0;
  std::vector<std::uint32_t> colour;          // of each node
  std::vector<std::uint32_t> representative;  // of each colour: its first node
  std::vector<std::uint64_t> hash;            // of each colour: the same in every batch
};

/// One level per round, from the given kinds of nodes on. Two nodes have the same colour at level t + 1 if they have the
/// same colour at level t and the same number of in-neighbours of every colour: a function of a node and the sum over its
/// in-neighbours has the same value for both. O(rounds m log(degree)) expected; keys are compared, not only hashed.
/// Throws std::invalid_argument if a kind is none of those that have a hash.
std::vector<ColourLevel> colour_levels(const InNeighbours& graph, const std::int64_t* kind, std::size_t nodes,
                                       std::vector<std::uint64_t> kind_hash, std::size_t rounds);

/// Of the bytes of an array.
std::uint64_t hash_of(const void* bytes, std::size_t size);

}  // namespace graphedx
