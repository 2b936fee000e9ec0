// Graph edit distance as a maximisation: delete everything, insert everything, and count what a mapping saves.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/costs.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/graph.hpp"

namespace graphedx {

/// cost = base - step * savings, in units of the lattice, where a mapping saves
///   node_saving(i, j) for every row i mapped to column j, and
///   edge_saving(s, t) >= 0 for every two mapped rows joined by kind s whose images are joined by kind t.
///
/// Rows are the nodes of the smaller graph. If no node saving were negative, some optimum maps every row (`mandatory`):
/// each row's least saving is then a constant, goes into `base`, and all that remains is divided by its greatest
/// common divisor. Without substitution costs a saving is thus simply the number of common edges.
struct Problem {
  static constexpr std::int64_t kForbidden = INT64_MIN;

  /// Which graph gives the rows if both have as many nodes and edges.
  enum class Ties { kKeep, kSwap };

  static bool is_tied(const Graph& source, const Graph& target);
  static bool is_swapped(const Graph& source, const Graph& target, Ties ties);
  /// The cost of deleting everything and inserting everything: no optimum is dearer.
  static double total_cost(const Graph& source, const Graph& target, const CostTables& costs);
  /// A substitution dearer than everything else together is no part of any optimum; forbidden, a huge cost does not eat
  /// the lattice's digits.
  static bool is_forbidden(double substitution, double total);
  /// What a lattice has to have room for: four times the total, and twice the most that all savings could add up to if
  /// every node had the dearest one for itself, which may be many times as much. Ends early when time is up.
  static double range(const Graph& source, const Graph& target, const CostTables& costs, Deadline* deadline = nullptr);

  Problem(const Graph& source, const Graph& target, const CostTables& costs, Ties ties = Ties::kKeep);

  const Graph* row_graph;
  const Graph* column_graph;
  bool tied;     ///< neither graph is smaller
  bool swapped;  ///< rows are the target's nodes
  bool mandatory;
  int rows, columns;
  int column_kinds;  ///< kinds of the column graph, plus 1 for "not joined"
  std::vector<std::int64_t> node_savings;  // (rows, columns); kForbidden where no optimum ever maps i to j
  std::vector<std::int64_t> edge_savings;  // (row kinds + 1, column kinds + 1)
  std::int64_t base = 0;
  std::int64_t step = 1;
  Lattice lattice;

  std::int64_t node_saving(int i, int j) const { return node_savings[static_cast<std::size_t>(i) * columns + j]; }
  std::int64_t edge_saving(int s, int t) const { return edge_savings[static_cast<std::size_t>(s) * column_kinds + t]; }
  /// Upper bound on what any mapping saves, cheap and loose.
  std::int64_t most_savings() const { return most_savings_; }
  /// Most costs that an edit path adds up.
  double most_terms() const {
    return rows + columns + static_cast<double>(row_graph->edges().size() + column_graph->edges().size());
  }
  /// The column of each row (-1: alone) in a mapping given by source images.
  std::vector<int> columns_of(const std::vector<int>& images) const;
  /// A mapping that is always allowed and saves at least 0: nothing is mapped or, where every row must be, row i to
  /// column i.
  std::vector<int> fallback_columns() const;
  /// Source images (-1: deleted) of a row-to-column assignment.
  std::vector<int> images(const std::vector<int>& column_of) const;

 private:
  void find_most_savings();
  std::int64_t most_savings_ = 0;
};

/// The inverse of a partial injection into 0 ... size - 1 (-1: no image, or no origin).
std::vector<int> inverted(const std::vector<int>& images, int size);

}  // namespace graphedx
