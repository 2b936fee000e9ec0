// Local search from several starts, with a bound that says when to stop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphedx/dual_ascent.hpp"
#include "graphedx/ipfp.hpp"
#include "graphedx/local_search.hpp"

namespace graphedx {

template <class W>
class Refinement {
 public:
  Refinement(const Weights<W>& weights, Deadline& deadline)
      : w_(weights), deadline_(deadline), ascent_(weights, deadline), local_(weights, deadline) {
    ascent_.assignment().read_columns(best_columns_);
    best_ = w_.value_of(best_columns_);
  }

  /// Goes on for so many starts, or until the mapping is proven to be the best or time is up.
  void run(int starts) {
    for (; starts > 0 && !is_proven() && !deadline_.expired(); --starts) {
      ascends_ = ascends_ && start_ <= kAscents && (start_ == 0 || ascent_.tighten());
      if (ascends_) {
        ascent_.assignment().read_columns(trial_);
      } else if (start_ % kFresh == 0 && can_start_afresh()) {
        ipfp_->run(trial_);
      } else {
        trial_ = best_columns_;
        local_.shake(trial_, 4 + start_ % 4);
      }
      ++start_;
      W value = w_.value_of(trial_);
      local_.improve(trial_, value);
      if (value >= best_) best_columns_ = trial_;  // equally good ones too: elsewhere, there may be better ones near
      best_ = std::max(best_, value);
    }
  }

  bool is_proven() const { return ascent_.bound() - best_ < w_.scale; }
  const std::vector<int>& best_columns() const { return best_columns_; }
  std::int64_t best_savings() const { return static_cast<std::int64_t>(best_ / w_.scale); }
  std::int64_t most_savings() const { return static_cast<std::int64_t>(ascent_.bound() / w_.scale); }

 private:
  static constexpr int kAscents = 3;  // the first starts are assignments: plain, and after each of these rounds
  static constexpr double kSecondsACell = 5e-8;
  static constexpr int kFresh = 10;   // every so many starts one is found anew, by Frank-Wolfe steps

  /// Its tables take a while to fill: not if there is no time for it.
  bool can_start_afresh() {
    if (!ipfp_ && static_cast<double>(w_.node.size()) * kSecondsACell < deadline_.seconds_left())
      ipfp_.emplace(w_, deadline_);
    return ipfp_.has_value();
  }

  const Weights<W>& w_;
  Deadline& deadline_;
  DualAscent<W> ascent_;
  LocalSearch<W> local_;
  std::optional<Ipfp<W>> ipfp_;
  std::vector<int> trial_, best_columns_;
  W best_ = 0;
  int start_ = 0;
  bool ascends_ = true;
};

}  // namespace graphedx
