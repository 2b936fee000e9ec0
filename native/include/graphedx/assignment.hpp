// Maximum-weight assignment in which a row or column may stay alone for nothing; warm-startable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graphedx/deadline.hpp"

namespace graphedx {

/// Dual solution and matching over arrays that the caller owns, so that a search can copy and keep them.
///
/// Invariant after `repair`: u[i] + v[j] >= w(i, j), u, v >= 0, with equality on matched cells, u = 0 on rows and v = 0
/// on columns that are alone; hence sum(u) + sum(v) is the optimum, and u[i] + v[j] - w(i, j) is the least loss of any
/// assignment that uses (i, j). Columns that are gone have v = kGone; forbidden cells have w = -kGone.
template <class W>
class Assignment {
 public:
  static constexpr W kGone = W{1} << (sizeof(W) == 4 ? 26 : 59);
  static constexpr W kInfinite = W{1} << (sizeof(W) == 4 ? 29 : 61);
  /// Weights must stay below this.
  static constexpr W kMostWeight = W{1} << (sizeof(W) == 4 ? 23 : 57);

  struct Duals {
    W* u;         // (rows,)
    W* v;         // (stride,)
    int* column;  // (rows,) of a row, or -1
    int* row;     // (stride,) of a column, or -1
  };

  /// `weights` is row-major with the given stride (a multiple of 8; the columns past the last one are gone).
  /// `scratch` holds 4 * stride values of W and stride ints.
  /// Large problems stop when the deadline has passed: the duals are then feasible still, but not the best.
  void bind(const W* weights, int stride, W* scratch, int* int_scratch, Deadline& deadline) {
    deadline_ = &deadline;
    weights_ = weights;
    stride_ = stride;
    distance_ = scratch;
    open_ = scratch + stride;
    price_ = scratch + 2 * stride;
    way_ = scratch + 3 * stride;
    scanned_ = int_scratch;
  }

  /// Restores the invariant after weights changed or rows and columns went. O(rows * columns) plus one shortest path,
  /// O(rows * columns) at worst, for each row that lost its column. Stops as soon as the duals add up to less than
  /// `least`, if the caller wants to know no more than that: they are then feasible still, but not the best.
  void repair(const Duals& d, const int* rows, int row_count, W least = 0) {
    for (int j = 0; j < stride_; ++j)
      if (d.row[j] < 0 && d.v[j] != kGone) d.v[j] = 0;
    bool disturbed = false;
    for (int r = 0; r < row_count; ++r) {
      const int i = rows[r], c = d.column[i];
      const W best = best_offer(d, i);
      d.u[i] = best;
      if (c >= 0 && weight(i, c) - d.v[c] != best) release(d, i), disturbed = true;
      disturbed |= d.column[i] < 0 && best > 0;
    }
    if (!disturbed || total(d, rows, row_count) < least) return;
    free_alone_columns(d, rows, row_count);
    W left = total(d, rows, row_count);
    for (int r = 0; r < row_count && left >= least; ++r) {
      if (stride_ > 128 && deadline_->expired()) return;
      if (d.column[rows[r]] < 0) left -= augment(d, rows[r]);
    }
  }

  /// What the duals of these rows and of all columns add up to.
  W total(const Duals& d, const int* rows, int row_count) const {
    W sum = 0;
    for (int r = 0; r < row_count; ++r) sum += d.u[rows[r]];
    for (int j = 0; j < stride_; ++j) sum += d.v[j] == kGone ? 0 : d.v[j];
    return sum;
  }

 private:
  static constexpr int kTakenOver = 2;  // columns, one after the other, before paths are looked for
  static constexpr int kLanes = 32 / sizeof(W);
  typedef W Lanes __attribute__((vector_size(32)));

  static Lanes load(const W* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
  }
  static void store(W* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

  W weight(int i, int j) const { return weights_[static_cast<std::size_t>(i) * stride_ + j]; }

  W best_offer(const Duals& d, int i) const {
    const W* w = weights_ + static_cast<std::size_t>(i) * stride_;
    Lanes most{};
    for (int j = 0; j < stride_; j += kLanes) {
      const Lanes offer = load(w + j) - load(d.v + j);
      most = offer > most ? offer : most;
    }
    for_each_half([&](auto half) {
      const Lanes other = rotated<half>(most);
      most = other > most ? other : most;
    });
    return most[0];
  }

  static void release(const Duals& d, int i) {
    d.row[d.column[i]] = -1;
    d.column[i] = -1;
  }

  /// A column that is alone must have price 0; rows that then want it more than their own column let go of theirs.
  void free_alone_columns(const Duals& d, const int* rows, int row_count) {
    bool again = true;
    while (again) {
      again = false;
      for (int j = 0; j < stride_; ++j) {
        if (d.row[j] >= 0 || d.v[j] == 0 || d.v[j] == kGone) continue;
        d.v[j] = 0;
        for (int r = 0; r < row_count; ++r) {
          const int i = rows[r];
          if (weight(i, j) <= d.u[i]) continue;
          d.u[i] = weight(i, j);
          if (d.column[i] >= 0) release(d, i), again = true;
        }
      }
    }
  }

  /// Shortest augmenting path (Dijkstra on reduced costs) from a row that is alone to a column that is, or to a row
  /// that had better be. Returns by how much the duals add up to less.
  W augment(const Duals& d, int start) {
    W fallen = 0;
    for (int left = kTakenOver;; --left) {
      const W offer = best_offer(d, start);
      fallen += d.u[start] - offer;
      d.u[start] = offer;
      if (offer == 0 || takes_alone_column(d, start)) return fallen;
      const int owner = left == 0 ? -1 : take_over(d, start);
      if (owner < 0) break;
      start = owner;
    }
    std::fill(open_, open_ + stride_, kInfinite);
    for (int j = 0; j < stride_; ++j) price_[j] = 2 * d.v[j] + (d.row[j] >= 0 ? 1 : 0);
    int i = start, scanned = 0, end = -1, leaver = start;
    W reached = 0, leave_at = d.u[start];
    while (true) {
      const Nearest nearest = relax(i, reached + d.u[i]);
      if (nearest.distance >= leave_at) {
        reached = leave_at;
        break;
      }
      const int j = nearest.column;
      reached = distance_[j] = nearest.distance;
      if (d.row[j] < 0) {
        end = j;
        break;
      }
      open_[j] = kInfinite;
      price_[j] = 2 * kInfinite;  // closed: no path may reopen it
      scanned_[scanned++] = j;
      i = d.row[j];
      if (reached + d.u[i] < leave_at) leave_at = reached + d.u[i], leaver = i;
    }
    d.u[start] -= reached;
    for (int s = 0; s < scanned; ++s) {
      const int j = scanned_[s];
      d.v[j] += reached - distance_[j];
      d.u[d.row[j]] -= reached - distance_[j];
    }
    if (end >= 0) {
      shift(d, start, end);
    } else if (leaver != start) {
      const int j = d.column[leaver];
      d.column[leaver] = -1;
      shift(d, start, j);
    }
    return fallen + reached;
  }

  /// Takes its best column from the row that has it, at the price that makes the second best as good; returns that row.
  /// -1 if two are equally good.
  int take_over(const Duals& d, int i) {
    const W* w = weights_ + static_cast<std::size_t>(i) * stride_;
    int best = -1;
    W second = 0;
    for (int j = 0; j < stride_; ++j) {
      const W offer = w[j] - d.v[j];
      if (offer == d.u[i]) {
        if (best >= 0) return -1;
        best = j;
      } else {
        second = std::max(second, offer);
      }
    }
    const int owner = d.row[best];
    d.v[best] += d.u[i] - second;
    d.u[i] = second;
    d.column[owner] = -1;
    d.column[i] = best;
    d.row[best] = i;
    return owner;
  }

  /// The shortest path of all, and a common one: a column that is alone is as good as any.
  bool takes_alone_column(const Duals& d, int i) {
    const W* w = weights_ + static_cast<std::size_t>(i) * stride_;
    for (int j = 0; j < stride_; ++j)
      if (w[j] - d.v[j] == d.u[i] && d.row[j] < 0) {
        d.column[i] = j;
        d.row[j] = i;
        return true;
      }
    return false;
  }

  struct Nearest {
    W distance;
    int column;
  };

  /// Offers every open column the way through row i, and returns the nearest of them. Distances are doubled, plus one for
  /// columns that are taken: so that of equally near columns one that is alone, and ends the path, comes first.
  Nearest relax(int i, W base) {
    const W* w = weights_ + static_cast<std::size_t>(i) * stride_;
    const Lanes through = Lanes{} + static_cast<W>(i), start = Lanes{} + 2 * base;
    Lanes nearest = Lanes{} + kInfinite, column{}, at = first_lanes();
    for (int j = 0; j < stride_; j += kLanes, at += kLanes) {
      const Lanes candidate = start + load(price_ + j) - 2 * load(w + j), old = load(open_ + j);
      const Lanes open = candidate < old ? candidate : old;
      store(way_ + j, candidate < old ? through : load(way_ + j));
      store(open_ + j, open);
      column = open < nearest ? at : column;
      nearest = open < nearest ? open : nearest;
    }
    for_each_half([&](auto half) {
      const Lanes other = rotated<half>(nearest), there = rotated<half>(column);
      column = other < nearest ? there : column;
      nearest = other < nearest ? other : nearest;
    });
    return {nearest[0] >> 1, static_cast<int>(column[0])};
  }

  /// Calls body with half the number of lanes, a quarter, ... 1, as constants.
  template <class Body>
  static void for_each_half(Body&& body) {
    if constexpr (kLanes == 8) body(std::integral_constant<int, 4>{});
    body(std::integral_constant<int, 2>{});
    body(std::integral_constant<int, 1>{});
  }

  template <int K>
  static Lanes rotated(Lanes x) {
    if constexpr (kLanes == 8)
      return __builtin_shufflevector(x, x, K, (K + 1) % 8, (K + 2) % 8, (K + 3) % 8, (K + 4) % 8, (K + 5) % 8,
                                     (K + 6) % 8, (K + 7) % 8);
    else
      return __builtin_shufflevector(x, x, K, (K + 1) % 4, (K + 2) % 4, (K + 3) % 4);
  }

  static Lanes first_lanes() {
    Lanes lanes{};
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lane;
    return lanes;
  }

  /// Column j becomes the last on the path; every row on it takes the column it was reached from.
  void shift(const Duals& d, int start, int j) {
    while (true) {
      const int i = static_cast<int>(way_[j]), next = d.column[i];
      d.column[i] = j;
      d.row[j] = i;
      if (i == start) return;
      j = next;
    }
  }

  Deadline* deadline_ = nullptr;
  const W* weights_ = nullptr;
  int stride_ = 0;
  W *distance_ = nullptr, *open_ = nullptr, *price_ = nullptr;
  W* way_ = nullptr;  // the row that a column was reached from; a W so that it fits the lanes
  int* scanned_ = nullptr;
};

}  // namespace graphedx
