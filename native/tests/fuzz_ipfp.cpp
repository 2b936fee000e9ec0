// Random pairs through ipfp, to be run under the sanitizers: graphedx_fuzz_ipfp [pairs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "graphedx/exact.hpp"
#include "graphedx/ipfp.hpp"
#include "graphedx/mapping.hpp"

using namespace graphedx;

namespace {

std::mt19937 rng;

int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

Graph random_graph(int n, bool directed, int node_classes, int edge_classes) {
  std::vector<int> classes(n);
  for (int& c : classes) c = below(node_classes);
  std::vector<Edge> edges;
  const int density = below(10);
  for (int i = 0; i < n; ++i)
    for (int j = directed ? 0 : i + 1; j < n; ++j)
      if (i != j && below(10) < density) edges.push_back({i, j, below(edge_classes)});
  return Graph(std::move(classes), edges, directed);
}

double random_cost(int regime) {
  switch (regime) {
    case 0: return below(4);
    case 1: return below(1000) / 317.0;
    case 2: return std::pow(10.0, below(13) - 6);
    case 3: return below(8) == 0 ? 1e9 : below(4);  // dear enough to be forbidden
    default: return 0.825 * below(3) + 5.5 * below(2);
  }
}

CostTables random_costs(int node_classes, int edge_classes) {
  const int regime = below(5);
  const auto fill = [&](int size, bool substitution) {
    std::vector<double> table(size);
    for (double& cost : table) cost = regime == 3 && !substitution ? below(4) : random_cost(regime);
    return table;
  };
  return {fill(node_classes, false), fill(node_classes, false), fill(node_classes * node_classes, true),
          fill(edge_classes, false), fill(edge_classes, false), fill(edge_classes * edge_classes, true)};
}

/// What is wrong with the mapping, or null.
template <class W>
const char* fault(const Weights<W>& weights, const std::vector<int>& column_of, W value) {
  if (static_cast<int>(column_of.size()) != weights.rows) return "wrong size";
  std::vector<char> used(weights.columns, 0);
  for (int i = 0; i < weights.rows; ++i) {
    const int c = column_of[i];
    if (c >= weights.columns || c < -1) return "no such column";
    if (c < 0 && weights.mandatory) return "a row that must be mapped is not";
    if (c < 0) continue;
    if (used[c]++) return "two rows on one column";
    if (weights.is_forbidden(i, c)) return "a forbidden cell";
  }
  return value == weights.value_of(column_of) ? nullptr : "value is not that of the mapping";
}

template <class W>
const char* fault_of_a_run(const Problem& problem, int starts, double seconds, std::vector<int>& column_of) {
  const Weights<W> weights(problem);
  std::vector<int> again;
  W value = 0, value_again = 0, better = 0;
  Deadline limit(seconds, nullptr, {}), none(INFINITY, nullptr, {});
  Ipfp<W>(weights, limit).run(starts, column_of, value);
  if (const char* what = fault(weights, column_of, value)) return what;
  if (seconds < 1e9) return nullptr;
  Ipfp<W>(weights, none).run(starts, again, value_again);
  if (again != column_of || value_again != value) return "not deterministic";
  better = value;
  Ipfp<W>(weights, none).run(2 * starts, again, better);
  return better < value ? "a second run lost what it was given" : fault(weights, again, better);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 2000;
  rng.seed(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1u);
  int optimal = 0, mandatory = 0;
  for (int p = 0; p < pairs; ++p) {
    const bool directed = below(2);
    const int node_classes = 1 + below(3), edge_classes = 1 + below(3), most = below(20) == 0 ? 90 : 9;
    const Graph a = random_graph(below(most), directed, node_classes, edge_classes);
    const Graph b = random_graph(below(most), directed, node_classes, edge_classes);
    const CostTables costs = random_costs(node_classes, edge_classes);
    const Problem problem(a, b, costs);
    const bool small = most == 9;
    const double seconds = small ? INFINITY : 0.001 * below(3);
    std::vector<int> columns;
    const char* what = Weights<std::int32_t>::fits(problem) && below(2)
                           ? fault_of_a_run<std::int32_t>(problem, below(12), seconds, columns)
                           : fault_of_a_run<std::int64_t>(problem, below(12), seconds, columns);
    if (what) return std::printf("pair %d: %s\n", p, what), 1;
    mandatory += problem.mandatory;
    if (!small) continue;
    Deadline none(INFINITY, nullptr, {});
    const double truth = solve_exact(a, b, costs, INFINITY, none).upper;
    const double upper = induced_cost(a, b, costs, problem.images(columns));
    if (upper < truth * (1 - 1e-9)) return std::printf("pair %d: below the distance\n", p), 1;
    optimal += upper <= truth * (1 + 1e-9) + 1e-12;
  }
  std::printf("%d pairs agree; %d optimal, %d with mandatory rows\n", pairs, optimal, mandatory);
  return 0;
}
