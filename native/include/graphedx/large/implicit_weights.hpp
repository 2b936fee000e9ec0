// Weights of all cells at once without a table: a split of edge savings that follows from the types of the nodes.
#pragma once

#include <algorithm>

#include "graphedx/large/type_bound.hpp"

namespace graphedx {

/// One round of sending slack (see shares.hpp) done for all cells in the same breath, with duals that are functions of
/// the nodes' types: every cell takes g more of each of its edge pairs, where g is half its slack, divided by the number
/// of pairs that it can match. So cell (i, j) has saving / 2 + g(i, j) - g(k, l) of its pair with (k, l): cells look two
/// steps far, and memory is one table by type.
class ImplicitWeights {
 public:
  /// Both must outlive this.
  ImplicitWeights(const Savings& savings, const TypeBound& types);

  /// Share of the s-th and t-th edges of cell (i, j); very negative if the neighbours cannot be mapped to each other.
  Weight share(int i, int j, int s, int t) const {
    const Neighbour &k = savings_.a->neighbours(i)[s], &l = savings_.b->neighbours(j)[t];
    return savings_.edge_weight(k.kind, l.kind) / 2 + extra(i, j) - extra(k.node, l.node);
  }
  /// All shares of cell (i, j), row after row.
  void fill(int i, int j, Weight* shares) const {
    for (int s = 0; s < savings_.a->degree(i); ++s)
      for (int t = 0; t < savings_.b->degree(j); ++t) *shares++ = share(i, j, s, t);
  }
  /// At least the weight of the cell under these shares; kForbidden if it cannot be mapped.
  Weight weight(int i, int j);
  /// No weight of the cell is above this: from the types alone.
  Weight most(int i, int j) const {
    const int x = types_.rows.type_of[i], y = types_.columns.type_of[j];
    const Weight plain = types_.weight(x, y);
    return plain == Savings::kForbidden ? plain : plain + std::max<Weight>(0, (types_.u[x] + types_.v[y] - plain) / 2);
  }

 private:
  static constexpr Weight kUnlimited = Weight{1} << 57;

  Weight extra(int i, int j) const {
    return extra_[static_cast<std::size_t>(types_.rows.type_of[i]) * types_.columns.size() + types_.columns.type_of[j]];
  }

  const Savings& savings_;
  const TypeBound& types_;
  std::vector<Weight> extra_;  // (row types, column types)
  EvenStars even_;
  LargeStar<Weight> large_;
};

}  // namespace graphedx
