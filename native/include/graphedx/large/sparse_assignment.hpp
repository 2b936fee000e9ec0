// Maximum-weight assignment over lists of cells; a row or column may stay alone for nothing; warm-startable.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/large/savings.hpp"

namespace graphedx {

/// Which cells (row, column) there are: by row, with columns in increasing order, and by column.
struct CellLists {
  std::vector<std::size_t> first;         // (rows + 1,)
  std::vector<int> column;                // (cells,)
  std::vector<int> row;                   // (cells,)
  std::vector<std::size_t> column_first;  // (columns + 1,)
  std::vector<unsigned> by_column;        // (cells,) cells column after column ...
  std::vector<int> row_by_column;         // (cells,) ... and their rows

  std::size_t size() const { return column.size(); }
  /// Fills the rest from `first` and `column`.
  void index(int columns);
};

/// Keeps u(i) + v(j) >= w(cell) and u, v >= 0 at all times after the first `repair`, even if a deadline cuts it short.
/// A repair that was not cut short also leaves a matching with equality on its cells, and u = 0 on rows and v = 0 on
/// columns that are alone: sum(u) + sum(v) is then the optimum.
class SparseAssignment {
 public:
  SparseAssignment(int rows, int columns) : u(rows, 0), v(columns, 0), column(rows, -1), row(columns, -1) {
    row_side_.distance.assign(columns, kUnreached);
    row_side_.way.assign(columns, -1);
    column_side_.distance.assign(rows, kUnreached);
    column_side_.way.assign(rows, -1);
  }

  /// Restores the invariant after weights or cells changed. O(cells), plus a shortest path for each row that lost its
  /// column.
  void repair(const CellLists& cells, const std::vector<Weight>& weights, Deadline& deadline) {
    cells_ = &cells;
    weights_ = weights.data();
    deadline_ = &deadline;
    const int rows = static_cast<int>(u.size()), columns = static_cast<int>(v.size());
    for (int i = 0; i < rows; ++i) tighten_row(i);
    for (int i = 0; i < rows && !deadline.expired(); ++i)
      if (column[i] < 0) augment<true>(i);
    column_weights_.clear();
    for (int j = 0; j < columns && !deadline.expired(); ++j)
      if (row[j] < 0 && v[j] > 0) {
        if (column_weights_.empty())  // copied, as columns would be slow to read all over the place
          for (unsigned c : cells.by_column) column_weights_.push_back(weights[c]);
        augment<false>(j);
      }
  }

  Weight total() const {
    Weight sum = 0;
    for (Weight x : u) sum += x;
    for (Weight x : v) sum += x;
    return sum;
  }

  std::vector<Weight> u, v;
  std::vector<int> column, row;  ///< partner of each row and of each column, or -1

 private:
  static constexpr Weight kUnreached = Weight{1} << 60;

  /// Scratch of the shortest paths that start from one side; `distance` and `way` belong to nodes of the other.
  struct Side {
    std::vector<Weight> distance;
    std::vector<int> way, touched, closed;
    std::vector<std::pair<Weight, int>> heap;
  };

  template <bool FromRows>
  Side& side() {
    return FromRows ? row_side_ : column_side_;
  }
  template <bool FromRows>
  std::vector<Weight>& own_price() {
    return FromRows ? u : v;
  }
  template <bool FromRows>
  std::vector<int>& own_mate() {
    return FromRows ? column : row;
  }

  /// Calls visit(other node, weight) for the cells of a row (or column).
  template <bool FromRows, class Visit>
  void for_each_cell(int x, Visit&& visit) const {
    if constexpr (FromRows) {
      for (std::size_t c = cells_->first[x]; c < cells_->first[x + 1]; ++c) visit(cells_->column[c], weights_[c]);
    } else {
      for (std::size_t p = cells_->column_first[x]; p < cells_->column_first[x + 1]; ++p)
        visit(cells_->row_by_column[p], column_weights_[p]);
    }
  }

  /// Lowers (or raises) a row's price to its best offer; lets go of its column if that is no longer the best.
  void tighten_row(int i) {
    Weight best = 0, own = Savings::kForbidden;
    const int mate = column[i];
    for_each_cell<true>(i, [&](int j, Weight w) {
      best = std::max(best, w - v[j]);
      if (j == mate) own = w - v[j];
    });
    u[i] = best;
    if (mate >= 0 && own != best) column[i] = row[mate] = -1;
  }

  /// Shortest augmenting path (Dijkstra on reduced costs) from a node that is alone to one on the other side that is, or
  /// to one on its own side that had better be.
  template <bool FromRows>
  void augment(int start) {
    std::vector<Weight>&price = own_price<FromRows>(), &other_price = own_price<!FromRows>();
    std::vector<int>&mate = own_mate<FromRows>(), &other_mate = own_mate<!FromRows>();
    Side& s = side<FromRows>();
    Weight best = 0;
    for_each_cell<FromRows>(start, [&](int y, Weight w) { best = std::max(best, w - other_price[y]); });
    price[start] = best;
    if (best == 0) return;

    int x = start, end = -1, leaver = start, relaxed = 0;
    Weight reached = 0, leave_at = best;
    bool given_up = false;
    while (true) {
      if (++relaxed % 64 == 0 && deadline_->expired()) {
        given_up = true;
        break;
      }
      const Weight from = reached + price[x];
      for_each_cell<FromRows>(x, [&](int y, Weight w) {
        const Weight distance = from + other_price[y] - w;
        if (distance >= s.distance[y] || distance >= leave_at || end >= 0) return;
        if (s.distance[y] == kUnreached) s.touched.push_back(y);
        s.distance[y] = distance;
        s.way[y] = x;
        if (distance == reached && other_mate[y] < 0) {
          end = y;  // nothing can be nearer
        } else {
          // Doubled, so that of equally near nodes one that is alone, and ends the path, comes first.
          s.heap.emplace_back(-(2 * distance + (other_mate[y] >= 0 ? 1 : 0)), y);
          std::push_heap(s.heap.begin(), s.heap.end());
        }
      });
      if (end >= 0) break;
      while (!s.heap.empty() && (-s.heap.front().first >> 1) > s.distance[s.heap.front().second]) pop(s);
      if (s.heap.empty()) {
        reached = leave_at;
        break;
      }
      const int y = s.heap.front().second;
      pop(s);
      if (s.distance[y] >= leave_at) {
        reached = leave_at;
        break;
      }
      reached = s.distance[y];
      if (other_mate[y] < 0) {
        end = y;
        break;
      }
      s.closed.push_back(y);
      x = other_mate[y];
      if (reached + price[x] < leave_at) leave_at = reached + price[x], leaver = x;
    }
    if (!given_up) {
      price[start] -= reached;
      for (int y : s.closed) {
        other_price[y] += reached - s.distance[y];
        price[other_mate[y]] -= reached - s.distance[y];
      }
      if (end < 0 && leaver != start) end = mate[leaver], mate[leaver] = -1;
      for (int y = end; y >= 0;) {
        const int through = s.way[y], next = through == start ? -1 : mate[through];
        mate[through] = y;
        other_mate[y] = through;
        y = next;
      }
    }
    for (int y : s.touched) s.distance[y] = kUnreached;
    s.touched.clear();
    s.closed.clear();
    s.heap.clear();
  }

  static void pop(Side& s) {
    std::pop_heap(s.heap.begin(), s.heap.end());
    s.heap.pop_back();
  }

  const CellLists* cells_ = nullptr;
  const Weight* weights_ = nullptr;
  std::vector<Weight> column_weights_;  // column after column
  Deadline* deadline_ = nullptr;
  Side row_side_, column_side_;
};

}  // namespace graphedx
