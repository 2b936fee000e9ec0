// The plain assignment bound between types of nodes: every edge saving split evenly, equal nodes taken together.
#pragma once

#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/large/node_types.hpp"
#include "graphedx/star.hpp"

namespace graphedx {

/// Best matchings of neighbourhoods when both ends of an edge pair count half of its saving.
class EvenStars {
 public:
  explicit EvenStars(const Savings& savings);

  /// What the neighbours of cell (i, j) save at most. Exact up to degree 4, and for the first so many larger stars;
  /// beyond that from the numbers of edges of each kind.
  Weight best(int i, int j);
  /// The same from the degrees alone.
  Weight loose(int i, int j) const {
    return static_cast<Weight>(std::min(savings_.a->degree(i), savings_.b->degree(j))) * (most_ / 2);
  }

 private:
  Weight by_kinds(int i, int j);

  const Savings& savings_;
  Weight most_ = 0;
  bool uniform_;  // one kind of edge on each side: a star is the smaller degree
  std::vector<int> partner_;         // of each row kind: the column kind that saves most with it, where that is mutual
  std::vector<Weight> bonus_;        // what it saves more than ...
  Weight otherwise_ = 0;             // ... any two kinds that are not partners
  std::vector<int> count_;           // scratch: edges of each column kind
  int solves_left_;
  LargeStar<Weight> large_;
};

/// A bound from duals that are the same for all nodes of a type:
/// u(type of i) + v(type of j) >= weight(type of i, type of j) >= weight of cell (i, j), u and v >= 0: so the duals of
/// all nodes add up to an upper bound on what any mapping weighs.
struct TypeBound {
  NodeTypes rows, columns;
  std::vector<Weight> weights;  // (row types, column types); Savings::kForbidden where nodes cannot be mapped
  std::vector<Weight> u, v;     // by type
  std::vector<int> column_of;   ///< an assignment of the nodes themselves that comes with the duals; -1: alone
  Weight total = 0;             ///< the bound
  bool complete = false;        ///< false if the deadline passed before `weights` and the duals were there

  Weight weight(int x, int y) const { return weights[static_cast<std::size_t>(x) * columns.size() + y]; }
};

/// Types by class and kinds of edges; where those are too many for a table, by class and degree or by class alone.
/// O(types^2) memory, a few million entries; O(types^2) time an augmentation. If the deadline strikes during the
/// augmentations the duals are feasible all the same, and `complete` is true.
TypeBound bound_by_types(const Savings& savings, Deadline& deadline);

}  // namespace graphedx
