// The graphs of a collection that are nearest to a query, proven: filter and verify.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphedx/collection/collection.hpp"
#include "graphedx/collection/screen.hpp"
#include "graphedx/costs.hpp"

namespace graphedx {

struct Wanted {
  std::optional<std::size_t> k;  ///< so many, and all that are as near as the last of them
  double radius;                 ///< or all that are no further than this
  double seconds;
  int threads;
  const std::atomic<bool>* cancelled;
  std::optional<std::int64_t> patience;  ///< nodes of the tree for one graph at one level; if given, `nearest` is in a hurry
  std::vector<double> guessed = {};  ///< in a hurry: distances, about, to look at the nearest first; none if empty
  double unit = 1;                   ///< guesses are a few of these off; an edge's cost
};

struct Found {
  std::vector<std::int64_t> positions;  ///< sorted by upper, then position
  std::vector<double> lower, upper;     ///< equal where proven
  bool complete;                        ///< all that is wanted and nothing else, proven
  double unseen;                        ///< no graph that is not listed is nearer than this
  std::int64_t bounded, searched;       ///< graphs that had bounds of their own, and those of them that took a tree
};

/// Levels of distances are gone through, from the least that any graph can have: at each, the graphs whose lower bound
/// does not exclude it are searched for a mapping that costs no more, which either finds their distance or raises their
/// bound above the level. So no search ever looks further than the answer. Threads change nothing but the time, unless
/// that runs out.
///
/// In a hurry nothing is proven of the answer as a whole, so it is never complete: the graphs that are likely to be nearest
/// are looked at first, those that take more than the patience are left open, and it ends when nearer ones than the k that
/// are found have become unlikely. Each graph still comes with bounds that hold, and threads change nothing here either.
Found nearest(const Collection& collection, const Graph& query, const CostTables& costs, Labels labels,
              const Wanted& wanted);

}  // namespace graphedx
