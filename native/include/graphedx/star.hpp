// Best matchings between the neighbourhoods ("stars") of two nodes: many, tiny, and the inner loop of everything.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace graphedx {

/// A star's weights, all >= 0, padded with zeros to 4 x 4: enough for molecules.
template <class W>
using SmallStar = std::array<W, 16>;

/// Most weight of a matching. Rows 0 and 1 take one pair of columns, rows 2 and 3 the other.
template <class W>
inline W best_matching(const SmallStar<W>& t) {
  constexpr int kPairs[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  W best = 0;
  for (const auto& p : kPairs) {
    const W top = std::max(t[p[0]] + t[4 + p[1]], t[p[1]] + t[4 + p[0]]);
    const W bottom = std::max(t[8 + p[2]] + t[12 + p[3]], t[8 + p[3]] + t[12 + p[2]]);
    best = std::max<W>(best, top + bottom);
  }
  return best;
}

/// Most weight of a matching that leaves row a and column b alone.
template <class W>
inline W best_matching_without(const SmallStar<W>& t, int a, int b) {
  const W* r0 = &t[4 * (a == 0 ? 1 : 0)];
  const W* r1 = &t[4 * (a <= 1 ? 2 : 1)];
  const W* r2 = &t[4 * (a <= 2 ? 3 : 2)];
  const int c0 = b == 0 ? 1 : 0, c1 = b <= 1 ? 2 : 1, c2 = b <= 2 ? 3 : 2;
  const W x = r0[c0] + std::max(r1[c1] + r2[c2], r1[c2] + r2[c1]);
  const W y = r0[c1] + std::max(r1[c0] + r2[c2], r1[c2] + r2[c0]);
  const W z = r0[c2] + std::max(r1[c0] + r2[c1], r1[c1] + r2[c0]);
  return std::max(x, std::max(y, z));
}

/// Stars of any size: the assignment problem with its dual solution.
template <class W>
class LargeStar {
 public:
  /// Zero weights; fill with at(a, b).
  void resize(int rows, int columns) {
    rows_ = rows;
    columns_ = columns;
    weights_.assign(static_cast<std::size_t>(rows) * columns, 0);
  }
  W& at(int a, int b) { return weights_[static_cast<std::size_t>(a) * columns_ + b]; }
  W u(int a) const { return u_[a]; }
  W v(int b) const { return v_[b]; }

  /// Most weight of a matching, O(rows^2 * columns). Leaves u, v >= 0 with u(a) + v(b) >= at(a, b).
  W solve() {
    u_.assign(rows_, 0);
    v_.assign(columns_, 0);
    row_.assign(columns_, -1);
    column_.assign(rows_, -1);
    for (int a = 0; a < rows_; ++a) augment(a);
    W total = 0;
    for (W x : u_) total += x;
    for (W x : v_) total += x;
    return total;
  }

 private:
  void augment(int start) {
    W offer = 0;
    for (int b = 0; b < columns_; ++b) offer = std::max<W>(offer, at(start, b) - v_[b]);
    u_[start] = offer;
    if (offer == 0) return;
    distance_.assign(columns_, -1);
    way_.assign(columns_, -1);
    closed_.assign(columns_, 0);
    int a = start, end = -1, leaver = start;
    W reached = 0, leave_at = offer;
    while (true) {
      int nearest = -1;
      for (int b = 0; b < columns_; ++b) {
        if (closed_[b]) continue;
        const W through = reached + u_[a] + v_[b] - at(a, b);
        if (distance_[b] < 0 || through < distance_[b]) distance_[b] = through, way_[b] = a;
        if (nearest < 0 || distance_[b] < distance_[nearest]) nearest = b;
      }
      if (nearest < 0 || distance_[nearest] >= leave_at) {
        reached = leave_at;
        break;
      }
      reached = distance_[nearest];
      if (row_[nearest] < 0) {
        end = nearest;
        break;
      }
      closed_[nearest] = 1;
      a = row_[nearest];
      if (reached + u_[a] < leave_at) leave_at = reached + u_[a], leaver = a;
    }
    u_[start] -= reached;
    for (int b = 0; b < columns_; ++b)
      if (closed_[b]) v_[b] += reached - distance_[b], u_[row_[b]] -= reached - distance_[b];
    if (end < 0 && leaver == start) return;
    if (end < 0) end = column_[leaver], column_[leaver] = -1;
    for (int b = end;;) {
      const int r = way_[b], next = column_[r];
      column_[r] = b;
      row_[b] = r;
      if (r == start) return;
      b = next;
    }
  }

  int rows_ = 0, columns_ = 0;
  std::vector<W> weights_, u_, v_, distance_;
  std::vector<int> row_, column_, way_;
  std::vector<char> closed_;
};

}  // namespace graphedx
