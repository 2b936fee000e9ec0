// Nodes that look alike from near by: what a bound or a construction cannot tell apart it need not look at twice.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/large/savings.hpp"

namespace graphedx {

/// A partition of the nodes of one graph.
struct NodeTypes {
  std::vector<int> type_of;
  std::vector<std::vector<int>> members;  ///< of each type, in increasing order

  int size() const { return static_cast<int>(members.size()); }
  int representative(int type) const { return members[type][0]; }
};

/// How much of a node's surroundings its type records.
enum class Detail { kKinds, kDegree, kClass };

/// Types of the rows (or columns): the node's class and the kinds of its edges, their number, or the class alone.
NodeTypes types_of(const Savings& savings, bool rows, Detail detail);

/// Weisfeiler-Leman colours of both graphs on one palette: colours that agree at depth d mean neighbourhoods that look
/// alike up to distance d. Classes and kinds of the two graphs are identified where each is the other's best partner.
struct Colours {
  std::vector<std::vector<int>> of_rows, of_columns;  // (depth, node)
  std::vector<int> row_kinds, column_kinds;           // common names of the kinds of edges

  int depth() const { return static_cast<int>(of_rows.size()) - 1; }
  /// Greatest depth up to which row i and column j look alike; -1 if their classes differ.
  int agreement(int i, int j) const {
    int d = -1;
    while (d < depth() && of_rows[d + 1][i] == of_columns[d + 1][j]) ++d;
    return d;
  }
};

/// What a branch looks like up to some depth: the node, and all but the node that it was reached from. Hubs that differ
/// in one branch out of many differ in colour, and so does everything next to them; the other branches still look alike.
std::uint64_t branch_look(const Savings& savings, const Colours& colours, bool rows, int node, int from, int depth);

/// Stops at `most_depth`, when colours no longer split, or at the deadline. O(depth * m log m).
Colours refine_together(const Savings& savings, int most_depth, Deadline& deadline);

}  // namespace graphedx
