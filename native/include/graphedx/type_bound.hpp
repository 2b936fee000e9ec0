// The plain assignment bound between types of nodes: every edge saving split evenly, equal nodes taken together.
#pragma once

#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/node_types.hpp"
#include "graphedx/star.hpp"

namespace graphedx {

/// Best matchings of neighbourhoods when both ends of an edge pair count half of its saving.
class EvenStars {
 public:
  explicit EvenStars(const Savings& savings);

  /// What the neighbours of cell (i, j) save at most. Exact up to degree 4 and wherever solving it is cheap; beyond
  /// that every edge is taken to find its best partner.
  Weight exact(int i, int j);
  /// The same from the degrees alone.
  Weight loose(int i, int j) const {
    return static_cast<Weight>(std::min(savings_.a->degree(i), savings_.b->degree(j))) * (most_ / 2);
  }

 private:
  Weight by_edges(int i, int j) const;

  const Savings& savings_;
  Weight most_ = 0;
  bool uniform_;  // one kind of edge on each side: a star is the smaller degree
  std::vector<Weight> row_best_, column_best_;  // of each kind
  LargeStar<Weight> large_;
};

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

/// O(types^2) memory, kept to a few million by coarser types where needed; O(types^2) time an augmentation. If the
/// deadline strikes during the augmentations the duals are feasible all the same, and `complete` is true.
TypeBound bound_by_types(const Savings& savings, Deadline& deadline);

}  // namespace graphedx
