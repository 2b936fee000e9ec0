// A savings problem in the integers that a search works with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "graphedx/assignment.hpp"
#include "graphedx/problem.hpp"

namespace graphedx {

template <class W>
struct Weights {
  static constexpr std::int64_t kFineness = 32;  // the least edge saving can be split into twice this many parts

  explicit Weights(const Problem& problem)
      : a(problem.row_graph),
        b(problem.column_graph),
        rows(problem.rows),
        columns(problem.columns),
        stride(std::max(8, (problem.columns + 7) / 8 * 8)),
        column_kinds(problem.column_kinds),
        mandatory(problem.mandatory),
        scale(static_cast<W>(fits(problem) ? preferred_scale(problem) : 2)),
        most(static_cast<W>(problem.most_savings()) * scale),
        node(static_cast<std::size_t>(rows) * stride, -Assignment<W>::kGone),
        edge(problem.edge_savings.size()) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (problem.node_saving(i, j) != Problem::kForbidden)
          node[at(i, j)] = static_cast<W>(problem.node_saving(i, j)) * scale;
    for (std::size_t e = 0; e < edge.size(); ++e) edge[e] = static_cast<W>(problem.edge_savings[e]) * scale;
  }

  /// Whether every sum of weights stays clear of the type's limits.
  static bool fits(const Problem& problem) {
    return problem.most_savings() + 1 < Assignment<W>::kMostWeight / preferred_scale(problem) / 4;
  }

  static std::int64_t preferred_scale(const Problem& problem) {
    std::int64_t least = 0;
    for (std::int64_t saving : problem.edge_savings)
      if (saving > 0 && (least == 0 || saving < least)) least = saving;
    return least == 0 ? 1 : 2 * std::max<std::int64_t>(1, kFineness / least);
  }

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * stride + j; }
  bool is_forbidden(int i, int j) const { return node[at(i, j)] == -Assignment<W>::kGone; }
  W edge_weight(int s, int t) const { return edge[static_cast<std::size_t>(s) * column_kinds + t]; }

  /// A mapping that is always allowed.
  std::vector<int> any_columns() const {
    std::vector<int> columns(rows, -1);
    if (mandatory) std::iota(columns.begin(), columns.end(), 0);
    return columns;
  }

  /// What a full assignment saves; -1 means that a row stays alone.
  W value_of(const std::vector<int>& column_of) const {
    W total = 0;
    for (int i = 0; i < rows; ++i) {
      const int c = column_of[i];
      if (c < 0) continue;
      total += node[at(i, c)];
      const Neighbour* list = a->neighbours(i);
      for (int s = 0; s < a->degree(i) && list[s].node < i; ++s)
        if (column_of[list[s].node] >= 0) total += edge_weight(list[s].kind, b->kind(c, column_of[list[s].node]));
    }
    return total;
  }

  const Graph* a;  // rows
  const Graph* b;  // columns
  int rows, columns, stride, column_kinds;
  bool mandatory;
  W scale;              // weight of one unit of savings: even wherever an edge can be saved
  W most;               // no mapping weighs more
  std::vector<W> node;  // (rows, stride)
  std::vector<W> edge;  // (row kinds + 1, column kinds + 1)
};

}  // namespace graphedx
