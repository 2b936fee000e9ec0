// The anchor tree on random pairs against all mappings, and sweeps over random graphs, to be run under the sanitizers: graphedx_fuzz_tree [pairs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "graphedx/anchor_tree.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/sweep.hpp"
#include "random_pairs.hpp"

using namespace graphedx;

namespace {

/// Most savings of any mapping that extends the first `row` images.
std::int64_t most_savings(const Weights<std::int64_t>& w, std::vector<int>& columns, int row, unsigned used) {
  if (row == w.rows) return w.value_of(columns) / w.scale;
  std::int64_t best = INT64_MIN;
  for (int j = -1; j < w.columns; ++j) {
    if (j >= 0 && ((used >> j & 1) || w.is_forbidden(row, j))) continue;
    columns[row] = j;
    best = std::max(best, most_savings(w, columns, row + 1, j < 0 ? used : used | 1u << j));
  }
  columns[row] = -1;
  return best;
}

struct Pair {
  const Graph& source;
  const Graph& target;
  const CostTables& costs;
  const Problem& problem;
  std::int64_t most;  // what the best mapping saves
};

/// What is wrong with the outcome of a search, or nothing.
template <class W>
std::string fault(const Pair& pair, const AnchorTree<W>& tree, std::int64_t threshold) {
  const Problem& problem = pair.problem;
  const std::int64_t best = tree.best_savings();
  if (best > pair.most) return "saves more than is possible";
  if (Weights<W>(problem).value_of(tree.best_columns()) / Weights<W>(problem).scale != best) return "miscounts";
  if (std::max({best, threshold, tree.savings_bound()}) < pair.most) return "savings bound too low";
  if (tree.root_bound() < pair.most) return "root bound too low";
  if (tree.finished() && best < pair.most && pair.most > threshold) return "claims a proof";
  const double promised = static_cast<double>(problem.base - problem.step * best) * problem.lattice.unit();
  const double paid = induced_cost(pair.source, pair.target, pair.costs, problem.images(tree.best_columns()));
  const double error = problem.lattice.error(problem.most_terms(), promised) + 1e-12 * promised;
  // A mapping that keeps rows apart which substitute for free may be cheaper than it looks, never dearer.
  return paid > promised + error ? "costs more than it says" : "";
}

template <class W>
std::string check(const Pair& pair) {
  Deadline forever(INFINITY, nullptr, nullptr);
  for (const std::size_t bytes : {AnchorTree<W>::kNodeBytes, std::size_t{0}, std::size_t{20000}}) {
    AnchorTree<W> tree(pair.problem, forever, bytes), again(pair.problem, forever, bytes);
    tree.best_first(-1);
    again.best_first(-1);
    if (const auto text = fault(pair, tree, -1); !text.empty()) return "best first: " + text;
    if (!tree.finished() || tree.best_savings() != pair.most) return "best first: no proof";
    if (tree.best_columns() != again.best_columns() || tree.nodes() != again.nodes()) return "best first: not the same twice";
  }
  const std::int64_t threshold = pair.most + below(5) - 2;
  AnchorTree<W> limited(pair.problem, forever);
  limited.best_first(threshold);
  if (const auto text = fault(pair, limited, threshold); !text.empty()) return "threshold: " + text;
  if (!limited.finished() || (pair.most > threshold) != (limited.best_savings() > threshold)) return "threshold: no proof";

  Deadline soon(1e-6 * below(40), nullptr, nullptr);
  AnchorTree<W> hasty(pair.problem, soon, below(2) ? 0 : AnchorTree<W>::kNodeBytes);
  hasty.best_first(-1);
  if (const auto text = fault(pair, hasty, -1); !text.empty()) return "out of time: " + text;

  for (const int width : {1, 2, 5, 1000}) {
    AnchorTree<W> tree(pair.problem, forever), again(pair.problem, forever);
    tree.beam(width);
    again.beam(width);
    if (const auto text = fault(pair, tree, -1); !text.empty()) return "beam: " + text;
    if (width == 1000 && !tree.finished()) return "beam: no proof";
    if (tree.best_columns() != again.best_columns() || tree.nodes() != again.nodes()) return "beam: not the same twice";
  }
  Deadline sooner(1e-6 * below(40), nullptr, nullptr);
  AnchorTree<W> cut(pair.problem, sooner);
  cut.beam(3);
  if (const auto text = fault(pair, cut, -1); !text.empty()) return "beam out of time: " + text;
  return "";
}

/// Every row once, forwards and backwards, each next to one before it unless it begins a component; and parts of slack that
/// leave something to the row and to the edges behind.
std::string fault_of_sweep(const Graph& graph) {
  const Sweep sweep(graph);
  const int n = graph.size();
  std::vector<int> place(n, -1);
  for (int p = 0; p < n; ++p) {
    const int i = sweep.row(p, false);
    if (place[i] >= 0 || sweep.row(n - 1 - p, true) != i) return "a row twice, or not backwards";
    place[i] = p;
  }
  int neighbours_to_come = 0;  // of rows before this one
  for (int p = 0; p < n; ++p) {
    const int i = sweep.row(p, false), degree = graph.degree(i);
    int earlier = 0;
    for (int s = 0; s < degree; ++s) earlier += place[graph.neighbours(i)[s].node] < p;
    if (earlier == 0 && neighbours_to_come > 0) return "a component begins before the last one ends";
    neighbours_to_come += degree - 2 * earlier;
    for (const bool backwards : {false, true})
      for (int s = 0; s < degree; ++s)
        if (const int part = sweep.parts(graph.first(i), backwards)[s]; part <= 0 || part >= Sweep::kWhole)
          return "a part that is nothing or all";
  }
  return "";
}

/// Like a molecule: a forest with few edges more, so full of equal branches.
Graph random_sparse_graph(int n, bool directed, int node_classes, int edge_classes) {
  std::vector<int> classes(n);
  for (int& c : classes) c = below(node_classes);
  std::vector<Edge> edges;
  for (int i = 1; i < n; ++i)
    if (below(8) > 0) edges.push_back({below(i), i, below(edge_classes)});
  for (int i = 2; i < n; ++i) {
    const int j = below(i);
    if (below(6) == 0 && std::none_of(edges.begin(), edges.end(), [&](const Edge& e) { return e.source == j && e.target == i; }))
      edges.push_back({j, i, below(edge_classes)});
  }
  return Graph(std::move(classes), edges, directed);
}

/// Too large for all mappings: best first, with memory and without, against the exact search.
template <class W>
bool agrees_with_exact(const Graph& a, const Graph& b, const CostTables& costs, const Problem& problem) {
  Deadline forever(INFINITY, nullptr, nullptr);
  const double truth = solve_exact(Task{a, b, costs}, forever).upper;
  AnchorTree<W> tree(problem, forever), deep(problem, forever, 20000), wide(problem, forever);
  tree.best_first(-1);
  deep.best_first(-1);
  wide.beam(1 + below(50));
  const double cost = induced_cost(a, b, costs, problem.images(tree.best_columns()));
  const double error = problem.lattice.error(problem.most_terms(), truth) + 1e-12 * truth;
  return tree.finished() && deep.finished() && tree.best_savings() == deep.best_savings() &&
         std::abs(cost - truth) <= error && wide.best_savings() <= tree.best_savings() &&
         std::max(wide.best_savings(), wide.savings_bound()) >= tree.best_savings();
}

template <class W>
bool is_in_time(const Problem& problem, bool level_by_level) {
  const auto start = Deadline::Clock::now();
  Deadline soon(0.05, nullptr, nullptr);
  AnchorTree<W> tree(problem, soon);
  level_by_level ? tree.beam(20) : tree.best_first(-1);
  const double seconds = std::chrono::duration<double>(Deadline::Clock::now() - start).count();
  return seconds < 5 && Weights<W>(problem).value_of(tree.best_columns()) / Weights<W>(problem).scale == tree.best_savings();
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 10000;
  rng.seed(argc > 2 ? std::atoi(argv[2]) : 0);
  for (int p = 0; p < pairs; ++p) {
    const bool directed = below(2);
    const int node_classes = 1 + below(3), edge_classes = 1 + below(3);
    const Graph a = random_graph(below(6), directed, node_classes, edge_classes);
    const Graph b = random_graph(below(7), directed, node_classes, edge_classes);
    const CostTables costs = random_costs(node_classes, edge_classes);
    const Problem problem(a, b, costs);
    const Weights<std::int64_t> weights(problem);
    std::vector<int> columns(problem.rows, -1);
    const Pair pair{a, b, costs, problem, most_savings(weights, columns, 0, 0)};
    std::string text = check<std::int64_t>(pair);
    for (const Graph* graph : {&a, &b})
      if (text.empty()) text = fault_of_sweep(*graph);
    if (text.empty() && Weights<std::int32_t>::fits(problem)) text = check<std::int32_t>(pair);
    if (!text.empty()) return std::printf("pair %d: %s\n", p, text.c_str()), 1;
  }
  for (int p = 0; p < pairs / 20; ++p) {
    const bool directed = below(2);
    const int node_classes = 1 + below(3), edge_classes = 1 + below(3);
    const Graph a = random_sparse_graph(5 + below(5), directed, node_classes, edge_classes);
    const Graph b = random_sparse_graph(5 + below(5), directed, node_classes, edge_classes);
    const CostTables costs = random_costs(node_classes, edge_classes);
    const Problem problem(a, b, costs);
    if (!(Weights<std::int32_t>::fits(problem) ? agrees_with_exact<std::int32_t>(a, b, costs, problem)
                                               : agrees_with_exact<std::int64_t>(a, b, costs, problem)))
      return std::printf("middle-sized pair %d\n", p), 1;
  }
  for (int p = 0; p < 20; ++p) {  // larger ones, for the paths that small graphs never take
    const bool directed = below(2);
    const Graph a = random_graph(60 + below(100), directed, 3, 2), b = random_graph(60 + below(140), directed, 3, 2);
    const CostTables costs = random_costs(3, 2);
    const Problem problem(a, b, costs);
    for (const bool level_by_level : {false, true})
      if (!(Weights<std::int32_t>::fits(problem) ? is_in_time<std::int32_t>(problem, level_by_level)
                                                 : is_in_time<std::int64_t>(problem, level_by_level)))
        return std::printf("large pair %d\n", p), 1;
  }
  std::printf("%d passed, 0 failed\n", pairs + pairs / 20 + 20);
}
