// Bindings: check, convert, release the GIL. No algorithm lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graphedx/improve.hpp"
#include "graphedx/isomorphism.hpp"
#include "graphedx/methods.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

/// What is asked of a pair besides its graphs and costs.
struct Request {
  Method solve;
  double cutoff;
  double time_limit;
  bool endless;
  int effort;

  Request(const std::string& method, std::optional<double> cutoff, std::optional<double> time_limit, int effort)
      : solve(find_method(method)),
        cutoff(cutoff.value_or(INFINITY)),
        time_limit(time_limit.value_or(INFINITY)),
        endless(time_limit.has_value()),
        effort(effort) {}

  Task task(const Graph& source, const Graph& target, const CostTables& costs) const {
    Task task{source, target, costs, cutoff, effort, endless};
    task.check();
    return task;
  }
};

Answer solve_one(const Graph& source, const Graph& target, const CostTables& costs, const Request& request) {
  const Task task = request.task(source, target, costs);
  Answer answer;
  {
    nb::gil_scoped_release release;
    Deadline deadline(request.time_limit, nullptr, signal_arrived);
    answer = request.solve(task, deadline);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return answer;
}

/// Stops between pairs when the flag is raised; the results so far are returned, in order.
std::vector<Answer> solve_pairs(const GraphList& list, const Pairs& pairs, const CostTables& costs,
                                const Request& request, const CancelFlag& cancel) {
  const std::vector<const Graph*>& graphs = list.graphs;
  const std::size_t count = pairs.shape(0);
  check_pairs(list, pairs);
  std::vector<Answer> answers;
  nb::gil_scoped_release release;
  for (std::size_t p = 0; p < count && !cancel.raised; ++p) {
    const Task task = request.task(*graphs[pairs(p, 0)], *graphs[pairs(p, 1)], costs);
    Deadline deadline(request.time_limit, &cancel.raised, nullptr);
    Answer answer = request.solve(task, deadline);
    if (deadline.was_interrupted()) break;
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// Answers as columns: lower, upper, stop, nodes, and the images of all pairs one after the other. Python objects for each
/// pair would keep other threads from the interpreter longer than an easy pair takes to solve.
nb::tuple as_columns(const std::vector<Answer>& answers) {
  std::vector<double> lower, upper;
  std::vector<std::int8_t> stops;
  std::vector<std::int64_t> nodes;
  std::vector<std::int32_t> images;
  for (const Answer& r : answers) {
    lower.push_back(r.lower);
    upper.push_back(r.upper);
    stops.push_back(static_cast<std::int8_t>(r.stop));
    nodes.push_back(r.nodes);
    images.insert(images.end(), r.images.begin(), r.images.end());
  }
  return nb::make_tuple(as_array(std::move(lower)), as_array(std::move(upper)), as_array(std::move(stops)),
                        as_array(std::move(nodes)), as_array(std::move(images)));
}

nb::tuple as_tuple(const Answer& r) {
  nb::tuple images = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(r.images.size())));
  for (std::size_t i = 0; i < r.images.size(); ++i)
    PyTuple_SET_ITEM(images.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLong(r.images[i]));
  return nb::make_tuple(r.lower, r.upper, images, static_cast<int>(r.stop), r.nodes);
}

/// Runs without the GIL what is given a deadline that Ctrl-C strikes.
template <class Question>
auto asked_until_signal(const Question& question) {
  decltype(question(std::declval<Deadline&>())) answer;
  {
    nb::gil_scoped_release release;
    Deadline deadline(INFINITY, nullptr, signal_arrived);
    answer = question(deadline);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return answer;
}

/// Threads may share it: each waits for the others without the GIL, which the one at work may need to hear signals.
struct SharedClasses {
  std::mutex mutex;
  IsomorphismClasses classes;
};

}  // namespace

namespace {

/// One pair, in a thread of the caller's: `improved` is given every better answer, and at the end the last one is
/// returned.
nb::tuple watch(const Graph& source, const Graph& target, const CostTables& costs, const Request& request,
                const CancelFlag& cancel, const nb::callable& improved) {
  Task task = request.task(source, target, costs);
  task.improved = [&](const Answer& answer) {
    nb::gil_scoped_acquire gil;
    improved(as_tuple(answer));
  };
  Answer answer;
  {
    nb::gil_scoped_release release;
    Deadline deadline(request.time_limit, &cancel.raised, nullptr);
    answer = request.solve(task, deadline);
  }
  return as_tuple(answer);
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

  nb::exception<TooLarge>(m, "TooLarge");

  nb::class_<Graph>(m, "Graph")
      .def("__init__",
           [](Graph* self, std::vector<int> node_classes, const Ends& ends, const std::vector<int>& edge_classes,
              bool directed) { new (self) Graph(std::move(node_classes), edges_of(ends, edge_classes), directed); },
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
        [](const Graph& source, const Graph& target, const CostTables& costs, const std::string& method, int effort,
           std::optional<double> cutoff, std::optional<double> time_limit) {
          return as_tuple(solve_one(source, target, costs, Request(method, cutoff, time_limit, effort)));
        },
        nb::arg("source"), nb::arg("target"), nb::arg("costs"), nb::arg("method"), nb::arg("effort"),
        nb::arg("cutoff").none(), nb::arg("time_limit").none(),
        "(lower, upper, images, stop, nodes) of one pair; KeyboardInterrupt on Ctrl-C.");
  m.def("solve_pairs",
        [](const GraphList& graphs, const Pairs& pairs, const CostTables& costs, const std::string& method, int effort,
           std::optional<double> cutoff, std::optional<double> time_limit, const CancelFlag& cancel) {
          return as_columns(solve_pairs(graphs, pairs, costs, Request(method, cutoff, time_limit, effort), cancel));
        },
        nb::arg("graphs"), nb::arg("pairs"), nb::arg("costs"), nb::arg("method"), nb::arg("effort"),
        nb::arg("cutoff").none(), nb::arg("time_limit").none(), nb::arg("cancel"),
        "The same for many pairs, as columns; fewer results than pairs if it was cancelled.");
  m.def("watch",
        [](const Graph& source, const Graph& target, const CostTables& costs, const std::string& method, int effort,
           std::optional<double> cutoff, std::optional<double> time_limit, const CancelFlag& cancel,
           const nb::callable& improved) {
          return watch(source, target, costs, Request(method, cutoff, time_limit, effort), cancel, improved);
        },
        nb::arg("source"), nb::arg("target"), nb::arg("costs"), nb::arg("method"), nb::arg("effort"),
        nb::arg("cutoff").none(), nb::arg("time_limit").none(), nb::arg("cancel"), nb::arg("improved"),
        "Like solve, for a thread: tells every better interval on the way.");

  m.def("improved",
        [](const Graph& source, const Graph& target, const CostTables& costs, const std::vector<int>& images) {
          const Task task{source, target, costs};
          task.check();
          return as_tuple(asked_until_signal([&](Deadline& deadline) { return improved(task, images, deadline); }));
        },
        nb::arg("source"), nb::arg("target"), nb::arg("costs"), nb::arg("images"),
        "Like solve, by local search from this mapping.");

  nb::class_<Outline>(m, "Outline")
      .def("__init__",
           [](Outline* self, std::vector<int> node_classes, const Ends& ends, const std::vector<int>& edge_classes,
              bool directed) { new (self) Outline(std::move(node_classes), edges_of(ends, edge_classes), directed); },
           nb::arg("node_classes"), nb::arg("ends"), nb::arg("edge_classes"), nb::arg("directed"));
  m.def("canonical_hash",
        [](const Outline& graph) {
          return asked_until_signal([&](Deadline& deadline) { return canonical_hash(graph, deadline); });
        },
        nb::arg("graph"));
  m.def("isomorphic",
        [](const Outline& a, const Outline& b) {
          return asked_until_signal([&](Deadline& deadline) { return isomorphic(a, b, deadline); });
        },
        nb::arg("a"), nb::arg("b"));
  nb::class_<SharedClasses>(m, "IsomorphismClasses")
      .def(nb::init<>())
      .def("place",
           [](SharedClasses& self, const Outline& graph) {
             return asked_until_signal([&](Deadline& deadline) {
               std::lock_guard<std::mutex> lock(self.mutex);
               return self.classes.place(graph, deadline);
             });
           },
           nb::arg("graph"), "The number of its class; a new class is numbered by how many there were.");

  add_brackets(m);
  add_checksum(m);
  add_collection(m);
  add_encoder(m);
  add_set_terms(m);
}
