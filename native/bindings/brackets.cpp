// Bindings of brackets: what a narrow beam knows of many pairs.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graphedx/bracket.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/parallel.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

constexpr std::size_t kColumns = 10;
constexpr std::size_t kFewest = 64;  // pairs that are worth a thread

void write(const Bracket& found, double* row) {
  const Answer& answer = found.answer;
  const double values[kColumns] = {answer.lower, answer.upper,  found.root_lower, found.step,    found.shared,
                                   found.hope,   found.open[0], found.open[1],    found.open[2], static_cast<double>(answer.nodes)};
  std::copy(values, values + kColumns, row);
}

nb::object brackets(const GraphList& list, const Pairs& pairs, const CostTables& costs,
                    const Vector<std::int32_t>& expansions, int threads) {
  if (expansions.shape(0) != pairs.shape(0)) throw std::invalid_argument("each pair needs a number of expansions");
  check_pairs(list, pairs);
  Owned<double> rows(pairs.shape(0), kColumns);
  std::atomic<bool> interrupted{false};
  {
    nb::gil_scoped_release release;
    in_parallel(pairs.shape(0), std::max(1, threads), kFewest, [&](Counter& next) {
      Deadline deadline(INFINITY, &interrupted, signal_arrived);  // one for all pairs: each alone is done before it asks
      for (std::size_t p = next++; p < pairs.shape(0) && !deadline.expired(); p = next++) {
        const Task task{*list.graphs[pairs(p, 0)], *list.graphs[pairs(p, 1)], costs, INFINITY,
                        std::max(1, expansions(p))};
        task.check();
        check_table("beam", task);
        write(bracket(task, deadline), rows.data + p * kColumns);
      }
      if (deadline.was_interrupted()) interrupted = true;
    });
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return rows.release();
}

}  // namespace

void add_brackets(nb::module_& m) {
  m.def("brackets", &brackets, nb::arg("graphs"), nb::arg("pairs"), nb::arg("costs"), nb::arg("expansions"),
        nb::arg("threads"), "A row a pair: lower, upper, root_lower, step, shared, hope, three counts of open children, nodes.");
}
