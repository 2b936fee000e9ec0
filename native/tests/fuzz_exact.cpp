// Random pairs against a brute force, to be run under the sanitizers: graphedx_fuzz [pairs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "graphedx/exact.hpp"
#include "graphedx/mapping.hpp"
#include "random_pairs.hpp"

using namespace graphedx;

namespace {

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

bool agrees(double x, double y) { return std::abs(x - y) <= 1e-12 * std::max({1e-6, std::abs(x), std::abs(y)}); }

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 10000;
  rng.seed(argc > 2 ? std::atoi(argv[2]) : 0);
  for (int p = 0; p < pairs; ++p) {
    const bool directed = below(2);
    const int node_classes = 1 + below(3), edge_classes = 1 + below(3);
    const Graph a = random_graph(below(6), directed, node_classes, edge_classes);
    const Graph b = random_graph(below(6), directed, node_classes, edge_classes);
    const CostTables costs = random_costs(node_classes, edge_classes);
    double best = INFINITY;
    std::vector<int> images(a.size(), -2);
    all_mappings(a, b, costs, images, 0, best);
    Deadline forever(INFINITY, nullptr, nullptr);
    const ExactResult result = solve_exact(a, b, costs, INFINITY, forever);
    if (result.stop != Stop::kProved || !agrees(result.upper, best)) {
      std::printf("pair %d: brute force %.17g, search %.17g\n", p, best, result.upper);
      return 1;
    }
    Deadline now(0, nullptr, nullptr);
    const ExactResult bounds = solve_exact(a, b, costs, INFINITY, now);
    if (bounds.lower > best * (1 + 1e-12) || bounds.upper < best * (1 - 1e-12)) {
      std::printf("pair %d: [%g, %g] misses %g\n", p, bounds.lower, bounds.upper, best);
      return 1;
    }
  }
  for (int p = 0; p < 20; ++p) {  // larger ones, for the paths that small graphs never take
    const bool directed = below(2);
    const Graph a = random_graph(60 + below(40), directed, 3, 2), b = random_graph(60 + below(80), directed, 3, 2);
    Deadline soon(0.2, nullptr, nullptr);
    const ExactResult result = solve_exact(a, b, random_costs(3, 2), INFINITY, soon);
    if (!(result.lower <= result.upper)) return std::printf("large pair %d: [%g, %g]\n", p, result.lower, result.upper), 1;
  }
  std::printf("%d passed, 0 failed\n", pairs + 20);
}
