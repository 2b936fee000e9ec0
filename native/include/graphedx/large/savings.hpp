// The savings problem of problem.hpp for large graphs: node savings by class instead of by node pair.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/graph.hpp"
#include "graphedx/problem.hpp"

namespace graphedx {

/// What is saved, in integers fine enough for an edge's saving to be split between its two ends.
using Weight = std::int64_t;

/// cost = base - step * savings in units of the lattice, exactly as in Problem; a weight is savings times `scale`.
/// Memory O(n + m) plus node classes x node classes and edge kinds x edge kinds.
struct Savings {
  static constexpr Weight kForbidden = -(Weight{1} << 59);

  /// `complete` stays false if the deadline passed first; nothing else may then be used.
  Savings(const Graph& source, const Graph& target, const CostTables& costs, Problem::Ties ties, Deadline& deadline);

  bool complete = false;
  const Graph *a, *b;  ///< rows (the smaller graph) and columns
  bool tied;           ///< neither graph is smaller
  bool swapped;        ///< rows are the target's nodes
  bool mandatory = true;
  int rows, columns;
  int column_kinds;  ///< kinds of the column graph, plus 1 for "not joined"
  std::vector<int> row_class, column_class;
  int row_classes, column_classes;  ///< only those that occur
  std::vector<Weight> node;         // (row classes, column classes); kForbidden where no optimum ever maps
  std::vector<Weight> edge;         // (row kinds + 1, column kinds + 1)
  Weight base = 0, step = 1, scale = 2;
  Lattice lattice;

  Weight class_weight(int x, int y) const { return node[static_cast<std::size_t>(x) * column_classes + y]; }
  Weight node_weight(int i, int j) const { return class_weight(row_class[i], column_class[j]); }
  Weight edge_weight(int s, int t) const { return edge[static_cast<std::size_t>(s) * column_kinds + t]; }
  bool may_map(int i, int j) const { return node_weight(i, j) != kForbidden; }

  /// Weight of row i at column j next to its neighbours where they are now. O(smaller degree * log).
  Weight gain(int i, int j, const std::vector<int>& column_of, const std::vector<int>& row_of) const;
  /// Weight of a mapping. If `mandatory`, only for mappings of every row.
  Weight value_of(const std::vector<int>& column_of) const;
  double most_terms() const {
    return rows + columns + static_cast<double>(a->edges().size() + b->edges().size());
  }
  /// Source images (-1: deleted) of a row-to-column assignment.
  std::vector<int> images(const std::vector<int>& column_of) const;

 private:
  void shift_and_divide(Deadline& deadline);
  void choose_scale();
};

}  // namespace graphedx
