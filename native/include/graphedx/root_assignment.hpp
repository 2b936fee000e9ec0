// One assignment of all rows to all columns, with everything it needs: for methods without a tree.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "graphedx/assignment.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/kind_bundles.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

template <class W>
class RootAssignment {
 public:
  RootAssignment(const Weights<W>& weights, Deadline& deadline)
      : w_(weights),
        deadline_(deadline),
        weights_(weights.node),
        u_(w_.rows, 0),
        v_(w_.stride, 0),
        column_(w_.rows, -1),
        row_(w_.stride, -1),
        order_(w_.rows),
        scratch_(4 * static_cast<std::size_t>(w_.stride)),
        int_scratch_(w_.stride) {
    std::fill(v_.begin() + w_.columns, v_.end(), Assignment<W>::kGone);
    std::iota(order_.begin(), order_.end(), 0);
    assignment_.bind(weights_.data(), w_.stride, scratch_.data(), int_scratch_.data(), deadline);
  }

  /// Weight of each cell: what the node saves, and so many halves of what the two stars can save.
  void weigh_stars(W halves) {
    BundleMatchings<W> stars(w_, deadline_);
    for (int i = 0; i < w_.rows; ++i) {
      const W* half_star = stars.line(stars.rows.of_node(i));
      for (int j = 0; j < w_.columns; ++j)
        if (!w_.is_forbidden(i, j))
          weights_[w_.at(i, j)] = w_.node[w_.at(i, j)] + halves * half_star[stars.columns.of_node(j)];
    }
  }

  /// Best assignment under the present weights, from where the last one left off.
  void solve() { assignment_.repair({u_.data(), v_.data(), column_.data(), row_.data()}, order_.data(), w_.rows); }

  W& weight(int i, int j) { return weights_[w_.at(i, j)]; }
  W u(int i) const { return u_[i]; }
  W v(int j) const { return v_[j]; }

  /// No assignment weighs more. (The optimum, if the deadline did not interfere.)
  W total() const {
    return std::accumulate(u_.begin(), u_.end(), W{0}) + std::accumulate(v_.begin(), v_.begin() + w_.columns, W{0});
  }

  /// The assignment as a mapping: rows that must be mapped and are not take what columns are left.
  void read_columns(std::vector<int>& column_of) const {
    column_of = column_;
    if (!w_.mandatory) return;
    int next = 0;
    for (int& c : column_of) {
      if (c >= 0) continue;
      while (row_[next] >= 0) ++next;
      c = next++;
    }
  }

 private:
  const Weights<W>& w_;
  Deadline& deadline_;
  std::vector<W> weights_, u_, v_;
  std::vector<int> column_, row_, order_;
  std::vector<W> scratch_;
  std::vector<int> int_scratch_;
  Assignment<W> assignment_;
};

}  // namespace graphedx
