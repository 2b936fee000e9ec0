// Random pairs through every method, against a brute force; to be run under the sanitizers: graphedx_fuzz [pairs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "graphedx/bracket.hpp"
#include "graphedx/improve.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/methods.hpp"
#include "mapping_faults.hpp"
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
bool at_most(double x, double y) { return x <= y || agrees(x, y); }

const char* fault(const Task& task, const Answer& answer, double truth) {
  if (const char* what = fault(task, answer)) return what;
  if (!at_most(answer.lower, truth)) return "a lower bound above the distance";
  return at_most(truth, answer.upper) ? nullptr : "an upper bound below the distance";
}

bool is_exact(const std::string& name) { return name == "exact" || name == "auto" || name == "anchor_aware"; }

const char* fault_of_method(const std::string& name, const Task& task, double truth) {
  Deadline forever(INFINITY, nullptr, nullptr), again(INFINITY, nullptr, nullptr), now(0, nullptr, nullptr);
  const Method solve = find_method(name);
  const Answer answer = solve(task, forever), same = solve(task, again);
  if (const char* what = fault(task, answer, truth)) return what;
  if (answer.lower != same.lower || answer.images != same.images) return "another answer to the same question";
  if (is_exact(name) && answer.stop != Stop::kProved) return "no proof";
  return fault(task, solve(task, now), truth);
}

/// Any mapping, drawn node by node.
std::vector<int> random_images(const Graph& a, const Graph& b) {
  std::vector<int> images(a.size(), -1);
  for (int& image : images) {
    const int j = below(b.size() + 1) - 1;
    if (std::find(images.begin(), images.end(), j) == images.end()) image = j;
  }
  return images;
}

const char* fault_of_improvement(const Task& task, double truth) {
  Deadline forever(INFINITY, nullptr, nullptr);
  const std::vector<int> images = random_images(task.source, task.target);
  const Answer answer = improved(task, images, forever);
  if (answer.upper > induced_cost(task.source, task.target, task.costs, images)) return "dearer than the start";
  return fault(task, answer, truth);
}

/// The beam's answer, and evidence that fits it.
const char* fault_of_bracket(const Task& task, double truth) {
  Deadline forever(INFINITY, nullptr, nullptr), again(INFINITY, nullptr, nullptr);
  const Bracket found = bracket(task, forever);
  const Answer beam = solve_beam(task, again);
  if (const char* what = fault(task, found.answer, truth)) return what;
  if (found.answer.lower != beam.lower || found.answer.images != beam.images) return "another answer than the beam's";
  if (!(found.root_lower <= found.answer.lower)) return "more proven before the search than after it";
  if (!(found.shared > 0 && std::isfinite(found.shared) && found.step >= 0)) return "no unit";
  if (!(found.hope >= 0 && found.open[0] >= found.open[1] && found.open[1] >= found.open[2])) return "counts that do not nest";
  const double steps = found.step > 0 ? (found.answer.upper - truth) / found.step : 0;
  return std::abs(steps - std::round(steps)) <= 1e-6 * std::max(1.0, std::abs(steps)) ? nullptr : "a distance between the steps";
}

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
    for (const std::string& name : method_names())
      if (const char* what = fault_of_method(name, Task{a, b, costs, INFINITY, 1 + below(12)}, best))
        return std::printf("pair %d, %s: %s\n", p, name.c_str(), what), 1;
    if (const char* what = fault_of_improvement(Task{a, b, costs}, best))
      return std::printf("pair %d, improved: %s\n", p, what), 1;
    if (const char* what = fault_of_bracket(Task{a, b, costs, INFINITY, 1 + below(12)}, best))
      return std::printf("pair %d, bracket: %s\n", p, what), 1;
  }
  for (int p = 0; p < 20; ++p) {  // larger ones, for the paths that small graphs never take
    const bool directed = below(2);
    const Graph a = random_graph(60 + below(40), directed, 3, 2), b = random_graph(60 + below(80), directed, 3, 2);
    const CostTables costs = random_costs(3, 2);
    for (const std::string& name : method_names()) {
      const Task task{a, b, costs, INFINITY, 10};
      Deadline soon(0.05, nullptr, nullptr);
      if (const char* what = fault(task, find_method(name)(task, soon)))
        return std::printf("large pair %d, %s: %s\n", p, name.c_str(), what), 1;
    }
  }
  std::printf("%d passed, 0 failed\n", pairs + 20);
}
