// The edges that a node has to unmapped neighbours, told apart by their kinds only.
//
// How much two such bundles can save together depends on how many edges of each kind they hold. So every bundle that
// turns up gets a number, taking an edge out leads from number to number, and two bundles are matched only once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/star.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

/// The bundles of one graph.
class KindBundles {
 public:
  explicit KindBundles(const Graph& graph)
      : kinds_(static_cast<int>(graph.kinds().size())),
        most_(std::max(graph.size() + 1, std::min(1024, (1 << 20) / (kinds_ + 1)))) {
    number(std::vector<int>(kinds_, 0));
    std::vector<int> counts(kinds_);
    of_node_.reserve(graph.size());
    for (int i = 0; i < graph.size(); ++i) {
      std::fill(counts.begin(), counts.end(), 0);
      for (int s = 0; s < graph.degree(i); ++s) ++counts[graph.neighbours(i)[s].kind - 1];
      of_node_.push_back(number(counts));
    }
  }

  int size() const { return static_cast<int>(edges_.size()); }
  int of_node(int node) const { return of_node_[node]; }  ///< all of the node's edges
  int edges(int bundle) const { return edges_[bundle]; }
  int count(int bundle, int kind) const { return counts_[static_cast<std::size_t>(bundle) * kinds_ + kind - 1]; }
  int kinds() const { return kinds_; }
  const std::vector<int>& kinds_in(int bundle) const { return present_[bundle]; }  ///< those it has any edges of

  /// The bundle with one edge of that kind less. Past the cap on numbers it is the same bundle again: an edge too many
  /// makes a bound looser, never wrong.
  int without(int bundle, int kind) {
    const std::size_t at = static_cast<std::size_t>(bundle) * kinds_ + kind - 1;
    if (without_[at] < 0) {
      std::vector<int> counts(counts_.begin() + static_cast<std::size_t>(bundle) * kinds_,
                              counts_.begin() + static_cast<std::size_t>(bundle + 1) * kinds_);
      if (counts[kind - 1] > 0) --counts[kind - 1];
      const int smaller = number(counts);
      without_[at] = smaller < 0 ? bundle : smaller;
    }
    return without_[at];
  }

 private:
  int number(const std::vector<int>& counts) {
    std::uint64_t hash = 0;
    for (int count : counts) hash = (hash ^ static_cast<unsigned>(count)) * 0x9E3779B97F4A7C15u;
    for (int bundle = 0; bundle < size(); ++bundle)
      if (hashes_[bundle] == hash &&
          std::equal(counts.begin(), counts.end(), counts_.begin() + static_cast<std::size_t>(bundle) * kinds_))
        return bundle;
    if (size() >= most_) return -1;
    counts_.insert(counts_.end(), counts.begin(), counts.end());
    without_.resize(counts_.size(), -1);
    int edges = 0;
    for (int count : counts) edges += count;
    edges_.push_back(edges);
    std::vector<int>& present = present_.emplace_back();
    for (int kind = 1; kind <= kinds_; ++kind)
      if (counts[kind - 1] > 0) present.push_back(kind);
    hashes_.push_back(hash);
    return size() - 1;
  }

  int kinds_, most_;
  std::vector<int> of_node_, edges_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::vector<int>> present_;
  std::vector<int> counts_;   // (bundles, kinds)
  std::vector<int> without_;  // (bundles, kinds); -1: not looked up yet
};

/// What a bundle of rows' edges and a bundle of columns' edges can save, half of it: the other ends count the rest.
template <class W>
class BundleMatchings {
 public:
  BundleMatchings(const Weights<W>& weights, Deadline& deadline)
      : rows(*weights.a), columns(*weights.b), w_(weights), deadline_(deadline) {
    const W* first = w_.edge.data() + w_.column_kinds;
    for (const W* edge = first; edge < w_.edge.data() + w_.edge.size(); ++edge) most_ = std::max(most_, *edge);
    plain_ = rows.kinds() <= 1 && columns.kinds() <= 1;
  }

  KindBundles rows, columns;

  /// One kind of edge only: two bundles save half_saving(edges of the smaller one).
  bool is_plain() const { return plain_; }
  W half_saving(int edges) const { return static_cast<W>(edges) * (most_ / 2); }

  /// Savings of this row bundle with every column bundle that has a number so far.
  const W* line(int row_bundle) {
    if (static_cast<int>(lines_.size()) < rows.size()) lines_.resize(rows.size());
    std::vector<W>& line = lines_[row_bundle];
    while (static_cast<int>(line.size()) < columns.size())
      line.push_back(half_matching(row_bundle, static_cast<int>(line.size())));
    return line.data();
  }

 private:
  static constexpr int kMostMatched = 16;  // larger bundles, and thus many kinds of them, are bounded without a matching

  W half_matching(int x, int y) {
    const int left = rows.edges(x), right = columns.edges(y), least = std::min(left, right);
    if (plain_ || least == 0) return half_saving(least);
    const bool is_small = left <= 4 && right <= 4;
    if ((!is_small || w_.rows > 64) && deadline_.expired()) return half_saving(least);
    if (is_small) return small_matching(x, y) / 2;
    if (least > kMostMatched) return loose(x, y) / 2;
    large_.resize(left, right);
    for_each_edge(rows, x, [&](int a, int s) {
      for_each_edge(columns, y, [&](int b, int t) { large_.at(a, b) = w_.edge_weight(s, t); });
    });
    return large_.solve() / 2;
  }

  W small_matching(int x, int y) const {
    SmallStar<W> star{};
    for_each_edge(rows, x, [&](int a, int s) {
      for_each_edge(columns, y, [&](int b, int t) { star.row[a][b] = w_.edge_weight(s, t); });
    });
    return star.best_matching();
  }

  /// Every edge takes its best partner, whoever else may have it.
  W loose(int x, int y) const {
    W by_row = 0, by_column = 0;
    for (int s : rows.kinds_in(x)) {
      W best = 0;
      for (int t : columns.kinds_in(y)) best = std::max(best, w_.edge_weight(s, t));
      by_row += static_cast<W>(rows.count(x, s)) * best;
    }
    for (int t : columns.kinds_in(y)) {
      W best = 0;
      for (int s : rows.kinds_in(x)) best = std::max(best, w_.edge_weight(s, t));
      by_column += static_cast<W>(columns.count(y, t)) * best;
    }
    return std::min({by_row, by_column, 2 * half_saving(std::min(rows.edges(x), columns.edges(y)))});
  }

  template <class Visit>
  static void for_each_edge(const KindBundles& side, int bundle, Visit&& visit) {
    int place = 0;
    for (int kind : side.kinds_in(bundle))
      for (int c = 0; c < side.count(bundle, kind); ++c) visit(place++, kind);
  }

  const Weights<W>& w_;
  Deadline& deadline_;
  W most_ = 0;
  bool plain_;
  LargeStar<W> large_;
  std::vector<std::vector<W>> lines_;  // by row bundle
};

}  // namespace graphedx
