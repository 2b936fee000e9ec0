// A bound on what any mapping weighs, for graphs whose cells do not fit in memory: shares are kept for the most likely
// cells of each row, all others have implicit weights.
#pragma once

#include <optional>
#include <vector>

#include "graphedx/candidate_shares.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/implicit_weights.hpp"
#include "graphedx/node_types.hpp"

namespace graphedx {

class CandidateBound {
 public:
  /// Chooses candidates: all cells if they fit in a fixed budget, else the same number for each row, those with the
  /// least slack first and of equals those whose neighbourhoods look alike farthest. `include` (a mapping) is among them.
  /// O(n * m) time, memory in proportion to the budget. All arguments must outlive this.
  CandidateBound(const Savings& savings, const TypeBound& types, const Colours& colours, const std::vector<int>& include,
                 Deadline& deadline);

  /// False if the deadline passed before there were candidates: the type bound is then all there is.
  bool usable() const { return shares_.has_value(); }
  /// One round: weigh, assign, price what is outside, and send slack. Afterwards no mapping that weighs more than
  /// `best` weighs more than total(), which never rises. Strikes out cells that no such mapping uses.
  void improve(Weight best);
  Weight total() const { return total_; }
  /// The assignment that the last round found; -1: alone.
  const std::vector<int>& assignment() const { return assignment_->column; }
  std::size_t candidates_left() const;
  bool is_complete() const { return complete_; }  ///< nothing outside matters any more

 private:
  void choose(const Colours& colours, const std::vector<int>& include);
  void weigh();
  Weight price_outside(Weight slack);
  void filter(Weight slack);
  void send();

  const Savings& savings_;
  const TypeBound& types_;
  ImplicitWeights implicit_;
  Deadline& deadline_;
  CellLists cells_;
  std::optional<CandidateShares> shares_;
  std::optional<SparseAssignment> assignment_;
  std::vector<Weight> weights_;  // of the candidates
  Weight total_;
  bool complete_ = false;
  bool backwards_ = false;
};

}  // namespace graphedx
