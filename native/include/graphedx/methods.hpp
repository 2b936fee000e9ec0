// Every native method, by name.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "graphedx/answer.hpp"

namespace graphedx {

// One source file a method. All are deterministic, except for where a time limit strikes; all answers are certified.

/// The distance by branch and bound. With a finite cutoff, distances above it are only proven to be above it. Memory
/// O(n^2 + m^2) plus a few MB at most; time exponential in the worst case.
Answer solve_exact(const Task& task, Deadline& deadline);

/// The distance by best-first search with the anchor-aware bound, depth first once 64 MB of nodes are open. Cutoff and time
/// as in solve_exact.
Answer solve_anchor_aware(const Task& task, Deadline& deadline);

/// The portfolio: the best interval that the time allows.
Answer solve_auto(const Task& task, Deadline& deadline);

/// Lower bound: every node and edge finds its nearest in the other graph. O(n n') time, O(n + m + s s') memory for s and s'
/// types of stars.
Answer solve_hed(const Task& task, Deadline& deadline);

/// Upper bound: assignment of nodes with whole stars (Riesen and Bunke). O(n^3).
Answer solve_bipartite(const Task& task, Deadline& deadline);

/// Lower and upper bound: assignment of nodes with half of each edge at either end. O(n^3).
Answer solve_branch(const Task& task, Deadline& deadline);

/// Lower and upper bound: `branch`, and then up to `effort` rounds that move edge costs to where there is room for them.
/// O(m m') memory and time a round, plus an assignment.
Answer solve_branch_tight(const Task& task, Deadline& deadline);

/// Lower and upper bound: the same tree level by level, `effort` expansions in all. Proven if that was enough.
Answer solve_beam(const Task& task, Deadline& deadline);

/// Upper bound: Frank-Wolfe steps on the relaxed problem, from `effort` starts.
Answer solve_ipfp(const Task& task, Deadline& deadline);

/// Lower and upper bound for graphs of thousands of nodes: memory in proportion to nodes, edges, candidate pairs and pairs
/// of labels.
Answer solve_large(const Task& task, Deadline& deadline);

/// Upper bound (and the lower bound met on the way): local search from `effort` starts.
Answer solve_refine(const Task& task, Deadline& deadline);

using Solver = Answer (*)(const Task& task, Deadline& deadline);

/// Whether a method keeps a table of all node pairs, or only lists in proportion to the graphs.
enum class Memory { kTable, kLists };

/// A method asked for graphs that it cannot hold.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws TooLarge if a table of all node pairs would not fit.
void check_table(const std::string& name, const Task& task);
bool fits_table(const Task& task);  ///< whether that would not throw

struct Method {
  std::string name;
  Solver solve;
  Memory needs;

  /// Solves; throws TooLarge if the table would not fit, and answers at once if there is no time to fill it.
  Answer operator()(const Task& task, Deadline& deadline) const;
};

/// Throws std::invalid_argument if there is none of that name.
Method find_method(const std::string& name);
std::vector<std::string> method_names();

}  // namespace graphedx
