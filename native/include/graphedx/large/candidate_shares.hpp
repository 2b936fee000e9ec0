// Shares of edge savings (see shares.hpp) for a list of cells instead of all of them.
//
// Cells that are not on the list are "outside": they keep a weight that follows from the types of their nodes, and the
// share that a listed cell has of an edge pair with an outside cell at its other end never changes.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/buffer.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/large/sparse_assignment.hpp"
#include "graphedx/star.hpp"

namespace graphedx {

class CandidateShares {
 public:
  static constexpr Weight kDead = -(Weight{1} << 58);  ///< share of a neighbour pair that is out of the question
  static constexpr int kMostBlock = 4096;              ///< cells with more edge pairs than this must stay outside

  /// How many edge pairs have cell (i, j) at one end.
  static std::size_t block_size(const Savings& savings, int i, int j) {
    return static_cast<std::size_t>(savings.a->degree(i)) * savings.b->degree(j);
  }

  /// `cells` must outlive this. fill(cell, shares) writes what a cell has at first of the pairs of its edges, row after
  /// row: together with the share at the pair's other end at least the saving. O(edge pairs) time and memory. If the
  /// deadline passes first, `complete` stays false and nothing else may be used.
  template <class Fill>
  CandidateShares(const Savings& savings, const CellLists& cells, Deadline& deadline, Fill&& fill)
      : savings_(savings), cells_(cells) {
    lay_out_blocks();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (c % 1024 == 0 && deadline.expired()) return;
      fill(c, share_.data() + block_[c]);
      std::fill(other_.data() + block_[c], other_.data() + block_[c + 1], kOutside);
    }
    complete = join_ends(deadline);
  }

  bool complete = false;
  bool alive(std::size_t cell) const { return alive_[cell]; }
  std::size_t alive_cells() const { return alive_cells_; }
  /// The shares of a cell, row after row.
  const Weight* shares_of(std::size_t cell) const { return share_.data() + block_[cell]; }
  std::size_t edge_pairs() const { return block_.back(); }
  /// Most that the neighbours of a cell can save.
  Weight star(std::size_t cell);
  /// For each neighbour pair of the cell: what it could bear more of it comes half way over from the pair's own cell.
  /// `room` is what the star may weigh without raising the bound.
  void send(std::size_t cell, Weight room);
  /// Takes a cell out of every star that counted on it.
  void strike(std::size_t cell);
  /// Takes outside cells out of every star: for when none of them is in a better mapping. O(edge pairs).
  void strike_outside();

 private:
  static constexpr std::uint32_t kOutside = UINT32_MAX;

  void lay_out_blocks();
  bool join_ends(Deadline& deadline);
  int rows_of(std::size_t cell) const { return savings_.a->degree(cells_.row[cell]); }
  int columns_of(std::size_t cell) const { return savings_.b->degree(cells_.column[cell]); }
  SmallStar<Weight> load(std::size_t cell, int rows, int columns) const;
  template <int A>
  void send_from(std::size_t cell, SmallStar<Weight>& star, int columns, Weight room);
  void send_large(std::size_t cell, Weight room);
  Weight solve_large(std::size_t cell);

  const Savings& savings_;
  const CellLists& cells_;
  std::vector<std::uint32_t> block_;  // (cells + 1,) where a cell's shares begin
  Buffer<Weight> share_{0};           // (edge pairs + 4,) so that rows can be read four at a time
  Buffer<std::uint32_t> other_{0};    // (edge pairs,) place of the other end's share, or kOutside
  std::vector<char> alive_;
  std::size_t alive_cells_ = 0;
  LargeStar<Weight> large_;
};

}  // namespace graphedx
