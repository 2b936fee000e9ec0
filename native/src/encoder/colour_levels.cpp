#include "graphedx/encoder/colour_levels.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "graphedx/encoder.hpp"

namespace graphedx {

InNeighbours::InNeighbours(const Arcs& arcs, std::size_t nodes) : begin(nodes + 1), sources(arcs.count) {
  for (std::size_t i = 0; i < arcs.count; ++i) ++begin[static_cast<std::size_t>(arcs.targets[i]) + 1];
  for (std::size_t u = 0; u < nodes; ++u) begin[u + 1] += begin[u];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < arcs.count; ++i)
    sources[next[static_cast<std::size_t>(arcs.targets[i])]++] = static_cast<std::uint32_t>(arcs.sources[i]);
}

namespace {

std::uint64_t mixed(std::uint64_t value) {  // the finaliser of MurmurHash3
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdU;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53U;
  return value ^ (value >> 33);
}

/// A hash table from keys, which are a colour and a sorted list of colours, to new colours.
class KeyTable {
 public:
  explicit KeyTable(std::size_t most_keys) {
    std::size_t size = 16;
    while (size < 2 * most_keys) size *= 2;
    slots_.resize(size);
  }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    keys_.clear();
  }

  /// The colour of the key, which is `fresh` if the key is new.
  std::uint32_t find_or_add(const std::vector<std::uint32_t>& key, std::uint32_t fresh) {
    std::uint64_t hash = key.size();
    for (const std::uint32_t part : key) hash = (hash ^ part) * 0x9e3779b97f4a7c15U, hash ^= hash >> 29;
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.size == 0) {
        slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::uint32_t>(key.size()), keys_.size(), fresh};
        keys_.insert(keys_.end(), key.begin(), key.end());
        return fresh;
      }
      if (slot.check == static_cast<std::uint32_t>(hash >> 32) && slot.size == key.size() &&
          std::equal(key.begin(), key.end(), keys_.begin() + static_cast<std::ptrdiff_t>(slot.begin)))
        return slot.colour;
    }
  }

 private:
  struct Slot {
    std::uint32_t check = 0, size = 0;  // keys are never empty
    std::size_t begin = 0;
    std::uint32_t colour = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> keys_;
};

/// Insertion sort for the short lists that most nodes have.
void sort_colours(std::uint32_t* first, std::uint32_t* last) {
  if (last - first > 16) return std::sort(first, last);
  for (std::uint32_t* i = first; i < last; ++i) {
    const std::uint32_t value = *i;
    std::uint32_t* j = i;
    for (; j > first && j[-1] > value; --j) *j = j[-1];
    *j = value;
  }
}

ColourLevel next_level(const InNeighbours& graph, const ColourLevel& level, KeyTable& table) {
  const std::size_t nodes = level.colour.size();
  std::vector<std::uint32_t> members(level.colours), key;
  for (const std::uint32_t colour : level.colour) ++members[colour];
  ColourLevel next;
  next.colour.resize(nodes);
  table.clear();
  for (std::size_t u = 0; u < nodes; ++u) {
    const std::uint32_t own = level.colour[u];
    std::uint32_t colour = static_cast<std::uint32_t>(next.colours);
    if (members[own] > 1) {  // a colour of one node cannot be split
      key.assign(1, own);
      for (std::uint32_t i = graph.begin[u]; i < graph.begin[u + 1]; ++i) key.push_back(level.colour[graph.sources[i]]);
      sort_colours(key.data() + 1, key.data() + key.size());
      colour = table.find_or_add(key, colour);
    }
    if (colour == next.colours) {
      ++next.colours;
      next.representative.push_back(static_cast<std::uint32_t>(u));
    }
    next.colour[u] = colour;
  }
  return next;
}

/// Gives the colours of a level their hashes, which depend on those of the level before and on no order.
void set_hashes(const InNeighbours& graph, const ColourLevel& before, ColourLevel& level) {
  level.hash.clear();
  for (const std::uint32_t node : level.representative) {
    std::uint64_t hash = mixed(before.hash[before.colour[node]]);
    for (std::uint32_t i = graph.begin[node]; i < graph.begin[node + 1]; ++i)
      hash += mixed(before.hash[before.colour[graph.sources[i]]] + 1);
    level.hash.push_back(mixed(hash));
  }
}

}  // namespace

std::uint64_t hash_of(const void* bytes, std::size_t size) {
  std::uint64_t hash = size;
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    std::uint64_t part = 0;
    std::memcpy(&part, static_cast<const char*>(bytes) + at, std::min(size - at, sizeof part));
    hash = mixed(hash ^ part);
  }
  return hash;
}

std::vector<ColourLevel> colour_levels(const InNeighbours& graph, const std::int64_t* kind, std::size_t nodes,
                                       std::vector<std::uint64_t> kind_hash, std::size_t rounds) {
  const std::size_t kinds = kind_hash.size();
  std::vector<ColourLevel> levels(1);
  levels[0].colours = kinds;
  levels[0].hash = std::move(kind_hash);
  levels[0].colour.resize(nodes);
  for (std::size_t u = 0; u < nodes; ++u) {
    if (kind[u] < 0 || static_cast<std::uint64_t>(kind[u]) >= kinds)
      throw std::invalid_argument("node " + std::to_string(u) + " is of kind " + std::to_string(kind[u]) +
                                  ", but there are " + std::to_string(kinds) + " kinds");
    levels[0].colour[u] = static_cast<std::uint32_t>(kind[u]);
  }
  levels.reserve(rounds + 1);
  KeyTable table(nodes);
  for (std::size_t t = 0; t < rounds; ++t) {
    // A partition that one round has not split, no later round splits. Level 0 may be numbered otherwise.
    const bool stable = t > 1 && levels[t].colours == levels[t - 1].colours;
    levels.push_back(stable ? levels[t] : next_level(graph, levels[t], table));
    set_hashes(graph, levels[t], levels[t + 1]);
  }
  return levels;
}

}  // namespace graphedx
