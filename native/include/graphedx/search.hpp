// Branch and bound on a savings problem. Every node of the tree bounds what its completions can still save:
//
//   w(i, j) = node saving + savings with nodes already mapped + best matching of the two stars of unmapped neighbours,
//   bound   = savings so far + best assignment of the remaining rows to columns under w.
//
// How an inner edge pair is shared between its two ends is free; Shares::send moves shares to cells that have room for
// them and so lowers the bound (a dual block-coordinate ascent on the first-level reformulation-linearisation bound).
// Reduced costs remove cells from the rows' domains, and smaller domains make for smaller stars.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graphedx/assignment.hpp"
#include "graphedx/bits.hpp"
#include "graphedx/buffer.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/local_search.hpp"
#include "graphedx/loose_stars.hpp"
#include "graphedx/problem.hpp"
#include "graphedx/shares.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

/// W is the integer that weights are kept in: 32 bits where Weights<W>::fits, else 64.
template <class W>
class Search {
 public:
  Search(const Problem& problem, Deadline& deadline);

  /// A mapping to begin with: the search looks for better ones.
  void start_from(std::vector<int> columns);

  /// Called after the root, and whenever a better mapping is found.
  void on_improvement(std::function<void()> tell) { tell_ = std::move(tell); }

  /// Spends no time on mappings that save less than the threshold: where none is expected to save more.
  void look_only_above(std::int64_t threshold) { only_above_ = threshold >= 0; }

  /// Gives up so many nodes after it has found a mapping that saves more than the threshold, even if others save more.
  void look_on_for(std::int64_t nodes) { nodes_after_ = nodes; }

  /// Finds the most savings above `threshold`; completions that save no more are not looked at. Gives up after so many
  /// nodes.
  void run(std::int64_t threshold, std::int64_t most_nodes = INT64_MAX);

  std::int64_t best_savings() const { return best_; }  ///< of best_columns()
  const std::vector<int>& best_columns() const { return best_columns_; }
  /// No mapping saves more than this, the best or the threshold.
  std::int64_t savings_bound() const { return std::min(open_bound_, tightest_root_); }
  /// No mapping saves more than this. Taken before anything is struck out: later bounds hold only for mappings that save
  /// more than the threshold or the best.
  std::int64_t root_bound() const { return root_bound_; }
  bool finished() const { return !stopped_; }
  std::int64_t nodes() const { return nodes_; }

 private:
  struct Frame {
    typename Assignment<W>::Duals duals;
    Word* domain;  // (rows, words): viable columns; bit `columns` means "stays alone"
    W* shares;     // the level's own, or those of the deepest level that has its own
    bool owns_shares;
  };
  struct Child {
    W loss;
    int column;
  };

  // Set-up.
  void fill_root();
  Frame frame(int depth);

  // The tree.
  void explore(int depth, W saved, W promised);
  void branch(int depth, W saved, W bound);
  void leave_open(W promised);
  bool tighten(int depth, W& saved, W& bound);
  bool map_forced(const Frame& f, W& saved);
  int list_children(const Frame& f, int row, Child* children) const;
  int branching_row(const Frame& f) const;
  void inherit(int depth);
  void map_row(const Frame& f, int row, int column);
  void unmap_row();
  void anchor(int row, int column, int sign);

  // The bound.
  bool weigh(const Frame& f);
  void send_slack(const Frame& f, bool backwards);
  bool filter(const Frame& f, W slack);
  void strike_out(const Frame& f, int row, int column);
  void strike_out_symmetric(const Frame& f, const Word* row_orbit, int column);
  void restore_shares(std::size_t mark);

  // Incumbents.
  void try_assignment(const Frame& f);
  void offer_assignment(const Frame& f);
  void offer_improved(const Frame& f);
  void offer(std::vector<int>& columns, W value);
  void restart_locally(int rounds);

  Word* domain(const Frame& f, int row) const { return f.domain + static_cast<std::size_t>(row) * words_; }
  W floor_level() const { return static_cast<W>(level_ + 1) * w_.scale; }  ///< least bound that is of interest

  const Weights<W> w_;
  Shares<W> split_;
  std::optional<LooseStars<W>> loose_;  // in place of shares where those would not fit
  LocalSearch<W> local_;
  Deadline& deadline_;
  int words_, row_words_, column_words_, share_levels_;  // share_levels_ is 0 if not even one level fits
  std::vector<W> gain_;     // (rows, stride) node savings plus savings with mapped neighbours
  std::vector<W> weights_;  // (rows, stride) what the assignment sees
  Buffer<W> shares_;   // (levels, Shares::size)
  std::vector<std::pair<std::size_t, W>> struck_;  // shares that levels without their own overwrote
  Buffer<W> frame_values_;
  Buffer<int> frame_links_;
  std::vector<std::unique_ptr<Word[]>> frame_domains_;  // of depths that were reached: all would be cubic
  Buffer<Child> children_;  // (rows + 1, columns + 1)
  std::vector<int> active_rows_, active_place_;
  int active_count_;
  std::vector<Word> mapped_rows_, mapped_columns_;
  Buffer<Word> row_orbits_, column_orbit_;  // (rows + 1, row words); (column words)
  std::vector<int> image_;                    // of mapped rows
  std::vector<std::pair<int, int>> mapped_;   // row, column in the order they were mapped
  Buffer<W> scratch_;
  Buffer<int> int_scratch_;
  Assignment<W> assignment_;

  std::vector<int> trial_, best_columns_;
  std::int64_t best_ = -1;
  std::int64_t level_ = -1;  // max(best, threshold)
  std::int64_t open_bound_ = -1;
  static constexpr std::int64_t kUnknown = INT64_MAX;
  std::int64_t root_bound_ = kUnknown, tightest_root_ = kUnknown;
  std::int64_t nodes_ = 0;
  std::int64_t next_restart_ = 64;
  std::int64_t most_nodes_ = INT64_MAX, nodes_after_ = INT64_MAX;
  std::function<void()> tell_;
  bool stopped_ = false;
  bool only_above_ = false;
};

}  // namespace graphedx
