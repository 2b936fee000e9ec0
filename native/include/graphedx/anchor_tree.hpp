// One tree of partial mappings, searched in two ways: best first to a proof, or level by level within a width.
//
// Rows are mapped in a fixed order. A node of the tree maps the first few of them (the "anchors"), and bounds what its
// completions save by
//
//   w(i, j) = node saving + savings with anchors, in full + best matching of the edges to unmapped neighbours, by half,
//   bound   = savings so far + best assignment of the remaining rows to columns under w.
//
// One assignment bounds all children of a node, by its reduced costs; a child's own is solved when its turn comes, from
// the parent's. Every assignment is a mapping too, and offered as one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graphedx/assignment.hpp"
#include "graphedx/bits.hpp"
#include "graphedx/buffer.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/kind_bundles.hpp"
#include "graphedx/local_search.hpp"
#include "graphedx/problem.hpp"
#include "graphedx/tree_nodes.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

/// W is the integer that weights are kept in: 32 bits where Weights<W>::fits, else 64. One search an object.
template <class W>
class AnchorTree {
 public:
  static constexpr std::size_t kNodeBytes = std::size_t{64} << 20;

  AnchorTree(const Problem& problem, Deadline& deadline, std::size_t node_bytes = kNodeBytes);

  /// Finds the most savings above `threshold`. Once the open nodes take `node_bytes` it goes on depth first.
  void best_first(std::int64_t threshold);
  /// Keeps the `width` best nodes a level (at least one), and improves promising mappings by local search.
  void beam(int width);

  std::int64_t best_savings() const { return best_; }  ///< of best_columns()
  const std::vector<int>& best_columns() const { return best_columns_; }
  std::int64_t savings_bound() const { return open_bound_; }  ///< no mapping saves more than this, best or threshold
  std::int64_t root_bound() const { return root_bound_; }     ///< no mapping saves more than this
  bool finished() const { return open_bound_ <= level_; }     ///< nothing better than best and threshold is left
  std::int64_t nodes() const { return nodes_; }
  /// What the children that the beam dropped for its width promised, in parts of which `scale()` make one whole saving.
  const std::vector<W>& left_open() const { return left_open_; }
  W scale() const { return w_.scale; }

 private:
  using Node = TreeNode<W>;
  using Child = TreeChild<W>;
  struct Open {
    std::int64_t most;  // whole savings that the node's next child can reach
    W promise;
    Node* node;
    bool operator<(const Open& other) const;
  };
  struct Candidate {
    std::int64_t most;
    W promise;
    int place;  // among all children of the level
    const Node* parent;
    const Child* choice;
    bool operator<(const Candidate& other) const;
  };

  // The tree.
  void order_rows();
  Node* plant(std::int64_t threshold);
  void expand_best();
  void push(Node* node);
  void dive(const Node& parent, const Child& choice);
  void list_candidates(const std::vector<Node*>& level, std::size_t width);
  void leave_open(W promise) {
    open_bound_ = std::max(open_bound_, whole(promise));
    left_open_.push_back(promise);
  }

  // The bound.
  bool refine(const Node& parent, const Child& choice, Node& node);
  bool settle(Node& node, W limit);
  W unfinished_bound(const Node& root) const;
  void list_children(Node& node);
  void drop_symmetric_children(Node& node);
  void weigh(int depth);

  // Which rows are mapped, as gain_ and the bundles have it.
  void move_to(const Node& node);
  void map_next(int column);
  void unmap_last();
  void anchor(int row, int column, int sign);

  void offer_assignment(const Node& node);

  W floor_level() const { return static_cast<W>(level_ + 1) * w_.scale; }  ///< least bound that is of interest
  std::int64_t whole(W weight) const { return static_cast<std::int64_t>(weight / w_.scale); }

  const Weights<W> w_;
  BundleMatchings<W> matchings_;
  LocalSearch<W> local_;
  Deadline& deadline_;
  std::vector<int> order_;  // of rows
  std::vector<W> gain_;     // (rows, stride) node savings plus savings with mapped neighbours
  std::vector<W> weights_;  // (rows, stride) what the assignment sees
  std::vector<int> row_bundle_, column_bundle_;
  std::vector<W> column_savings_;           // (stride,) scratch of weigh
  std::vector<int> mapped_;                 // columns of the first rows in order_
  std::vector<std::pair<int*, int>> undo_;  // bundles that mapping changed, and what they were
  std::vector<std::size_t> undo_mark_;      // by depth
  std::vector<Word> mapped_columns_, seen_columns_, orbit_;
  Buffer<W> scratch_;
  Buffer<int> int_scratch_;
  Assignment<W> assignment_;

  NodePool<W> pool_;
  std::vector<Open> open_;             // a heap
  std::vector<Node*> stack_;           // of dive, by depth
  std::vector<Candidate> candidates_;  // of beam
  std::vector<W> left_open_;

  std::vector<int> trial_, best_columns_;
  std::int64_t best_ = -1;
  std::int64_t level_ = -1;  // max(best, threshold)
  std::int64_t open_bound_ = -1;
  std::int64_t root_bound_ = 0;
  std::int64_t nodes_ = 0;
  bool improving_ = false;  // whether offered mappings go through local search
  bool stopped_ = false;
};

}  // namespace graphedx
