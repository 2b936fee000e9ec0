// Improves a mapping by moving a row to another column or trading the columns of two rows.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/random.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

template <class W>
class LocalSearch {
 public:
  LocalSearch(const Weights<W>& weights, Deadline& deadline) : w_(weights), deadline_(deadline) {}

  /// Moves and trades until none helps; raises `value`, the savings of `column_of`. O(rows * columns) a pass.
  void improve(std::vector<int>& column_of, W& value) {
    columns_ = &column_of;
    if (!tabulate()) return;
    for (bool improved = true; improved;) {
      improved = false;
      for (int i = 0; i < w_.rows; ++i) {
        if (w_.rows > 64 && deadline_.expired()) return;
        improved |= improve_row(i, value);
      }
    }
  }

  /// A few trades of random rows: somewhere near, but out of the valley. The sequence is always the same.
  void shake(std::vector<int>& column_of, int trades) {
    for (; trades > 0; --trades) {
      const int i = random_.below(w_.rows), k = random_.below(w_.rows);
      std::swap(column_of[i], column_of[k]);
      for (int row : {i, k})
        if (column_of[row] >= 0 && w_.is_forbidden(row, column_of[row])) column_of[row] = -1;
    }
  }

 private:
  std::size_t at(int i, int j) const { return w_.at(i, j); }

  /// gain_(i, j): what row i would save at column j next to all other rows where they are now. False if time is up.
  bool tabulate() {
    gain_ = w_.node;
    owner_.assign(w_.columns, -1);
    for (int k = 0; k < w_.rows; ++k) {
      if (w_.rows > 64 && deadline_.expired()) return false;
      if ((*columns_)[k] >= 0) owner_[(*columns_)[k]] = k, spread(k, (*columns_)[k], 1);
    }
    return true;
  }

  void spread(int k, int c, int sign) {
    const Neighbour *left = w_.a->neighbours(k), *right = w_.b->neighbours(c);
    for (int s = 0; s < w_.a->degree(k); ++s)
      for (int t = 0; t < w_.b->degree(c); ++t)
        gain_[at(left[s].node, right[t].node)] += static_cast<W>(sign) * w_.edge_weight(left[s].kind, right[t].kind);
  }

  /// In a trade that helps, one of the two rows gains by itself, or the two are neighbours: nothing else needs a look.
  bool improve_row(int i, W& value) {
    bool improved = false;
    const std::vector<int>& column_of = *columns_;
    const W* gain = gain_.data() + at(i, 0);
    W most = 0;  // most rows are where they like it best, and that is quickly seen
    for (int j = 0; j < w_.stride; ++j) most = std::max(most, gain[j]);
    if (most > own_gain(i))
      for (int j = w_.mandatory ? 0 : -1; j < w_.columns; ++j)
        if ((j < 0 ? 0 : gain[j]) > own_gain(i)) improved |= try_move(i, j, value);
    const Neighbour* list = w_.a->neighbours(i);
    for (int s = 0; s < w_.a->degree(i); ++s)
      if (column_of[list[s].node] >= 0) improved |= try_move(i, column_of[list[s].node], value);
    return improved;
  }

  W own_gain(int i) const { return (*columns_)[i] < 0 ? 0 : gain_[at(i, (*columns_)[i])]; }

  bool try_move(int i, int j, W& value) {
    const int old = (*columns_)[i];
    if (j == old) return false;
    const int k = j < 0 ? -1 : owner_[j];
    const W better = move_gain(i, old, j, k);
    if (better <= 0) return false;
    place(i, old, j, k);
    value += better;
    return true;
  }

  /// Gain of row i going from `old` to j while k, the owner of j, takes `old`.
  W move_gain(int i, int old, int j, int k) const {
    W total = (j < 0 ? 0 : gain_[at(i, j)]) - (old < 0 ? 0 : gain_[at(i, old)]);
    if (k < 0) return total;
    total += (old < 0 ? 0 : gain_[at(k, old)]) - gain_[at(k, j)];
    const int kind = w_.a->kind(i, k);
    // The edge between the two rows was counted from both ends before, and from none after.
    if (kind > 0 && old >= 0) total += w_.edge_weight(kind, w_.b->kind(old, j)) + w_.edge_weight(kind, w_.b->kind(j, old));
    return total;
  }

  void place(int i, int old, int j, int k) {
    std::vector<int>& column_of = *columns_;
    if (old >= 0) spread(i, old, -1), owner_[old] = k;
    if (k >= 0) spread(k, j, -1);
    column_of[i] = j;
    if (j >= 0) owner_[j] = i, spread(i, j, 1);
    if (k < 0) return;
    column_of[k] = old;
    if (old >= 0) spread(k, old, 1);
  }

  const Weights<W>& w_;
  Deadline& deadline_;
  std::vector<int>* columns_ = nullptr;
  std::vector<W> gain_;
  std::vector<int> owner_;
  Random random_;
};

}  // namespace graphedx
