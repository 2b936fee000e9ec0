// Random graphs against all permutations, and renamed copies; to be run under the sanitizers:
// graphedx_fuzz_isomorphism [pairs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "graphedx/deadline.hpp"
#include "graphedx/isomorphism.hpp"
#include "random_pairs.hpp"

using namespace graphedx;

namespace {

struct Parts {
  std::vector<int> classes;
  std::vector<Edge> edges;
  bool directed;

  Graph graph() const { return Graph(classes, edges, directed); }
  Outline outline() const { return Outline(classes, edges, directed); }
};

Parts parts_of(const Graph& graph) {
  Parts parts{{}, graph.edges(), graph.directed()};
  for (int i = 0; i < graph.size(); ++i) parts.classes.push_back(graph.node_class(i));
  return parts;
}

Parts renamed(const Parts& parts, const std::vector<int>& image) {
  Parts other = parts;
  for (std::size_t i = 0; i < image.size(); ++i) other.classes[image[i]] = parts.classes[i];
  for (Edge& e : other.edges) e = {image[e.source], image[e.target], e.label_class};
  return other;
}

std::vector<int> random_order(int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  return order;
}

bool is_isomorphism(const Graph& a, const Graph& b, const std::vector<int>& image) {
  for (int i = 0; i < a.size(); ++i) {
    if (a.node_class(i) != b.node_class(image[i])) return false;
    for (int j = 0; j < a.size(); ++j) {
      const int k = a.kind(i, j), l = b.kind(image[i], image[j]);
      if ((k == 0) != (l == 0)) return false;
      if (k && code_of(a.kinds()[k - 1]) != code_of(b.kinds()[l - 1])) return false;
    }
  }
  return true;
}

bool by_brute_force(const Graph& a, const Graph& b) {
  if (a.size() != b.size()) return false;
  std::vector<int> image(a.size());
  std::iota(image.begin(), image.end(), 0);
  do {
    if (is_isomorphism(a, b, image)) return true;
  } while (std::next_permutation(image.begin(), image.end()));
  return false;
}

/// What is wrong, or null.
const char* fault(const Parts& a, const Parts& b) {
  Deadline forever(INFINITY, nullptr, nullptr);
  const Outline x = a.outline(), y = b.outline(), z = renamed(a, random_order(x.size())).outline();
  if (!isomorphic(x, z, forever)) return "a renamed copy is another graph";
  if (canonical_hash(x, forever) != canonical_hash(z, forever)) return "the hash sees names";
  const bool same = by_brute_force(a.graph(), b.graph());
  if (isomorphic(x, y, forever) != same) return same ? "isomorphic graphs differ" : "different graphs are isomorphic";
  IsomorphismClasses classes;
  if (classes.place(x, forever) != 0 || classes.place(z, forever) != 0) return "a copy in another class";
  return classes.place(y, forever) == (same ? 0 : 1) ? nullptr : "the wrong class";
}

/// Circles of n nodes in all: regular, so that refinement alone says nothing.
Parts circles(int n, bool directed) {
  Parts parts{std::vector<int>(n, 0), {}, directed};
  for (int start = 0; start < n;) {
    const int rest = n - start, drawn = rest < 6 ? rest : 3 + below(rest - 4);
    const int size = drawn > rest - 3 ? rest : drawn;
    for (int i = 0; i < size; ++i) parts.edges.push_back({start + i, start + (i + 1) % size, 0});
    start += size;
  }
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 10000;
  rng.seed(argc > 2 ? std::atoi(argv[2]) : 0);
  for (int p = 0; p < pairs; ++p) {
    const bool directed = below(2);
    const int n = below(7), node_classes = 1 + below(2), edge_classes = 1 + below(2);
    const auto some = [&] {
      if (p % 4 == 0 && n >= 3) return circles(n, directed);
      return parts_of(random_graph(n, directed, node_classes, edge_classes));
    };
    if (const char* what = fault(some(), some())) return std::printf("pair %d: %s\n", p, what), 1;
  }
  for (int p = 0; p < 50; ++p) {  // larger ones, which have to be told apart by refinement and branching
    const bool directed = below(2);
    const int n = 20 + below(60);
    const Parts parts = p % 2 ? circles(n, directed) : parts_of(random_graph(n, directed, 2, 2));
    const Parts copy = renamed(parts, random_order(n));
    Deadline forever(INFINITY, nullptr, nullptr), now(0, nullptr, nullptr);
    if (!isomorphic(parts.outline(), copy.outline(), forever)) return std::printf("large pair %d: not found\n", p), 1;
    IsomorphismClasses classes;
    if (classes.place(parts.outline(), now) != -1 || classes.place(parts.outline(), forever) != 0)
      return std::printf("large pair %d: placed without time\n", p), 1;
  }
  std::printf("%d passed, 0 failed\n", pairs + 50);
}
