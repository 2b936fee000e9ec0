// Bindings of the encoder: check, convert, release the GIL. No algorithm lives here.
#include "graphedx/encoder.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

using ArcEnds = Array<std::int64_t, nb::shape<2, -1>>;

template <class T>
void fits(const char* name, const Vectors<T>& array, std::size_t rows, std::size_t columns) {
  if (array.shape(0) == rows && array.shape(1) == columns) return;
  throw std::invalid_argument(std::string(name) + " must be " + std::to_string(rows) + " x " + std::to_string(columns) +
                              ", got " + std::to_string(array.shape(0)) + " x " + std::to_string(array.shape(1)));
}

template <class T>
void fits(const char* name, const Vector<T>& array, std::size_t size) {
  if (array.shape(0) == size) return;
  throw std::invalid_argument(std::string(name) + " must have " + std::to_string(size) + " numbers, got " +
                              std::to_string(array.shape(0)));
}

NodeOffsets node_offsets(const Vector<std::int64_t>& offsets) {
  if (offsets.shape(0) == 0) throw std::invalid_argument("offsets must begin with 0, but are empty");
  return {offsets.shape(0) - 1, offsets.data()};
}

Arcs arcs_of(const ArcEnds& ends) { return {ends.shape(1), ends.data(), ends.data() + ends.shape(1)}; }

template <class T>
GatedPropagation<T> propagation(const Vectors<T>& h, const Vectors<T>& input, const Vectors<T>& hidden,
                                const Vector<std::int64_t>& kind, int steps, int threads) {
  const std::size_t width = h.shape(1);
  fits("input weights", input, 3 * width, 2 * width + 2);
  fits("hidden weights", hidden, 3 * width, width + 1);
  return {kind.shape(0), h.shape(0), width, kind.data(), h.data(), input.data(), hidden.data(), steps, threads};
}

template <class T>
PairEmbedding<T> embedding(const Vectors<T>& ends, const Vector<T>& pad, const Vector<T>& edge,
                           const Vectors<T>& second, const Vector<T>& offset, const Vector<std::uint8_t>& adjacency,
                           int threads) {
  const std::size_t features = pad.shape(0), size = offset.shape(0);
  fits("ends", ends, ends.shape(0), 2 * features);
  fits("edge", edge, features);
  fits("second", second, size, features);
  return {ends.shape(0), features, size, adjacency.shape(0), ends.data(), pad.data(), edge.data(), second.data(),
          offset.data(), adjacency.data(), threads};
}

template <class T>
void add_pass(nb::module_& m, const char* name) {
  using Pass = GatedPropagationPass<T>;
  nb::class_<Pass>(m, name).def(
      "backward",
      [](const Pass& pass, const Vectors<T>& d_h) {
        const std::size_t width = pass.width();
        fits("d_h", d_h, pass.nodes(), width);
        Owned<T> d_h0(pass.kinds(), width), d_input(3 * width, 2 * width + 2), d_hidden(3 * width, width + 1);
        {
          nb::gil_scoped_release release;
          pass.backward(d_h.data(), {d_h0.data, d_input.data, d_hidden.data});
        }
        return nb::make_tuple(d_h0.release(), d_input.release(), d_hidden.release());
      },
      "Gradients of h, input and hidden weights; GIL released.");
}

template <class T>
void add_functions(nb::module_& m) {
  m.def("unique_rows",
        [](const Vectors<T>& rows) {
          UniqueRows found;
          {
            nb::gil_scoped_release release;
            found = unique_rows(rows.data(), rows.shape(0), rows.shape(1));
          }
          return nb::make_tuple(as_array(std::move(found.first)), as_array(std::move(found.kind)));
        },
        "The first row of each kind of equal rows, and the kind of each row; GIL released.");
  m.def("gated_propagation",
        [](const Vectors<T>& h, const Vectors<T>& input, const Vectors<T>& hidden, const Vector<std::int64_t>& kind,
           const Vector<std::int64_t>& offsets, const ArcEnds& arcs, int steps, int threads, bool keep) {
          using Pass = GatedPropagationPass<T>;
          const GatedPropagation<T> what = propagation<T>(h, input, hidden, kind, steps, threads);
          const NodeOffsets graphs = node_offsets(offsets);
          Owned<T> result(what.nodes, what.width);
          std::unique_ptr<Pass> pass;
          {
            nb::gil_scoped_release release;
            pass = std::make_unique<Pass>(graphs, arcs_of(arcs), what, keep ? Pass::Keep::all : Pass::Keep::nothing);
            pass->forward(result.data);
          }
          return nb::make_tuple(result.release(), keep ? nb::cast(std::move(pass)) : nb::none());
        },
        "h after all steps, and where it is kept the pass, for gradients; GIL released.");
  m.def("pair_embedding",
        [](const Vectors<T>& ends, const Vector<T>& pad, const Vector<T>& edge, const Vectors<T>& second,
           const Vector<T>& offset, const Vector<std::uint8_t>& adjacency, const Vector<std::int64_t>& offsets,
           int threads) {
          const PairEmbedding<T> what = embedding<T>(ends, pad, edge, second, offset, adjacency, threads);
          const NodeOffsets graphs = node_offsets(offsets);
          Owned<T> rows(pair_embedding_rows(graphs, what), what.size);
          {
            nb::gil_scoped_release release;
            pair_embedding(graphs, what, rows.data);
          }
          return rows.release();
        },
        "The rows of all node pairs; GIL released.");
  m.def("pair_embedding_backward",
        [](const Vectors<T>& ends, const Vector<T>& pad, const Vector<T>& edge, const Vectors<T>& second,
           const Vector<T>& offset, const Vector<std::uint8_t>& adjacency, const Vector<std::int64_t>& offsets,
           int threads, const Vectors<T>& d_rows) {
          const PairEmbedding<T> what = embedding<T>(ends, pad, edge, second, offset, adjacency, threads);
          const NodeOffsets graphs = node_offsets(offsets);
          fits("d_rows", d_rows, pair_embedding_rows(graphs, what), what.size);
          Owned<T> d_ends(what.nodes, 2 * what.features), d_pad(1, what.features), d_edge(1, what.features);
          Owned<T> d_second(what.size, what.features), d_offset(1, what.size);
          {
            nb::gil_scoped_release release;
            pair_embedding_backward(graphs, what, d_rows.data(),
                                    {d_ends.data, d_pad.data, d_edge.data, d_second.data, d_offset.data});
          }
          return nb::make_tuple(d_ends.release(), d_pad.release(), d_edge.release(), d_second.release(),
                                d_offset.release());
        },
        "Gradients of the first five arguments; those of vectors have one row. GIL released.");
}

}  // namespace

void add_encoder(nb::module_& m) {
  add_pass<float>(m, "GatedPropagationPass32");
  add_pass<double>(m, "GatedPropagationPass64");
  m.def("alike_nodes",
        [](const Vector<std::int32_t>& classes, const Vector<std::int64_t>& offsets, const ArcEnds& arcs) {
          const NodeOffsets graphs = node_offsets(offsets);
          std::vector<std::int64_t> alike;
          {
            nb::gil_scoped_release release;
            alike = alike_nodes(graphs, arcs_of(arcs), classes.data(), classes.shape(0));
          }
          return as_array(std::move(alike));
        },
        "Of each node the first of its graph that it is alike; GIL released.");
  add_functions<float>(m);
  add_functions<double>(m);
}
