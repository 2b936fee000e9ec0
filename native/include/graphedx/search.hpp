// Branch and bound on a savings problem. Every node of the tree bounds what its completions can still save:
//
//   w(i, j) = node saving + savings with nodes already mapped + best matching of the two stars of unmapped neighbours,
//   bound   = savings so far + best assignment of the remaining rows to columns under w.
//
// An inner edge pair (i,k) -> (j,l) is seen from (i,j) and from (k,l), so its saving is split between the two shares
// `theta`. Any split gives a valid bound; `send_slack` moves shares to cells that have room for them and so lowers the
// bound (a dual block-coordinate ascent on the first-level reformulation-linearisation bound). Reduced costs remove
// cells from the domains, and smaller domains make for smaller stars.
#pragma once

#include <cstdint>
#include <vector>

#include "graphedx/assignment.hpp"
#include "graphedx/bits.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/problem.hpp"
#include "graphedx/star.hpp"

namespace graphedx {

/// W is the integer that weights are kept in: 32 bits where they suffice.
template <class W>
class Search {
 public:
  static bool fits(const Problem& problem);

  Search(const Problem& problem, Deadline& deadline);

  /// Finds the most savings above `threshold`; completions that save no more are not looked at.
  void run(std::int64_t threshold);

  std::int64_t best_savings() const { return best_; }             ///< of best_columns()
  const std::vector<int>& best_columns() const { return best_columns_; }
  std::int64_t savings_bound() const { return open_bound_; }      ///< no mapping saves more than this or than best
  bool finished() const { return !stopped_; }
  std::int64_t nodes() const { return nodes_; }

 private:
  struct Frame {
    typename Assignment<W>::Duals duals;
    Word* domain;  // (rows, words): viable columns; bit `columns` means "stays alone"
  };
  struct Child {
    W loss;
    int column;
  };

  // Set-up.
  void lay_out();
  void fill_root();
  Frame frame(int depth);
  W* theta(int depth) { return theta_.data() + static_cast<std::size_t>(theta_level(depth)) * theta_size_; }
  int theta_level(int depth) const { return depth < theta_levels_ ? depth : theta_levels_ - 1; }
  bool owns_theta(int depth) const { return depth < theta_levels_; }

  // The bound.
  void weigh_stars(const Frame& f, const W* shares);
  W star_weight(const Frame& f, const W* shares, int i, int j);
  void gather(const Frame& f, const W* block, int i, int j, SmallStar<W>& star) const;
  void send_slack(const Frame& f, W* shares, bool backwards);
  void send_from_small(const Frame& f, W* shares, int i, int j, W room);
  void send_from_large(const Frame& f, W* shares, int i, int j, W room);
  W* block(W* shares, int i, int j) const { return shares + block_offset(i, j); }
  std::size_t block_offset(int i, int j) const {
    return static_cast<std::size_t>(a_->first(i)) * column_ends_ + static_cast<std::size_t>(a_->degree(i)) * b_->first(j);
  }
  W dual_total(const Frame& f) const;
  bool is_viable(const Frame& f, int i, int j) const { return test_bit(f.domain + static_cast<std::size_t>(i) * words_, j); }

  // The tree.
  void explore(int depth, W saved, W promised);
  bool tighten(int depth, W saved, W& bound, int& row);
  bool filter(const Frame& f, W slack);
  int branching_row(const Frame& f, int& images) const;
  void enter(int depth, int row, int column);
  void undo(int row, int column);
  void anchor(int row, int column, int sign);
  void leave_out_symmetric(const Frame& f, const Word* row_orbit, int column);
  void remove_row(int row);

  // Incumbents.
  void offer_assignment(const Frame& f);
  void offer(std::vector<int>& columns, W value);
  W value_of(const std::vector<int>& columns) const;
  void improve(std::vector<int>& columns, W& value);
  W gain_at(const std::vector<int>& columns, int row, int column, int except) const;
  void restart_locally(int rounds);
  W edge_weight(int s, int t) const { return edge_[static_cast<std::size_t>(s) * problem_.column_kinds + t]; }
  W floor_level() const { return static_cast<W>(level_ + 1) * scale_; }  ///< least bound that is of interest

  const Problem& problem_;
  Deadline& deadline_;
  const Graph* a_;
  const Graph* b_;
  int rows_, columns_, stride_, words_, row_words_, column_words_;
  int column_ends_;  // sum of degrees of the column graph
  W scale_;          // weight of one unit of savings: even, and large enough to split finely
  std::vector<W> node_;     // (rows, stride) node savings, scaled
  std::vector<W> edge_;     // (row kinds + 1, column kinds + 1), scaled
  std::vector<W> gain_;     // (rows, stride) node savings plus savings with mapped neighbours
  std::vector<W> weights_;  // (rows, stride) what the assignment sees
  std::vector<W> theta_;    // (levels, row ends, column ends) shares
  std::size_t theta_size_ = 0;
  int theta_levels_ = 1;
  std::vector<W> frame_values_;
  std::vector<int> frame_links_;
  std::vector<Word> frame_domains_;
  std::vector<Child> children_;  // (rows + 1, columns + 1)
  std::vector<int> active_rows_, active_place_;
  int active_count_ = 0;
  std::vector<Word> mapped_rows_, mapped_columns_, row_orbits_, column_orbit_;
  std::vector<int> image_;  // of mapped rows
  std::vector<W> scratch_;
  std::vector<int> int_scratch_;
  LargeStar<W> large_star_;
  Assignment<W> assignment_;

  std::vector<int> trial_, inverse_, best_columns_;
  std::int64_t best_ = -1;
  std::int64_t level_ = -1;  // max(best, threshold)
  std::int64_t open_bound_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t next_restart_ = 16;
  std::uint64_t random_ = 0x9E3779B97F4A7C15u;
  bool stopped_ = false;
};

}  // namespace graphedx
