// Bindings of collections: columns in, columns out.
#include "graphedx/collection/collection.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graphedx/collection/counts.hpp"
#include "graphedx/collection/looks.hpp"
#include "graphedx/collection/nearest.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

using Columns = std::tuple<Vector<std::uint8_t>, Vector<std::int64_t>, Vector<std::uint8_t>, Vector<std::int64_t>,
                           Vector<std::uint8_t>, Vector<std::int64_t>, Vector<std::uint32_t>, Vector<std::uint32_t>,
                           Vector<std::int64_t>>;

/// Keeps the arrays alive that it looks at.
struct OpenCollection {
  using Checksums = std::optional<Vector<std::uint32_t>>;

  Columns columns;
  Checksums checksums;
  std::optional<VerifiedBlocks> graph_blocks;
  Collection view;

  OpenCollection(bool directed, Columns given, Checksums of_graph_bytes, std::size_t block_bytes)
      : columns(std::move(given)), checksums(std::move(of_graph_bytes)), view(viewed(directed, columns)) {
    view.check();
    if (!checksums) return;
    graph_blocks.emplace(view.graph_bytes.data, view.graph_bytes.size, checksums->data(), checksums->shape(0), block_bytes);
    view.graph_blocks = &*graph_blocks;
  }
  OpenCollection(const OpenCollection&) = delete;
  OpenCollection& operator=(const OpenCollection&) = delete;

  static Collection viewed(bool directed, const Columns& columns) {
    const auto viewed = [](const auto& array) {
      return Collection::Column<std::decay_t<decltype(*array.data())>>{array.data(), array.shape(0)};
    };
    return std::apply([&](const auto&... column) { return Collection{directed, viewed(column)...}; }, columns);
  }
};

nb::tuple content(const OpenCollection& collection, std::size_t position) {
  if (position >= collection.view.size()) throw std::out_of_range("the collection has no such graph");
  const GraphContent found = collection.view.content(position);
  Ends ends;
  std::vector<int> edge_classes;
  for (const Edge& edge : found.edges) {
    ends.emplace_back(edge.source, edge.target);
    edge_classes.push_back(edge.label_class);
  }
  return nb::make_tuple(found.node_classes, ends, edge_classes);
}

nb::tuple nearest_of(const OpenCollection& collection, const Graph& query, const CostTables& costs, bool sees_nodes,
                     bool sees_edges, std::optional<std::size_t> k, double radius, std::optional<double> time_limit,
                     int threads, const CancelFlag& cancel, std::optional<std::int64_t> patience,
                     const std::vector<double>& guessed, double unit) {
  if (!guessed.empty() && guessed.size() != collection.view.size())
    throw std::invalid_argument("a guess for each graph is needed");
  Found found;
  {
    nb::gil_scoped_release release;
    found = nearest(collection.view, query, costs, {sees_nodes, sees_edges},
                    {k, radius, time_limit.value_or(INFINITY), threads, &cancel.raised, patience, guessed,
                     unit});
  }
  return nb::make_tuple(as_array(std::move(found.positions)), as_array(std::move(found.lower)),
                        as_array(std::move(found.upper)), found.complete, found.unseen, found.bounded, found.searched);
}

void require_graphs(const OpenCollection& collection, const std::vector<std::int64_t>& positions) {
  for (std::int64_t position : positions)
    if (position < 0 || static_cast<std::size_t>(position) >= collection.view.size())
      throw std::out_of_range("the collection has no such graph");
}

void verify_graphs(const OpenCollection& collection, const Vector<std::int64_t>& positions) {
  nb::gil_scoped_release release;
  for (std::size_t p = 0; p < positions.shape(0); ++p) {
    const std::int64_t position = positions.data()[p];
    if (position < 0 || static_cast<std::size_t>(position) >= collection.view.size())
      throw std::out_of_range("the collection has no such graph");
    collection.view.verify(static_cast<std::size_t>(position));
  }
}

void verify_all(const OpenCollection& collection) {
  nb::gil_scoped_release release;
  if (collection.graph_blocks) collection.graph_blocks->require(0, collection.view.graph_bytes.size);
}

using Blocks = std::vector<std::tuple<bool, bool, int, int>>;  // nodes, edges, rounds, bins

std::vector<Block> blocks_of(const Blocks& given) {
  std::vector<Block> blocks;
  for (const auto& [nodes, edges, rounds, bins] : given) blocks.push_back({nodes, edges, rounds, bins});
  return blocks;
}

nb::object colour_counts(const std::vector<int>& nodes, const Ends& ends, const std::vector<int>& edges, bool directed,
                         const Blocks& given) {
  const std::vector<Block> blocks = blocks_of(given);
  std::vector<std::uint8_t> counts(width(blocks));
  count_colours({nodes, edges_of(ends, edges)}, directed, blocks, counts.data());
  return as_array(std::move(counts));
}

nb::tuple colour_counts_of(const OpenCollection& collection, const Blocks& given,
                           const std::vector<std::int64_t>& positions, int threads) {
  require_graphs(collection, positions);
  const std::vector<Block> blocks = blocks_of(given);
  Owned<float> sizes(positions.size(), 2);
  Owned<std::uint8_t> counts(positions.size(), width(blocks));
  {
    nb::gil_scoped_release release;
    count_colours(collection.view, positions, blocks, threads, sizes.data, counts.data);
  }
  return nb::make_tuple(sizes.release(), counts.release());
}

nb::object likeness(const OpenCollection& collection, const std::vector<int>& nodes, const Ends& ends,
                    const std::vector<int>& edges, const std::vector<std::tuple<bool, bool, int, double>>& given,
                    const std::vector<std::int64_t>& positions, int threads, std::optional<double> time_limit) {
  require_graphs(collection, positions);
  std::vector<Look> looks;
  for (const auto& [by_nodes, by_edges, rounds, weight] : given) looks.push_back({by_nodes, by_edges, rounds, weight});
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    const Likeness to({nodes, edges_of(ends, edges)}, collection.view.directed, looks);
    found = to.distances(collection.view, positions, threads, time_limit.value_or(INFINITY));
  }
  return as_array(std::move(found));
}

nb::object lower_bounds(const OpenCollection& collection, const Graph& query, const CostTables& costs, bool sees_nodes,
                        bool sees_edges, int threads) {
  std::vector<double> lower;
  {
    nb::gil_scoped_release release;
    const Deadline never(INFINITY, nullptr, nullptr);
    lower = Screen(collection.view, query, costs, {sees_nodes, sees_edges}, threads, never).lower();
  }
  return as_array(std::move(lower));
}

using Tables = std::vector<std::tuple<Vectors<std::uint8_t>, Vector<std::uint8_t>, float>>;  // counts, own, weight

nb::tuple nearest_counts_of(const Vectors<float>& sizes, std::array<float, 2> own, std::array<float, 4> weights,
                            const Tables& given, std::size_t count, int threads) {
  if (sizes.shape(1) != 2) throw std::invalid_argument("a graph has two sizes, nodes and edges");
  std::vector<CountTable> tables;
  for (const auto& [counts, own_counts, weight] : given) {
    if (counts.shape(0) != sizes.shape(0) || counts.shape(1) != own_counts.shape(0))
      throw std::invalid_argument("counts, sizes and the query do not fit each other");
    tables.push_back({counts.data(), own_counts.data(), own_counts.shape(0), weight});
  }
  NearCounts found;
  {
    nb::gil_scoped_release release;
    found = nearest_counts({sizes.shape(0), sizes.data(), own[0], own[1], weights[0], weights[1], weights[2], weights[3]},
                           tables, count, threads);
  }
  return nb::make_tuple(as_array(std::move(found.positions)), as_array(std::move(found.distances)));
}

/// Lists that lie one after the other, list k up to ends[k]: those at these positions, in this order, and where they end.
template <class T>
nb::tuple gathered(const Vector<T>& values, const Vector<std::int64_t>& ends, const Vector<std::int64_t>& positions) {
  std::vector<T> some;
  std::vector<std::int64_t> new_ends;
  for (std::size_t p = 0; p < positions.shape(0); ++p) {
    const std::int64_t at = positions.data()[p];
    if (at < 0 || static_cast<std::size_t>(at) >= ends.shape(0)) throw std::out_of_range("there is no such list");
    const std::int64_t begin = at == 0 ? 0 : ends.data()[at - 1], end = ends.data()[at];
    if (begin < 0 || end < begin || static_cast<std::size_t>(end) > values.shape(0))
      throw std::invalid_argument("the columns of a collection do not fit together");
    some.insert(some.end(), values.data() + begin, values.data() + end);
    new_ends.push_back(static_cast<std::int64_t>(some.size()));
  }
  return nb::make_tuple(as_array(std::move(some)), as_array(std::move(new_ends)));
}

}  // namespace

void add_collection(nb::module_& m) {
  nb::class_<OpenCollection>(m, "Collection")
      .def("__init__",
           [](OpenCollection* self, bool directed, Vector<std::uint8_t> graph_bytes, Vector<std::int64_t> graph_ends,
              Vector<std::uint8_t> star_bytes, Vector<std::int64_t> star_ends, Vector<std::uint8_t> view_bytes,
              Vector<std::int64_t> view_ends, Vector<std::uint32_t> counted_views, Vector<std::uint32_t> counts,
              Vector<std::int64_t> counted_ends, OpenCollection::Checksums checksums, std::size_t block_bytes) {
             new (self) OpenCollection(directed,
                                       {graph_bytes, graph_ends, star_bytes, star_ends, view_bytes, view_ends,
                                        counted_views, counts, counted_ends},
                                       std::move(checksums), block_bytes);
           },
           nb::arg("directed"), nb::arg("graph_bytes"), nb::arg("graph_ends"), nb::arg("star_bytes"), nb::arg("star_ends"),
           nb::arg("view_bytes"), nb::arg("view_ends"), nb::arg("counted_views"), nb::arg("counts"), nb::arg("counted_ends"),
           nb::arg("checksums").none() = nb::none(), nb::arg("block_bytes") = 1)
      .def("__len__", [](const OpenCollection& self) { return self.view.size(); })
      .def("verify", &verify_all, "Throws DamagedBlock if a block of graph_bytes does not match its checksum.")
      .def("verify_graphs", &verify_graphs, nb::arg("positions"), "Likewise for the blocks that hold these graphs.")
      .def("content", &content, nb::arg("position"), "(node_classes, ends, edge_classes) of one graph.")
      .def("lower_bounds", &lower_bounds, nb::arg("query"), nb::arg("costs"), nb::arg("sees_nodes"), nb::arg("sees_edges"),
           nb::arg("threads"), "A lower bound on the distance of every graph, from their counted views alone.")
      .def("colour_counts", &colour_counts_of, nb::arg("blocks"), nb::arg("positions"), nb::arg("threads"),
           "(sizes, counts): nodes and edges of the graphs at these positions, and their colours in bins.")
      .def("likeness", &likeness, nb::arg("nodes"), nb::arg("ends"), nb::arg("edges"), nb::arg("looks"),
           nb::arg("positions"), nb::arg("threads"), nb::arg("time_limit").none(),
           "How unlike a graph those at these positions are, by looks (nodes, edges, rounds, weight).")
      .def("nearest", &nearest_of, nb::arg("query"), nb::arg("costs"), nb::arg("sees_nodes"), nb::arg("sees_edges"),
           nb::arg("k").none(), nb::arg("radius"), nb::arg("time_limit").none(), nb::arg("threads"), nb::arg("cancel"),
           nb::arg("patience").none(), nb::arg("guessed"), nb::arg("unit"),
           "(positions, lower, upper, complete, unseen, bounded, searched).");

  nb::class_<CollectionBuilder>(m, "CollectionBuilder")
      .def("__init__",
           [](CollectionBuilder* self, bool directed, const OpenCollection* begun) {
             new (self) CollectionBuilder(directed, begun == nullptr ? nullptr : &begun->view);
           },
           nb::arg("directed"), nb::arg("begun").none())
      .def("add",
           [](CollectionBuilder& self, std::vector<int> node_classes, const Ends& ends,
              const std::vector<int>& edge_classes) {
             self.add({std::move(node_classes), edges_of(ends, edge_classes)});
           },
           nb::arg("node_classes"), nb::arg("ends"), nb::arg("edge_classes"))
      .def("columns",
           [](const CollectionBuilder& self) {
             return nb::make_tuple(as_array(self.graph_bytes), as_array(self.graph_ends), as_array(self.star_bytes()),
                                   as_array(self.star_ends()), as_array(self.view_bytes()), as_array(self.view_ends()),
                                   as_array(self.counted_views), as_array(self.counts), as_array(self.counted_ends));
           },
           "As Collection takes them; stars and views are those of the collection that was begun, too.");

  m.def("colour_counts", &colour_counts, nb::arg("nodes"), nb::arg("ends"), nb::arg("edges"), nb::arg("directed"),
        nb::arg("blocks"), "Colours of one graph in the bins of blocks (nodes, edges, rounds, bins).");
  m.def("gathered", &gathered<std::uint8_t>, nb::arg("values"), nb::arg("ends"), nb::arg("positions"));
  m.def("gathered", &gathered<std::uint32_t>, nb::arg("values"), nb::arg("ends"), nb::arg("positions"),
        "(values, ends) of the lists at these positions.");

  m.def("nearest_counts", &nearest_counts_of, nb::arg("sizes"), nb::arg("own"), nb::arg("weights"), nb::arg("tables"),
        nb::arg("count"), nb::arg("threads"),
        "(positions, distances) of the nearest; weights are of a node, an edge, and of one node and one edge more.");
}
