// Bindings: check, convert, release the GIL. No algorithm lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <optional>

#include "graphedx/exact.hpp"
#include "graphedx/large.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

/// Set from one thread, seen by searches in others.
struct CancelFlag {
  std::atomic<bool> raised{false};
};

double seconds_or_forever(std::optional<double> seconds) { return seconds.value_or(INFINITY); }

/// Python's signal handlers run in the main thread only; elsewhere this is a cheap "no".
bool signal_arrived() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

ExactResult solve_one(const Graph& source, const Graph& target, const CostTables& costs, std::optional<double> cutoff,
                      std::optional<double> time_limit) {
  ExactResult result;
  {
    nb::gil_scoped_release release;
    Deadline deadline(seconds_or_forever(time_limit), nullptr, signal_arrived);
    result = solve_exact(source, target, costs, cutoff.value_or(INFINITY), deadline);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return result;
}

/// Many graphs that pairs refer to by position; keeps them alive.
struct GraphList {
  nb::list owners;
  std::vector<const Graph*> graphs;
};

using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

/// Stops between pairs when the flag is raised; the results so far are returned, in order.
std::vector<ExactResult> solve_pairs(const GraphList& list, const Pairs& pairs, const CostTables& costs,
                                     std::optional<double> cutoff, std::optional<double> time_limit,
                                     const CancelFlag& cancel) {
  const std::vector<const Graph*>& graphs = list.graphs;
  const std::size_t count = pairs.shape(0);
  for (std::size_t p = 0; p < count; ++p)
    for (int side = 0; side < 2; ++side)
      if (pairs(p, side) < 0 || static_cast<std::size_t>(pairs(p, side)) >= graphs.size())
        throw std::invalid_argument("pair names a graph that is not there");
  std::vector<ExactResult> results;
  nb::gil_scoped_release release;
  for (std::size_t p = 0; p < count && !cancel.raised; ++p) {
    Deadline deadline(seconds_or_forever(time_limit), &cancel.raised, nullptr);
    ExactResult result = solve_exact(*graphs[pairs(p, 0)], *graphs[pairs(p, 1)], costs,
                                     cutoff.value_or(INFINITY), deadline);
    if (deadline.was_interrupted()) break;
    results.push_back(std::move(result));
  }
  return results;
}

nb::tuple as_tuple(const ExactResult& r) {
  nb::tuple images = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(r.images.size())));
  for (std::size_t i = 0; i < r.images.size(); ++i)
    PyTuple_SET_ITEM(images.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLong(r.images[i]));
  return nb::make_tuple(r.lower, r.upper, images, static_cast<int>(r.stop), r.nodes);
}

}  // namespace

NB_MODULE(_native, m) {
#ifdef GRAPHEDX_NEEDS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
    throw std::runtime_error(
        "this build of graphedx needs a processor with AVX2; reinstall it here with "
        "pip install --no-binary graphedx graphedx -C cmake.define.GRAPHEDX_MARCH=x86-64-v2");
#endif
  nb::set_leak_warnings(false);  // encoded graphs and cost tables are kept in caches until the very end
  m.doc() = "The native core of graphedx; use it through graphedx._kernels.";

  nb::class_<Graph>(m, "Graph")
      .def("__init__",
           [](Graph* self, std::vector<int> node_classes, const std::vector<std::pair<int, int>>& ends,
              const std::vector<int>& edge_classes, bool directed) {
             if (ends.size() != edge_classes.size()) throw std::invalid_argument("one class an edge is needed");
             std::vector<Edge> edges;
             for (std::size_t e = 0; e < ends.size(); ++e)
               edges.push_back({ends[e].first, ends[e].second, edge_classes[e]});
             new (self) Graph(std::move(node_classes), edges, directed);
           },
           nb::arg("node_classes"), nb::arg("ends"), nb::arg("edge_classes"), nb::arg("directed"));

  nb::class_<CostTables>(m, "CostTables")
      .def("__init__",
           [](CostTables* self, std::vector<double> node_del, std::vector<double> node_ins,
              std::vector<double> node_sub, std::vector<double> edge_del, std::vector<double> edge_ins,
              std::vector<double> edge_sub) {
             CostTables tables{std::move(node_del), std::move(node_ins), std::move(node_sub),
                               std::move(edge_del), std::move(edge_ins), std::move(edge_sub)};
             tables.check();
             new (self) CostTables(std::move(tables));
           },
           nb::arg("node_del"), nb::arg("node_ins"), nb::arg("node_sub"), nb::arg("edge_del"), nb::arg("edge_ins"),
           nb::arg("edge_sub"));

  nb::class_<GraphList>(m, "GraphList")
      .def("__init__",
           [](GraphList* self, nb::list owners) {
             std::vector<const Graph*> graphs;
             for (nb::handle owner : owners) graphs.push_back(nb::cast<const Graph*>(owner));
             new (self) GraphList{std::move(owners), std::move(graphs)};
           },
           nb::arg("graphs"));

  nb::class_<CancelFlag>(m, "CancelFlag")
      .def(nb::init<>())
      .def("set", [](CancelFlag& flag) { flag.raised = true; });

  m.def("solve",
        [](const Graph& source, const Graph& target, const CostTables& costs, std::optional<double> cutoff,
           std::optional<double> time_limit) { return as_tuple(solve_one(source, target, costs, cutoff, time_limit)); },
        nb::arg("source"), nb::arg("target"), nb::arg("costs"), nb::arg("cutoff").none(), nb::arg("time_limit").none(),
        "(lower, upper, images, stop, nodes) of one pair; KeyboardInterrupt on Ctrl-C.");
  m.def("solve_large",
        [](const Graph& source, const Graph& target, const CostTables& costs, std::optional<double> time_limit) {
          Deadline deadline(seconds_or_forever(time_limit), nullptr, nullptr);
          Interval r;
          {
            nb::gil_scoped_release release;
            r = solve_large(source, target, costs, deadline, nullptr);
          }
          return nb::make_tuple(r.lower, r.upper, nb::cast(r.images), r.proved, r.interrupted);
        },
        nb::arg("source"), nb::arg("target"), nb::arg("costs"), nb::arg("time_limit").none(),
        "(lower, upper, images, proved, interrupted) of one pair of large graphs.");
  m.def("solve_pairs",
        [](const GraphList& graphs, const Pairs& pairs, const CostTables& costs,
           std::optional<double> cutoff, std::optional<double> time_limit, const CancelFlag& cancel) {
          nb::list out;
          for (const ExactResult& r : solve_pairs(graphs, pairs, costs, cutoff, time_limit, cancel))
            out.append(as_tuple(r));
          return out;
        },
        nb::arg("graphs"), nb::arg("pairs"), nb::arg("costs"), nb::arg("cutoff").none(), nb::arg("time_limit").none(),
        nb::arg("cancel"), "The same for many pairs; fewer results than pairs if it was cancelled.");
}
