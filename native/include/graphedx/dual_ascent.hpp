// The bound of one assignment, and rounds that tighten it: shares of edge savings move to cells that have room.
#pragma once

#include <vector>

#include "graphedx/bits.hpp"
#include "graphedx/buffer.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/root_assignment.hpp"
#include "graphedx/shares.hpp"

namespace graphedx {

template <class W>
class DualAscent {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // for the shares; above that there are no rounds

  DualAscent(const Weights<W>& weights, Deadline& deadline)
      : w_(weights),
        deadline_(deadline),
        assignment_(weights, deadline),
        split_(weights, deadline),
        can_move_(split_.size() > 0 && split_.size() <= kMostBytes / sizeof(W)),
        words_(words_for(w_.columns + 1)) {
    assignment_.weigh_stars(1);
    assignment_.solve();
    bound_ = assignment_.total();
  }

  const RootAssignment<W>& assignment() const { return assignment_; }
  W bound() const { return bound_; }

  /// One round; false if it could not, or if time is up. The bound never rises. O(m m') time.
  bool tighten() {
    if (!can_move_ || deadline_.expired()) return false;
    if (shares_.empty() && !fill()) return false;
    for (int r = 0; r < w_.rows; ++r) {
      const int i = split_.row_of_sweep(r, backwards_);
      if (w_.a->degree(i) == 0) continue;
      if (is_late()) return false;
      split_.send_row(shares_.data(), i, backwards_, domain(i), words_, [&](int j) {
        return assignment_.u(i) + assignment_.v(j) - w_.node[w_.at(i, j)];
      });
    }
    backwards_ = !backwards_;
    for (int i = 0; i < w_.rows; ++i) {
      const auto write = [&](int j, W star) { assignment_.weight(i, j) = w_.node[w_.at(i, j)] + star; };
      if (is_late() || !split_.weigh_row(shares_.data(), i, domain(i), words_, write)) return false;
    }
    assignment_.solve();
    bound_ = std::min(bound_, assignment_.total());
    return true;
  }

 private:
  static constexpr double kSecondsAShare = 7e-9;

  bool is_late() { return w_.rows > 64 && deadline_.expired(); }
  Word* domain(int i) { return domains_.data() + static_cast<std::size_t>(i) * words_; }

  /// False if there is no time for it.
  bool fill() {
    if (static_cast<double>(split_.size()) * kSecondsAShare > deadline_.seconds_left()) {
      deadline_.strike_unless_pausing();
      return can_move_ = false;
    }
    shares_.resize(split_.size());
    split_.fill(shares_.data());
    domains_.assign(static_cast<std::size_t>(w_.rows) * words_, 0);
    for (int i = 0; i < w_.rows; ++i)
      for (int j = 0; j < w_.columns; ++j) {
        if (!w_.is_forbidden(i, j)) {
          set_bit(domain(i), j);
        } else {
          split_.for_each_reference(i, j, [&](std::size_t position) { shares_[position] = Shares<W>::kDead; });
        }
      }
    return true;
  }

  const Weights<W>& w_;
  Deadline& deadline_;
  RootAssignment<W> assignment_;
  Shares<W> split_;
  bool can_move_;
  W bound_ = 0;
  bool backwards_ = false;
  int words_;
  std::vector<W> shares_;
  std::vector<Word> domains_;  // cells that are not forbidden
};

}  // namespace graphedx
