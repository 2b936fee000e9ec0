// The last step: once few candidates are left, a small depth-first search over them settles what is best.
#pragma once

#include <vector>

#include "graphedx/large/candidate_bound.hpp"
#include "graphedx/large/savings.hpp"

namespace graphedx {

class Proof {
 public:
  /// `best` and `column_of` are the best mapping so far, and are replaced by better ones.
  Proof(const Savings& savings, Deadline& deadline, Weight& best, std::vector<int>& column_of)
      : savings_(savings), deadline_(deadline), best_(best), column_of_(column_of) {}

  /// True if no mapping is better than `best` now. `root` must be complete. Gives up after so many nodes or at the
  /// deadline.
  bool run(CandidateBound& root, int most_nodes) {
    nodes_left_ = most_nodes;
    is_settled_.assign(savings_.rows, 0);
    return settle(root);
  }

 private:
  /// Bounds, offers the assignment, and branches on a row with the fewest places.
  bool settle(CandidateBound& node) {
    if (--nodes_left_ < 0) return false;
    for (bool again = true; again;) {
      again = node.improve(best_);
      if (deadline_.expired()) return false;
      offer(node.assignment());
      if (node.total() < best_ + savings_.scale) return true;
    }
    int row = -1;
    std::vector<int> places;
    for (int i = 0; i < savings_.rows; ++i) {
      std::vector<int> here = node.places(i, best_);
      if (here.empty()) return true;
      if (here.size() < 2 || is_settled_[i] || (row >= 0 && here.size() >= places.size())) continue;
      row = i;
      places = std::move(here);
    }
    if (row < 0) {  // one mapping is left
      std::vector<int> last(savings_.rows);
      for (int i = 0; i < savings_.rows; ++i) last[i] = node.places(i, best_)[0];
      offer(last);
      return true;
    }
    is_settled_[row] = 1;
    bool proved = true;
    for (std::size_t p = 0; p < places.size() && proved; ++p) {
      CandidateBound child = node.with(row, places[p]);
      proved = child.usable() && settle(child);
    }
    is_settled_[row] = 0;
    return proved;
  }

  void offer(const std::vector<int>& columns) {
    std::vector<char> used(savings_.columns, 0);
    for (int j : columns) {
      if (j < 0 ? savings_.mandatory : used[j]) return;
      if (j >= 0) used[j] = 1;
    }
    const Weight value = savings_.value_of(columns);
    if (value <= best_) return;
    best_ = value;
    column_of_ = columns;
  }

  const Savings& savings_;
  Deadline& deadline_;
  Weight& best_;
  std::vector<int>& column_of_;
  std::vector<char> is_settled_;  // rows that have been given a place
  int nodes_left_ = 0;
};

}  // namespace graphedx
