#include <cstring>

#include "graphedx/large/candidate_shares.hpp"

namespace graphedx {

void CellLists::index(int columns) {
  row.resize(column.size());
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    for (std::size_t c = first[i]; c < first[i + 1]; ++c) row[c] = static_cast<int>(i);
  column_first.assign(columns + 1, 0);
  for (int j : column) ++column_first[j + 1];
  for (int j = 0; j < columns; ++j) column_first[j + 1] += column_first[j];
  std::vector<std::size_t> next(column_first.begin(), column_first.end() - 1);
  by_column.resize(column.size());
  row_by_column.resize(column.size());
  for (std::size_t c = 0; c < column.size(); ++c) {
    row_by_column[next[column[c]]] = row[c];
    by_column[next[column[c]]++] = static_cast<unsigned>(c);
  }
}

void CandidateShares::lay_out_blocks() {
  block_.resize(cells_.size() + 1, 0);
  for (std::size_t c = 0; c < cells_.size(); ++c)
    block_[c + 1] = block_[c] + static_cast<std::uint32_t>(block_size(savings_, cells_.row[c], cells_.column[c]));
  share_ = Buffer<Weight>(block_.back() + 4);
  std::fill_n(share_.data() + block_.back(), 4, 0);
  other_ = Buffer<std::uint32_t>(block_.back());
  alive_.assign(cells_.size(), 1);
  alive_cells_ = cells_.size();
}

/// Finds for every share where the one at the pair's other end is. False if the deadline passed first.
bool CandidateShares::join_ends(Deadline& deadline) {
  const Graph &a = *savings_.a, &b = *savings_.b;
  std::vector<std::uint32_t> cell_at(savings_.columns, kOutside);  // of the row that is being looked at
  for (int k = 0; k < savings_.rows; ++k) {
    if (deadline.expired()) return false;
    if (a.degree(k) == 0) continue;
    for (std::size_t c = cells_.first[k]; c < cells_.first[k + 1]; ++c)
      cell_at[cells_.column[c]] = static_cast<std::uint32_t>(c);
    for (int r = 0; r < a.degree(k); ++r) {
      const Neighbour& to = a.neighbours(k)[r];
      const int i = to.node, s = to.back;  // row i sees row k along its s-th edge
      for (std::size_t c = cells_.first[i]; c < cells_.first[i + 1]; ++c) {
        const int j = cells_.column[c], columns = b.degree(j);
        std::uint32_t* others = other_.data() + block_[c] + static_cast<std::size_t>(s) * columns;
        for (int t = 0; t < columns; ++t) {
          const Neighbour& end = b.neighbours(j)[t];
          const std::uint32_t cell = cell_at[end.node];
          if (cell != kOutside)
            others[t] = block_[cell] + static_cast<std::uint32_t>(r * b.degree(end.node) + end.back);
        }
      }
    }
    for (std::size_t c = cells_.first[k]; c < cells_.first[k + 1]; ++c) cell_at[cells_.column[c]] = kOutside;
  }
  return true;
}

SmallStar<Weight> CandidateShares::load(std::size_t cell, int rows, int columns) const {
  static constexpr Weight kLanes[5][4] = {{0, 0, 0, 0}, {-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}, {-1, -1, -1, -1}};
  const Four<Weight> zero{};
  Four<Weight> lanes;
  std::memcpy(&lanes, kLanes[columns], sizeof lanes);
  SmallStar<Weight> star{};
  const Weight* share = share_.data() + block_[cell];
  for (int s = 0; s < rows; ++s, share += columns) {
    Four<Weight> row;
    std::memcpy(&row, share, sizeof row);
    star.row[s] = max_of(row & lanes, zero);
  }
  return star;
}

Weight CandidateShares::star(std::size_t cell) {
  const int rows = rows_of(cell), columns = columns_of(cell);
  if (rows == 0 || columns == 0) return 0;
  return rows <= 4 && columns <= 4 ? load(cell, rows, columns).best_matching() : solve_large(cell);
}

void CandidateShares::send(std::size_t cell, Weight room) {
  const int rows = rows_of(cell), columns = columns_of(cell);
  if (rows == 0 || columns == 0) return;
  if (rows > 4 || columns > 4) return send_large(cell, room);
  SmallStar<Weight> star = load(cell, rows, columns);
  send_from<0>(cell, star, columns, room);
  if (rows > 1) send_from<1>(cell, star, columns, room);
  if (rows > 2) send_from<2>(cell, star, columns, room);
  if (rows > 3) send_from<3>(cell, star, columns, room);
}

/// A matching uses row A once at most, so all of the row's shares can grow at the same time.
template <int A>
void CandidateShares::send_from(std::size_t cell, SmallStar<Weight>& star, int columns, Weight room) {
  const std::size_t at = block_[cell] + static_cast<std::size_t>(A) * columns;
  const Four<Weight> zero{}, without = star.template best_matching_without<A>();
  for (int t = 0; t < columns; ++t) {
    Weight& share = share_.data()[at + t];
    if (other_.data()[at + t] == kOutside || share <= kDead / 2) continue;
    const Weight moved = (room - share - without[t]) >> 1;
    if (moved <= 0) continue;
    share += moved;
    share_.data()[other_.data()[at + t]] -= moved;
    star.row[A][t] = std::max<Weight>(0, share);
  }
  star.row[A] = max_of(star.row[A], zero);
}

Weight CandidateShares::solve_large(std::size_t cell) {
  const int rows = rows_of(cell), columns = columns_of(cell);
  large_.resize(rows, columns);
  const Weight* share = share_.data() + block_[cell];
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t) large_.at(s, t) = std::max<Weight>(0, *share++);
  return large_.solve();
}

/// With the reduced costs of one assignment in place of exact maxima: weaker a round, but any degree.
void CandidateShares::send_large(std::size_t cell, Weight room) {
  const int rows = rows_of(cell), columns = columns_of(cell);
  const Weight spare = (room - solve_large(cell)) / std::max(1, std::min(rows, columns));
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t) {
      const std::size_t at = block_[cell] + static_cast<std::size_t>(s) * columns + t;
      const Weight moved = (large_.u(s) + large_.v(t) - share_.data()[at] + spare) / 2;
      if (other_.data()[at] == kOutside || share_.data()[at] <= kDead / 2 || moved <= 0) continue;
      share_.data()[at] += moved;
      share_.data()[other_.data()[at]] -= moved;
    }
}

void CandidateShares::strike(std::size_t cell) {
  alive_[cell] = 0;
  --alive_cells_;
  for (std::size_t p = block_[cell]; p < block_[cell + 1]; ++p)
    if (other_.data()[p] != kOutside) share_.data()[other_.data()[p]] = kDead;
}

void CandidateShares::strike_outside() {
  for (std::size_t p = 0; p < block_.back(); ++p)
    if (other_.data()[p] == kOutside) share_.data()[p] = kDead;
}

}  // namespace graphedx
