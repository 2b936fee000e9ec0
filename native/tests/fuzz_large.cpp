// Random pairs through the solver for large graphs, against a brute force: graphedx_fuzz_large [pairs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "graphedx/exact.hpp"
#include "graphedx/large.hpp"
#include "graphedx/mapping.hpp"

using namespace graphedx;

namespace {

std::mt19937 rng;

int below(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

/// `tenths` is the density, or 0 for a random one.
Graph random_graph(int n, bool directed, int node_classes, int edge_classes, int tenths) {
  std::vector<int> classes(n);
  for (int& c : classes) c = below(node_classes);
  std::vector<Edge> edges;
  const int density = tenths > 0 ? tenths : 1 + below(9);
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
    case 3: return below(3) == 0 ? 0 : 1 + below(3);
    case 4: return below(4) == 0 ? 1e290 : below(5);
    default: return 0.825 * below(3) + 5.5 * below(2);
  }
}

CostTables random_costs(int node_classes, int edge_classes) {
  const int regime = below(6);
  const auto fill = [&](int size, bool substitution) {
    std::vector<double> table(size);
    for (double& cost : table) cost = random_cost(regime == 4 && !substitution ? 0 : regime);
    return table;
  };
  return {fill(node_classes, false), fill(node_classes, false), fill(node_classes * node_classes, true),
          fill(edge_classes, false), fill(edge_classes, false), fill(edge_classes * edge_classes, true)};
}

void all_mappings(const Graph& a, const Graph& b, const CostTables& costs, std::vector<int>& images, unsigned used, double& best) {
  const std::size_t i = static_cast<std::size_t>(std::find(images.begin(), images.end(), -2) - images.begin());
  if (i == images.size()) {
    best = std::min(best, induced_cost(a, b, costs, images));
    return;
  }
  for (int j = -1; j < b.size(); ++j) {
    if (j >= 0 && (used >> j & 1)) continue;
    images[i] = j;
    all_mappings(a, b, costs, images, j < 0 ? used : used | 1u << j, best);
    images[i] = -2;
  }
}

/// Whether the interval holds together by itself and holds `truth`.
bool is_sound(const Interval& r, const Graph& a, const Graph& b, const CostTables& costs, double truth) {
  std::vector<char> used(b.size(), 0);
  for (int j : r.images) {
    if (j < -1 || j >= b.size() || (j >= 0 && used[j])) return false;
    if (j >= 0) used[j] = 1;
  }
  const double slack = 1e-12 * std::max(1e-6, truth);
  return static_cast<int>(r.images.size()) == a.size() && induced_cost(a, b, costs, r.images) == r.upper &&
         r.lower <= truth + slack && truth - slack <= r.upper && r.proved == (r.lower == r.upper);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 10000;
  rng.seed(argc > 2 ? std::atoi(argv[2]) : 0);
  int proved = 0, optimal = 0;
  for (int p = 0; p < pairs; ++p) {
    const bool directed = below(2);
    const int node_classes = 1 + below(3), edge_classes = 1 + below(3);
    const Graph a = random_graph(below(6), directed, node_classes, edge_classes, 0);
    const Graph b = random_graph(below(7), directed, node_classes, edge_classes, 0);
    const CostTables costs = random_costs(node_classes, edge_classes);
    double best = INFINITY;
    std::vector<int> images(a.size(), -2);
    all_mappings(a, b, costs, images, 0, best);
    Deadline forever(INFINITY, nullptr, nullptr), again(INFINITY, nullptr, nullptr), now(0, nullptr, nullptr);
    const Interval result = solve_large(a, b, costs, forever, nullptr), same = solve_large(a, b, costs, again, nullptr);
    const Interval trivial = solve_large(a, b, costs, now, nullptr);
    if (!is_sound(result, a, b, costs, best) || !is_sound(trivial, a, b, costs, best) || result.images != same.images ||
        result.lower != same.lower) {
      std::printf("pair %d: [%.17g, %.17g], [%g, %g] at once, brute force %.17g\n", p, result.lower, result.upper,
                  trivial.lower, trivial.upper, best);
      return 1;
    }
    proved += result.proved;
    optimal += result.upper <= best * (1 + 1e-12);
  }
  for (int p = 0; p < 40; ++p) {  // larger ones, for the paths that small graphs never take
    const bool directed = below(2);
    const int n = 20 + below(p % 4 == 0 ? 300 : 60), tenths = p % 4 == 0 ? 1 : 0;
    const Graph a = random_graph(n, directed, 3, 2, tenths), b = random_graph(20 + below(2 * n), directed, 3, 2, tenths);
    const CostTables costs = random_costs(3, 2);
    Deadline soon(0.3, nullptr, nullptr);
    const Interval r = solve_large(a, b, costs, soon, nullptr);
    if (!is_sound(r, a, b, costs, r.upper)) return std::printf("large pair %d: [%g, %g]\n", p, r.lower, r.upper), 1;
  }
  std::printf("%d passed, 0 failed; %d proved, %d optimal\n", pairs + 40, proved, optimal);
}
