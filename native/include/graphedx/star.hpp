// Best matchings between the neighbourhoods ("stars") of two nodes: many, tiny, and the inner loop of everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graphedx {

/// Four weights in one vector register.
template <class W>
struct FourOf;
template <>
struct FourOf<std::int32_t> {
  typedef std::int32_t type __attribute__((vector_size(16)));
};
template <>
struct FourOf<std::int64_t> {
  typedef std::int64_t type __attribute__((vector_size(32)));
};
template <class W>
using Four = typename FourOf<W>::type;

template <class V>
inline V max_of(V x, V y) {
  return x > y ? x : y;
}

/// Lane c of the result is lane c + K (mod 4) of x.
template <int K, class V>
inline V rotated(V x) {
  return __builtin_shufflevector(x, x, K % 4, (K + 1) % 4, (K + 2) % 4, (K + 3) % 4);
}

/// Best ways for two rows to share two columns: next[c] for columns {c, c + 1}, across[c] for {c, c + 2} (mod 4).
template <class W>
struct RowPair {
  Four<W> next, across;

  RowPair(Four<W> x, Four<W> y)
      : next(max_of(x + rotated<1>(y), rotated<1>(x) + y)), across(max_of(x + rotated<2>(y), rotated<2>(x) + y)) {}
};

/// A star of up to four rows and columns, padded with zeros: enough for molecules. Weights are >= 0.
template <class W>
struct SmallStar {
  Four<W> row[4];

  /// Most weight of a matching: rows 0 and 1 take two columns, rows 2 and 3 the other two.
  W best_matching() const {
    const RowPair<W> top(row[0], row[1]), bottom(row[2], row[3]);
    Four<W> best = max_of<Four<W>>(top.next + rotated<2>(bottom.next), top.across + rotated<1>(bottom.across));
    best = max_of(best, rotated<2>(best));
    best = max_of(best, rotated<1>(best));
    return best[0];
  }

  /// For each column b, the most weight of a matching that leaves row A and column b alone.
  template <int A>
  Four<W> best_matching_without() const {
    const RowPair<W> pair(row[(A + 1) % 4], row[(A + 2) % 4]);
    const Four<W> last = row[(A + 3) % 4];
    // The last row takes column b + 1, b + 2 or b + 3; the pair takes the two columns that remain.
    const Four<W> one = rotated<1>(last) + rotated<2>(pair.next);
    const Four<W> two = rotated<2>(last) + rotated<1>(pair.across);
    const Four<W> three = rotated<3>(last) + rotated<1>(pair.next);
    return max_of(one, max_of(two, three));
  }
};

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
