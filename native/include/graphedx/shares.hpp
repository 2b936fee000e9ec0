// How the savings of inner edge pairs are split between their two ends.
//
// An edge pair (i,k) -> (j,l) is seen from cell (i,j) and from cell (k,l). The shares form one matrix with a row for
// every edge end of the row graph and a column for every edge end of the column graph; a cell's block has one share for
// every pair of neighbours. The two shares of an edge pair always add up to its saving, so that whatever the split,
// counting each cell's best matching of neighbours never underestimates a mapping.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "graphedx/bits.hpp"
#include "graphedx/star.hpp"
#include "graphedx/sweep.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

template <class W>
class Shares {
 public:
  static constexpr W kDead = -Assignment<W>::kGone;  ///< share of a neighbour pair that is out of the question

  Shares(const Weights<W>& weights, Deadline& deadline) : w_(weights), deadline_(deadline), sweep_(*weights.a) {
    row_slots_ = slots(*w_.a, row_first_);
    column_slots_ = slots(*w_.b, column_first_);
    row_key_.resize(w_.a->first(w_.rows));
    for (int i = 0; i < w_.rows; ++i)
      for (int s = 0; s < w_.a->degree(i); ++s) {
        const Neighbour& to = w_.a->neighbours(i)[s];
        row_key_[w_.a->first(i) + s] = static_cast<std::size_t>(row_first_[to.node] + to.back) * column_slots_;
      }
    column_key_.resize(w_.b->first(w_.columns));
    for (int j = 0; j < w_.columns; ++j)
      for (int t = 0; t < w_.b->degree(j); ++t) {
        const Neighbour& to = w_.b->neighbours(j)[t];
        column_key_[w_.b->first(j) + t] = column_first_[to.node] + to.back;
      }
  }

  std::size_t size() const { return static_cast<std::size_t>(row_slots_) * column_slots_; }

  /// Even split everywhere. Rows of the matrix that belong to edges of the same kind are the same.
  void fill(W* shares) const {
    std::vector<W> lines(w_.edge.size() / w_.column_kinds * column_slots_, kDead);
    for (std::size_t kind = 1; kind * w_.column_kinds < w_.edge.size(); ++kind)
      for (int j = 0; j < w_.columns; ++j)
        for (int t = 0; t < w_.b->degree(j); ++t)
          lines[kind * column_slots_ + column_first_[j] + t] =
              w_.edge_weight(static_cast<int>(kind), w_.b->neighbours(j)[t].kind) / 2;
    for (int i = 0; i < w_.rows; ++i)
      for (int s = 0; s < row_first_[i + 1] - row_first_[i]; ++s) {
        const int kind = s < w_.a->degree(i) ? w_.a->neighbours(i)[s].kind : 0;
        std::copy_n(lines.data() + static_cast<std::size_t>(kind) * column_slots_, column_slots_,
                    block(shares, i, 0) + static_cast<std::size_t>(s) * column_slots_);
      }
  }

  /// The shares of all cells in a row.
  void copy_row(const W* from, W* to, int i) const {
    const std::size_t begin = position(i, 0), end = position(i + 1, 0);
    std::copy(from + begin, from + end, to + begin);
  }

  /// Calls visit(position) for each share that a neighbouring cell has of an edge pair with cell (k, l) at its end.
  template <class Visit>
  void for_each_reference(int k, int l, Visit&& visit) const {
    for (int s = w_.a->first(k); s < w_.a->first(k + 1); ++s)
      for (int t = w_.b->first(l); t < w_.b->first(l + 1); ++t) visit(row_key_[s] + column_key_[t]);
  }

  /// Calls visit(j, weight) for every column j of the domain: the most that the neighbours of cell (i, j) can save. False
  /// if time ran out before all were weighed (large stars can take long).
  template <class Visit>
  bool weigh_row(const W* shares, int i, const Word* domain, int words, Visit&& visit) {
    bool late = false;
    with_rows(w_.a->degree(i), [&](auto rows) {
      const W* row = block(shares, i, 0);
      for_each_bit(domain, words, [&](int j) {
        if (j == w_.columns) return;
        if (rows > 0 && w_.b->degree(j) <= 4) {
          visit(j, load<rows>(row + column_first_[j]).best_matching());
        } else if (!late && !(late = deadline_.expired())) {
          visit(j, solve_large(row + column_first_[j], i, j));
        }
      });
    });
    return !late;
  }

  /// Rows are swept in this order, or in the reverse of it.
  int row_of_sweep(int place, bool backwards) const { return sweep_.row(place, backwards); }

  /// For each neighbour pair of each cell in the row: a part of what the cell could bear more of it comes over from the
  /// pair's own cell. room(j) is what the star of (i, j) may weigh without raising the bound.
  template <class Room>
  void send_row(W* shares, int i, bool backwards, const Word* domain, int words, Room&& room) {
    const int* parts = sweep_.parts(w_.a->first(i), backwards);
    with_rows(w_.a->degree(i), [&](auto rows) {
      for_each_bit(domain, words, [&](int j) {
        if (j == w_.columns) return;
        if (rows > 0 && w_.b->degree(j) <= 4) {
          send_small<rows>(shares, i, j, room(j), parts);
        } else if (!deadline_.expired()) {  // half a round is as valid as a whole one
          send_large(shares, i, j, room(j));
        }
      });
    });
  }

 private:
  /// Every node has a slot for each neighbour, four at least, so that small stars can be read four by four.
  static int slots(const Graph& graph, std::vector<int>& first) {
    first.resize(graph.size() + 1);
    for (int i = 0; i < graph.size(); ++i) first[i + 1] = first[i] + std::max(4, graph.degree(i));
    return first.back();
  }

  /// Calls body with the number of rows as a constant, or with 0 if there are more than four.
  template <class Body>
  static void with_rows(int rows, Body&& body) {
    switch (rows) {
      case 0:
      case 1: return body(std::integral_constant<int, 1>{});
      case 2: return body(std::integral_constant<int, 2>{});
      case 3: return body(std::integral_constant<int, 3>{});
      case 4: return body(std::integral_constant<int, 4>{});
      default: return body(std::integral_constant<int, 0>{});
    }
  }

  std::size_t position(int i, int j) const {
    return static_cast<std::size_t>(row_first_[i]) * column_slots_ + column_first_[j];
  }
  W* block(W* shares, int i, int j) const { return shares + position(i, j); }
  const W* block(const W* shares, int i, int j) const { return shares + position(i, j); }

  static Four<W> load_row(const W* from) {
    Four<W> row;
    std::memcpy(&row, from, sizeof row);
    return row;
  }

  template <int Rows>
  SmallStar<W> load(const W* cell) const {
    const Four<W> zero{};
    SmallStar<W> star{};
    for (int s = 0; s < Rows; ++s)
      star.row[s] = max_of(load_row(cell + static_cast<std::size_t>(s) * column_slots_), zero);
    return star;
  }

  template <int Rows>
  void send_small(W* shares, int i, int j, W room, const int* parts) {
    W* cell = block(shares, i, j);
    SmallStar<W> star = load<Rows>(cell);
    send_from<0>(shares, cell, star, i, j, room, parts[0]);
    if constexpr (Rows > 1) send_from<1>(shares, cell, star, i, j, room, parts[1]);
    if constexpr (Rows > 2) send_from<2>(shares, cell, star, i, j, room, parts[2]);
    if constexpr (Rows > 3) send_from<3>(shares, cell, star, i, j, room, parts[3]);
  }

  /// A matching uses row A once at most, so all of the row's shares can grow at the same time.
  template <int A>
  void send_from(W* shares, W* cell, SmallStar<W>& star, int i, int j, W room, W part) {
    const Four<W> zero{}, half_dead = zero + kDead / 2;
    W* place = cell + static_cast<std::size_t>(A) * column_slots_;
    const Four<W> own = load_row(place);
    Four<W> moved = zero + room - own - star.template best_matching_without<A>();
    moved = (own > half_dead ? max_of(moved, zero) : zero) * part >> Sweep::kBits;
    const Four<W> grown = own + moved;
    std::memcpy(place, &grown, sizeof grown);
    star.row[A] = max_of(grown, zero);
    W* others = shares + row_key_[w_.a->first(i) + A];
    const int first = w_.b->first(j), columns = w_.b->degree(j);
    for (int t = 0; t < columns; ++t) others[column_key_[first + t]] -= moved[t];
  }

  /// Also leaves the dual solution in large_, which send_large reads.
  W solve_large(const W* cell, int i, int j) {
    const int rows = w_.a->degree(i), columns = w_.b->degree(j);
    large_.resize(rows, columns);
    for (int s = 0; s < rows; ++s)
      for (int t = 0; t < columns; ++t)
        large_.at(s, t) = std::max<W>(0, cell[static_cast<std::size_t>(s) * column_slots_ + t]);
    return large_.solve();
  }

  /// With the reduced costs of one assignment in place of exact maxima, half of them on every edge: weaker a round, but
  /// any degree.
  void send_large(W* shares, int i, int j, W room) {
    const int rows = w_.a->degree(i), columns = w_.b->degree(j);
    W* cell = block(shares, i, j);
    const W spare = (room - solve_large(cell, i, j)) / std::max(1, std::min(rows, columns));
    for (int s = 0; s < rows; ++s)
      for (int t = 0; t < columns; ++t) {
        W& share = cell[static_cast<std::size_t>(s) * column_slots_ + t];
        const W moved = (large_.u(s) + large_.v(t) - share + spare) / 2;
        if (share <= kDead / 2 || moved <= 0) continue;
        share += moved;
        shares[row_key_[w_.a->first(i) + s] + column_key_[w_.b->first(j) + t]] -= moved;
      }
  }

  const Weights<W>& w_;
  Deadline& deadline_;
  const Sweep sweep_;
  int row_slots_ = 0, column_slots_ = 0;
  std::vector<int> row_first_, column_first_;
  // Where the other share of an edge pair is: key of the row's edge plus key of the column's edge.
  std::vector<std::size_t> row_key_, column_key_;
  LargeStar<W> large_;
};

}  // namespace graphedx
