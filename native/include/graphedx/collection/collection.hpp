// Very many small graphs in few bytes, with what tells quickly which of them cannot be near a query.
//
// A graph is a string of bytes. Its nodes are counted by their views, of which a collection has few different ones: a
// molecule of 25 atoms has about 16, all molecules of a large collection together some thousands.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "graphedx/checksum.hpp"
#include "graphedx/collection/numbers.hpp"
#include "graphedx/collection/stars.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

struct GraphContent {
  std::vector<int> node_classes;
  std::vector<Edge> edges;
};

/// Arrays that somebody else owns, in memory or in a file. Strings of bytes and lists are one after the other; string k
/// ends at ends[k] and begins where the one before ends.
struct Collection {
  template <class T>
  struct Column {
    const T* data;
    std::size_t size;
  };

  bool directed;
  Column<std::uint8_t> graph_bytes;
  Column<std::int64_t> graph_ends;
  Column<std::uint8_t> star_bytes;  ///< of all different stars
  Column<std::int64_t> star_ends;
  Column<std::uint8_t> view_bytes;  ///< of all different views
  Column<std::int64_t> view_ends;
  Column<std::uint32_t> counted_views;  ///< those of each graph, and how many nodes have them
  Column<std::uint32_t> counts;
  Column<std::int64_t> counted_ends;  ///< a list for each graph
  const VerifiedBlocks* graph_blocks = nullptr;  ///< those of graph_bytes; null: they need no verification

  std::size_t size() const { return graph_ends.size; }
  std::size_t stars() const { return star_ends.size; }
  std::size_t views() const { return view_ends.size; }
  std::int64_t counted_begin(std::size_t graph) const { return graph == 0 ? 0 : counted_ends.data[graph - 1]; }

  /// Throws std::invalid_argument if the columns do not fit together. What the bytes say is checked when they are read.
  void check() const;
  /// Throws DamagedBlock if the blocks of graph_bytes that hold the graph are damaged.
  void verify(std::size_t graph) const;
  GraphContent content(std::size_t graph) const;
  Star star(std::size_t number) const;
  /// Throws std::invalid_argument if there are no such stars.
  View view(std::size_t number) const;
};

/// Puts graphs into columns, one after the other.
class CollectionBuilder {
 public:
  /// With the stars and views that a collection has already, so that more graphs can be put behind it.
  explicit CollectionBuilder(bool directed, const Collection* begun = nullptr);

  /// Throws std::invalid_argument on what is no graph.
  void add(const GraphContent& graph);

  // The columns of the graphs that were added; stars and views are those of the collection that was begun, too.
  Bytes graph_bytes;
  std::vector<std::int64_t> graph_ends;
  std::vector<std::uint32_t> counted_views, counts;
  std::vector<std::int64_t> counted_ends;

  const Bytes& star_bytes() const { return stars_.bytes; }
  const std::vector<std::int64_t>& star_ends() const { return stars_.ends; }
  const Bytes& view_bytes() const { return views_.bytes; }
  const std::vector<std::int64_t>& view_ends() const { return views_.ends; }

 private:
  /// Different strings of bytes, numbered as they come.
  struct Numbered {
    Bytes bytes;
    std::vector<std::int64_t> ends;
    std::unordered_map<std::string, int> known;

    int number_of(const Bytes& string);
  };

  bool directed_;
  Numbered stars_, views_;
};

}  // namespace graphedx
