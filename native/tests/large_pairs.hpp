// Random pairs of 0 to 900 nodes for the fuzz test of limits: sparse, dense and regular graphs, and costs of extreme ratios.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "random_pairs.hpp"

namespace graphedx {

/// Uniform in the logarithm, between `low` and `high`.
inline double between(double low, double high) {
  return low * std::pow(high / low, static_cast<double>(rng()) / static_cast<double>(rng.max()));
}

/// A graph as lists, so that it can be edited before it is built.
struct Draft {
  std::vector<int> classes;
  std::vector<Edge> edges;
  bool directed;

  Graph graph() const { return Graph(classes, edges, directed); }
};

struct Vocabulary {
  int nodes, edges;  // label classes
};

class DraftBuilder {
 public:
  DraftBuilder(int n, bool directed, Vocabulary labels) : labels_(labels) {
    draft_.directed = directed;
    for (int i = 0; i < n; ++i) draft_.classes.push_back(below(labels.nodes));
  }

  void join(int i, int j) {
    if (i == j) return;
    const auto ends = draft_.directed ? std::pair{i, j} : std::pair{std::min(i, j), std::max(i, j)};
    if (seen_.insert(ends).second) draft_.edges.push_back({ends.first, ends.second, below(labels_.edges)});
  }

  Draft take() { return std::move(draft_); }

 private:
  Vocabulary labels_;
  Draft draft_;
  std::set<std::pair<int, int>> seen_;
};

/// A forest with some more edges, a random graph of any density, a dense one, a ring with chords, a grid, stars, or no edge
/// at all. Dense pairs exceed the number of edges up to which a first mapping is tried.
inline Draft random_draft(int n, bool directed, Vocabulary labels) {
  constexpr int kMostEdges = 12000;
  DraftBuilder builder(n, directed, labels);
  switch (n < 2 ? 0 : below(7)) {
    case 0: break;
    case 1:
      for (int i = 1; i < n; ++i)
        if (below(10)) builder.join(below(i), i);
      for (int extra = below(n); extra > 0; --extra) builder.join(below(n), below(n));
      break;
    case 2: {
      const double pairs = n * (n - 1.0) / (directed ? 1 : 2);
      for (int edge = static_cast<int>(std::min<double>(kMostEdges, pairs * between(0.01, 1))); edge > 0; --edge)
        builder.join(below(n), below(n));
      break;
    }
    case 3: {
      const int percent = n <= 320 ? 20 + below(80) : 2;
      for (int i = 0; i < n; ++i)
        for (int j = directed ? 0 : i + 1; j < n; ++j)
          if (below(100) < percent) builder.join(i, j);
      break;
    }
    case 4:
      for (const int step : {1, 1 + below(5)})
        for (int i = 0; i < n; ++i) builder.join(i, (i + step) % n);
      break;
    case 5: {
      const int width = 1 + below(static_cast<int>(std::sqrt(n)) + 1);
      for (int i = 0; i < n; ++i) {
        if (i % width) builder.join(i - 1, i);
        if (i >= width) builder.join(i - width, i);
      }
      break;
    }
    default: {
      const int centres = 1 + below(4);
      for (int i = centres; i < n; ++i) builder.join(i, i % centres);
    }
  }
  return builder.take();
}

/// The same graph with its nodes in another order and a few edits.
inline Draft edited(const Draft& draft, Vocabulary labels) {
  const int n = static_cast<int>(draft.classes.size());
  std::vector<int> place(n);
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), rng);
  DraftBuilder builder(n + below(3), draft.directed, labels);
  const int lost = below(4);
  for (const Edge& e : draft.edges)
    if (below(static_cast<int>(draft.edges.size())) >= lost) builder.join(place[e.source], place[e.target]);
  Draft result = builder.take();
  for (int i = 0; i < n; ++i) result.classes[place[i]] = below(30) ? draft.classes[i] : below(labels.nodes);
  return result;
}

inline int random_size() {
  switch (below(16)) {
    case 0: return below(4);
    case 1:
    case 2:
    case 3: return 4 + below(27);
    case 4: return 300 + below(601);
    default: return static_cast<int>(between(30, 300));
  }
}

inline double extreme_cost(int regime) {
  switch (regime) {
    case 0: return below(4);
    case 1: return static_cast<double>(rng()) / 1e9;            // real-valued
    case 2: return below(5) ? between(1e-9, 1e9) : 0;           // real-valued, huge ratios, zeros
    case 3: return std::pow(10.0, below(19) - 9);               // powers of ten
    case 4: return below(3) ? 0 : below(2);                     // mostly zeros
    case 5: return between(1e-300, 1e-290);                     // below every lattice
    case 6: return between(1e280, 1e290);                       // close to the largest cost
    default: return 0.825 * below(3) + 5.5 * below(2);
  }
}

/// Substitutions may have a regime of their own; equal labels often cost nothing.
inline CostTables extreme_costs(Vocabulary labels) {
  const int regime = below(8);
  const auto fill = [&](int size) {
    const int own = below(4) ? regime : below(5);
    const bool constant = below(2);
    std::vector<double> table(size, extreme_cost(own));
    for (double& cost : table)
      if (!constant) cost = extreme_cost(own);
    return table;
  };
  const auto fill_square = [&](int size) {
    std::vector<double> table = fill(size * size);
    const bool free = below(3) > 0;
    const double huge = below(2) ? 1e290 : 1e9;
    const int rarely = below(3) ? 0 : 1 + below(4);
    for (int a = 0; a < size; ++a)
      for (int b = 0; b < size; ++b) {
        double& cost = table[static_cast<std::size_t>(a) * size + b];
        if (rarely && below(rarely) == 0) cost = huge;
        if (free && a == b) cost = 0;
      }
    return table;
  };
  CostTables costs;
  costs.node_del = fill(labels.nodes), costs.node_ins = fill(labels.nodes), costs.node_sub = fill_square(labels.nodes);
  costs.edge_del = fill(labels.edges), costs.edge_ins = fill(labels.edges), costs.edge_sub = fill_square(labels.edges);
  return costs;
}

}  // namespace graphedx
