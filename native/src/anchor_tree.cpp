// What both searches share: the order of the rows, the state of a partial mapping, the bound, and incumbents.
#include "graphedx/anchor_tree.hpp"

#include <algorithm>
#include <cstring>

#include "graphedx/symmetry.hpp"

namespace graphedx {

namespace {

constexpr int kRowsAtOnce = 8;  // of a large root assignment, between two looks at the clock

}  // namespace

template <class W>
AnchorTree<W>::AnchorTree(const Problem& problem, Deadline& deadline, std::size_t node_bytes)
    : w_(problem),
      matchings_(w_, deadline),
      local_(w_, deadline),
      deadline_(deadline),
      gain_(w_.node),
      weights_(w_.node.size(), -Assignment<W>::kGone),
      row_bundle_(w_.rows),
      column_bundle_(w_.stride, 0),
      column_savings_(w_.stride),
      mapped_columns_(words_for(w_.columns)),
      seen_columns_(mapped_columns_.size()),
      orbit_(mapped_columns_.size()),
      scratch_(4 * static_cast<std::size_t>(w_.stride)),
      int_scratch_(w_.stride),
      pool_(w_.rows, w_.columns, w_.stride, node_bytes) {
  for (int i = 0; i < w_.rows; ++i) row_bundle_[i] = matchings_.rows.of_node(i);
  for (int j = 0; j < w_.columns; ++j) column_bundle_[j] = matchings_.columns.of_node(j);
  mapped_.reserve(w_.rows);
  undo_mark_.reserve(w_.rows);
  assignment_.bind(weights_.data(), w_.stride, scratch_.data(), int_scratch_.data(), deadline);
  order_rows();
}

/// Next comes the row with the most edges to unmapped rows, for these the bound only guesses at; an edge to a mapped row
/// counts half. Of equal rows, first the one that fewest columns welcome, then the one in the busiest neighbourhood.
/// After a cover of all edges the bound is exact: rows of low degree are rarely branched on.
template <class W>
void AnchorTree<W>::order_rows() {
  std::vector<int> free_edges(w_.rows), welcome(w_.rows, 0);
  for (int i = 0; i < w_.rows; ++i) {
    free_edges[i] = w_.a->degree(i);
    for (int j = 0; j < w_.columns; ++j) welcome[i] += w_.node[w_.at(i, j)] > 0;
  }
  std::vector<char> taken(w_.rows, 0);
  const auto busyness = [&](int i) {
    int edges = 0;
    for (int s = 0; s < w_.a->degree(i); ++s) {
      const int k = w_.a->neighbours(i)[s].node;
      if (!taken[k]) edges += free_edges[k];
    }
    return edges;
  };
  const auto comes_before = [&](int i, int k) {
    const int weight_i = w_.a->degree(i) + free_edges[i], weight_k = w_.a->degree(k) + free_edges[k];
    if (weight_i != weight_k) return weight_i > weight_k;
    return welcome[i] != welcome[k] ? welcome[i] < welcome[k] : busyness(i) > busyness(k);
  };
  order_.reserve(w_.rows);
  while (static_cast<int>(order_.size()) < w_.rows) {
    const bool any_will_do = w_.rows > 64 && deadline_.expired();
    int best = -1;
    for (int i = 0; i < w_.rows; ++i)
      if (!taken[i] && (best < 0 || (!any_will_do && comes_before(i, best)))) best = i;
    taken[best] = 1;
    order_.push_back(best);
    for (int s = 0; s < w_.a->degree(best); ++s) --free_edges[w_.a->neighbours(best)[s].node];
  }
}

/// Some mapping, and the root of the tree: null if there is nothing of interest below it, or no time.
template <class W>
typename AnchorTree<W>::Node* AnchorTree<W>::plant(std::int64_t threshold) {
  trial_.assign(w_.rows, -1);
  if (w_.mandatory)
    for (int i = 0; i < w_.rows; ++i) trial_[i] = i;
  best_ = whole(w_.value_of(trial_));
  best_columns_ = trial_;
  level_ = std::max(best_, threshold);

  Node* root = pool_.take();
  const auto& d = root->duals;
  std::fill(d.u, d.u + w_.rows, 0);
  std::fill(d.v, d.v + w_.columns, 0);
  std::fill(d.v + w_.columns, d.v + w_.stride, Assignment<W>::kGone);
  std::fill(d.column, d.column + w_.rows, -1);
  std::fill(d.row, d.row + w_.stride, -1);
  root->saved = 0;
  root->depth = 0;
  weigh(0);
  for (int rows = 0; rows == 0 || (w_.rows > 64 && rows < w_.rows); rows += kRowsAtOnce) {
    assignment_.repair(d, order_.data(), rows);
    if (!deadline_.expired()) continue;
    root_bound_ = open_bound_ = whole(std::min(w_.most, unfinished_bound(*root)));
    return nullptr;
  }
  const bool alive = settle(*root, w_.most);
  root_bound_ = whole(root->bound);
  return alive ? root : nullptr;
}

/// An assignment that is not solved yet bounds all others too: every row pays the price of the column it likes best.
template <class W>
W AnchorTree<W>::unfinished_bound(const Node& root) const {
  W total = 0;
  for (int j = 0; j < w_.columns; ++j) total += root.duals.v[j];
  for (int i = 0; i < w_.rows; ++i) {
    W most = 0;
    for (int j = 0; j < w_.columns; ++j) most = std::max(most, weights_[w_.at(i, j)] - root.duals.v[j]);
    total += most;
  }
  return total;
}

// -- which rows are mapped ----------------------------------------------------------------------------------------

template <class W>
void AnchorTree<W>::move_to(const Node& node) {
  const std::size_t depth = static_cast<std::size_t>(node.depth), most = std::min(mapped_.size(), depth);
  std::size_t same = 0;
  while (same < most && mapped_[same] == node.duals.column[order_[same]]) ++same;
  while (mapped_.size() > same) unmap_last();
  while (mapped_.size() < depth) map_next(node.duals.column[order_[mapped_.size()]]);
}

template <class W>
void AnchorTree<W>::map_next(int column) {
  const int row = order_[mapped_.size()];
  undo_mark_.push_back(undo_.size());
  mapped_.push_back(column);
  const auto shrink_around = [&](const Graph& graph, int node, KindBundles& bundles, std::vector<int>& bundle_of) {
    for (int s = 0; s < graph.degree(node); ++s) {
      const int other = graph.neighbours(node)[s].node;
      undo_.emplace_back(&bundle_of[other], bundle_of[other]);
      bundle_of[other] = bundles.without(bundle_of[other], graph.kind(other, node));
    }
  };
  shrink_around(*w_.a, row, matchings_.rows, row_bundle_);
  if (column < 0) return;
  shrink_around(*w_.b, column, matchings_.columns, column_bundle_);
  set_bit(mapped_columns_.data(), column);
  anchor(row, column, 1);
}

template <class W>
void AnchorTree<W>::unmap_last() {
  const int column = mapped_.back();
  mapped_.pop_back();
  for (; undo_.size() > undo_mark_.back(); undo_.pop_back()) *undo_.back().first = undo_.back().second;
  undo_mark_.pop_back();
  if (column < 0) return;
  clear_bit(mapped_columns_.data(), column);
  anchor(order_[mapped_.size()], column, -1);
}

/// Neighbours of a mapped pair earn (or, with sign -1, lose again) the full saving of the edge between.
template <class W>
void AnchorTree<W>::anchor(int row, int column, int sign) {
  const Neighbour *left = w_.a->neighbours(row), *right = w_.b->neighbours(column);
  for (int s = 0; s < w_.a->degree(row); ++s)
    for (int t = 0; t < w_.b->degree(column); ++t)
      gain_[w_.at(left[s].node, right[t].node)] += static_cast<W>(sign) * w_.edge_weight(left[s].kind, right[t].kind);
}

// -- the bound ----------------------------------------------------------------------------------------------------

/// Cells of mapped columns get a weight too, but their price keeps everybody out.
template <class W>
void AnchorTree<W>::weigh(int depth) {
  const bool plain = matchings_.is_plain();
  const int* bundle = column_bundle_.data();
  const W* available = column_savings_.data();
  if (plain)
    for (int j = 0; j < w_.stride; ++j) column_savings_[j] = matchings_.half_saving(matchings_.columns.edges(bundle[j]));
  for (int r = depth; r < w_.rows; ++r) {
    const int i = order_[r];
    const W* gain = gain_.data() + w_.at(i, 0);
    W* weights = weights_.data() + w_.at(i, 0);
    if (plain) {  // the same as below without a look-up a cell
      const W own = matchings_.half_saving(matchings_.rows.edges(row_bundle_[i]));
      for (int j = 0; j < w_.stride; ++j) weights[j] = gain[j] + std::min(own, available[j]);
    } else {
      const W* line = matchings_.line(row_bundle_[i]);
      for (int j = 0; j < w_.stride; ++j) weights[j] = gain[j] + line[bundle[j]];
    }
  }
}

/// Maps the parent's next row as chosen and solves the node's own assignment, from the parent's. False if nothing of
/// interest is left below.
template <class W>
bool AnchorTree<W>::refine(const Node& parent, const Child& choice, Node& node) {
  const auto& d = node.duals;
  std::memcpy(d.u, parent.duals.u, sizeof(W) * (w_.rows + w_.stride));
  std::memcpy(d.column, parent.duals.column, sizeof(int) * (w_.rows + w_.stride));
  const int row = order_[parent.depth], column = choice.column;
  if (d.column[row] >= 0) d.row[d.column[row]] = -1;
  d.column[row] = column;
  d.u[row] = 0;
  if (column >= 0) {
    if (d.row[column] >= 0) d.column[d.row[column]] = -1;
    d.row[column] = -1;
    d.v[column] = Assignment<W>::kGone;
  }
  node.depth = parent.depth + 1;
  move_to(node);
  // A row's gain is made by its neighbours, so mapping the row itself has not changed it.
  node.saved = parent.saved + (column < 0 ? 0 : gain_[w_.at(row, column)]);
  weigh(node.depth);
  return settle(node, std::min(parent.bound, parent.assigned - choice.loss));
}

template <class W>
bool AnchorTree<W>::settle(Node& node, W limit) {
  ++nodes_;
  const auto& d = node.duals;
  assignment_.repair(d, order_.data() + node.depth, w_.rows - node.depth);
  node.assigned = node.saved;
  for (int i = 0; i < w_.rows; ++i) node.assigned += d.u[i];  // 0 for mapped rows
  for (int j = 0; j < w_.columns; ++j) node.assigned += d.v[j] == Assignment<W>::kGone ? 0 : d.v[j];
  node.bound = std::min(limit, node.assigned);
  if (node.bound < floor_level()) return false;
  offer_assignment(node);
  if (node.bound < floor_level()) return false;
  list_children(node);
  return node.count > 0;
}

/// The places for the next row that can still win, best first.
template <class W>
void AnchorTree<W>::list_children(Node& node) {
  node.next = node.count = 0;
  if (node.depth == w_.rows) return;
  const auto& d = node.duals;
  const int row = order_[node.depth];
  const W* weights = weights_.data() + w_.at(row, 0);
  const W slack = node.assigned - floor_level();
  for (int j = 0; j < w_.columns; ++j) {
    const W loss = d.u[row] + d.v[j] - weights[j];
    if (loss <= slack && d.v[j] != Assignment<W>::kGone) node.children[node.count++] = {loss, j};
  }
  if (!w_.mandatory && d.u[row] <= slack) node.children[node.count++] = {d.u[row], -1};
  std::sort(node.children, node.children + node.count,
            [](const Child& x, const Child& y) { return x.loss != y.loss ? x.loss < y.loss : x.column < y.column; });
  if (node.count > 1 && !w_.b->symmetry().trivial) drop_symmetric_children(node);
}

/// Of columns that an automorphism makes of each other, all mapped columns in place, one is enough.
template <class W>
void AnchorTree<W>::drop_symmetric_children(Node& node) {
  std::fill(seen_columns_.begin(), seen_columns_.end(), 0);
  int kept = 0;
  for (int c = 0; c < node.count; ++c) {
    const Child child = node.children[c];
    if (child.column >= 0) {
      if (test_bit(seen_columns_.data(), child.column)) continue;
      w_.b->symmetry().orbit(child.column, mapped_columns_.data(), orbit_.data());
      for (std::size_t word = 0; word < orbit_.size(); ++word) seen_columns_[word] |= orbit_[word];
    }
    node.children[kept++] = child;
  }
  node.count = kept;
}

// -- incumbents ---------------------------------------------------------------------------------------------------

template <class W>
void AnchorTree<W>::offer_assignment(const Node& node) {
  const auto& d = node.duals;
  std::copy(d.column, d.column + w_.rows, trial_.begin());
  if (w_.mandatory) {
    int next = 0;
    for (int r = node.depth; r < w_.rows; ++r) {
      if (trial_[order_[r]] >= 0) continue;
      while (d.row[next] >= 0 || d.v[next] == Assignment<W>::kGone) ++next;
      trial_[order_[r]] = next++;
    }
  }
  W value = w_.value_of(trial_);
  // Local search costs as much as a node: it pays where a mapping lacks little, or where much can be won.
  const W best = static_cast<W>(best_) * w_.scale;
  if (improving_ && best - value <= 3 * (node.bound - best)) local_.improve(trial_, value);
  if (whole(value) <= best_) return;
  best_ = whole(value);
  best_columns_ = trial_;
  level_ = std::max(level_, best_);
}

template class AnchorTree<std::int32_t>;
template class AnchorTree<std::int64_t>;

}  // namespace graphedx
