// A bound on what any mapping weighs, for graphs whose cells do not fit in memory: shares are kept for the most likely
// cells of each row, all others have implicit weights.
#pragma once

#include <memory>
#include <vector>

#include "graphedx/bits.hpp"
#include "graphedx/large/candidate_shares.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/large/implicit_weights.hpp"
#include "graphedx/large/node_types.hpp"

namespace graphedx {

class CandidateBound {
 public:
  /// Chooses candidates: all cells if they fit in a fixed budget, else the same number for each row, those with the
  /// least slack first and of equals those whose neighbourhoods look alike farthest. `include` (a mapping) is among them.
  /// O(n * m) time, memory in proportion to the budget. All arguments must outlive this.
  CandidateBound(const Savings& savings, const TypeBound& types, const Colours& colours, const std::vector<int>& include,
                 Deadline& deadline);

  /// False if the deadline passed before there were candidates: the type bound is then all there is.
  bool usable() const { return shares_ != nullptr; }
  /// One round: weigh, assign, price what is outside, send slack, and let in cells that hold the bound up. Afterwards no
  /// mapping that weighs more than `best` weighs more than total(), which never rises. Strikes out cells that no such
  /// mapping uses.
  /// Returns whether that got it a good step further.
  bool improve(Weight best);
  Weight total() const { return total_; }
  /// The assignment that the last round found; -1: alone.
  const std::vector<int>& assignment() const { return assignment_.column; }
  /// Whether all cells that a better mapping could use are candidates.
  bool is_complete() const { return complete_; }
  std::size_t candidates() const { return shares_->alive_cells(); }
  /// Places (-1: alone) that a mapping better than `best` could give a row.
  std::vector<int> places(int i, Weight best) const;
  /// The same problem with a row in one of its places. Only if complete. O(n + candidates and their edge pairs).
  CandidateBound with(int i, int j) const { return CandidateBound(*this, i, j); }
  /// What a mapping that uses the cell loses at least, by the last round; a guess for cells that are not candidates.
  Weight loss(int i, int j) const;

 private:
  struct Cell {
    int row, column;
  };

  CandidateBound(const CandidateBound& parent, int row, int place);
  void choose(const Colours& colours, const std::vector<int>& include);
  void choose_in_row(const Colours& colours, int i, int included, std::size_t most_cells, std::size_t most_pairs);
  void weigh();
  bool price_outside();
  std::size_t filter(Weight slack);
  void filter_outside(Weight slack);
  void rebuild();
  void send();
  bool is_dead(int i, int j) const { return !dead_.empty() && test_bit(dead_.data() + dead_words_ * i, j); }

  const Savings& savings_;
  const TypeBound& types_;
  std::shared_ptr<ImplicitWeights> implicit_;
  Deadline& deadline_;
  std::unique_ptr<CellLists> cells_;
  std::unique_ptr<CandidateShares> shares_;
  SparseAssignment assignment_;
  std::vector<Weight> weights_;   // of the candidates
  std::vector<Weight> raise_;     // (rows,) what a row's dual lacks to cover the cells outside
  std::vector<Cell> newcomers_;   // cells outside that shall become candidates, by row
  std::vector<Word> dead_;        // (rows, columns) bits: struck out; empty if nothing is outside, or too much
  std::size_t dead_words_ = 0;
  Weight total_;
  bool complete_ = false;  // nothing outside matters any more
  bool backwards_ = false;
};

}  // namespace graphedx
