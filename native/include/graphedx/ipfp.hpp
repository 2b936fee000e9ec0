// A good mapping fast: integer projected fixed point, from several starts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "graphedx/anchored_starts.hpp"
#include "graphedx/assignment.hpp"
#include "graphedx/deadline.hpp"
#include "graphedx/random.hpp"
#include "graphedx/weights.hpp"

namespace graphedx {

/// Maximises f(X) = <node, X> + <X, Q X> / 2 over doubly sub-stochastic X by Frank-Wolfe steps: the assignment S that
/// the gradient likes best, then the best point between X and S. Every S is a mapping: the best of them all is kept,
/// and X itself, a mixture of assignments, is never needed.
///
/// Q is never formed: mapping row k to column c adds to the gradient at the neighbours of k and c only. Memory is
/// O(rows * columns); a step is O(rows * columns + sum of degree products) and a warm-started assignment.
template <class W>
class Ipfp {
 public:
  Ipfp(const Weights<W>& weights, Deadline& deadline)
      : w_(weights),
        deadline_(deadline),
        node_(w_.node.size(), kNever),
        gradient_(w_.node.size()),
        start_(w_.node.size()),
        noise_(w_.node.size() + kNoiseShift * kNoises),
        through_(w_.stride),
        wanted_(w_.node.size()),
        scratch_(4 * static_cast<std::size_t>(w_.stride)),
        u_(w_.rows),
        v_(w_.stride, Assignment<W>::kGone),
        int_scratch_(w_.stride),
        column_(w_.rows),
        row_(w_.stride),
        all_rows_(w_.rows),
        starts_(weights, random_) {
    std::iota(all_rows_.begin(), all_rows_.end(), 0);
    assignment_.bind(wanted_.data(), w_.stride, scratch_.data(), int_scratch_.data(), deadline);
    const double most = measure();
    tolerance_ = std::max(1e-4 * static_cast<double>(w_.scale), 1e-7 * most);
    digits_ = static_cast<double>(most_cell_weight()) / most;
    // At least 1: where every row has to be mapped, it then is. Assignment weights are far above that.
    for (double& noise : noise_) noise = 1 + kNoise * edge_most_ * digits_ * random_.uniform();
  }

  Ipfp(const Ipfp&) = delete;  // members point at each other
  Ipfp& operator=(const Ipfp&) = delete;

  /// The best mapping that the next start leads to; returns what it saves. Every call is another start. If time runs out
  /// first, `column_of` stays as it is.
  W run(std::vector<int>& column_of) {
    if (w_.rows == 0) return 0;
    starts_.place(start_count_++, start_);
    if (!weigh_start()) return w_.value_of(column_of);
    best_ = &column_of;
    best_value_ = -1;
    climb();
    return best_value_ < 0 ? w_.value_of(column_of) : best_value_;
  }

 private:
  static constexpr double kNever = -1e200;  // node saving of a forbidden cell
  static constexpr int kMostSteps = 100;
  static constexpr int kTries = 2;        // assignments in a row that do not help: one with noise, one without
  static constexpr int kHalfSteps = 4;    // first steps go half the way at most: a full one forgets where it started
  static constexpr double kNoise = 0.05;  // of an edge's weight, to choose between assignments as good
  static constexpr int kNoises = 256, kNoiseShift = 8;

  /// Most that a cell of the gradient can be.
  double measure() {
    double node_most = 0;
    for (int i = 0; i < w_.rows; ++i)
      for (int j = 0; j < w_.columns; ++j)
        if (!w_.is_forbidden(i, j)) {
          node_[w_.at(i, j)] = static_cast<double>(w_.node[w_.at(i, j)]);
          node_most = std::max(node_most, std::abs(node_[w_.at(i, j)]));
        }
    for (W weight : w_.edge) edge_most_ = std::max(edge_most_, static_cast<double>(weight));
    return node_most + edge_most_ * std::min(most_degree(*w_.a), most_degree(*w_.b)) + 1;
  }

  /// Largest weight of a cell such that the duals of all rows add up without overflow.
  W most_cell_weight() const {
    return std::min<W>(Assignment<W>::kMostWeight / 2, std::numeric_limits<W>::max() / 2 / std::max(1, w_.rows));
  }

  static int most_degree(const Graph& graph) {
    int most = 0;
    for (int i = 0; i < graph.size(); ++i) most = std::max(most, graph.degree(i));
    return most;
  }

  /// Gradient and value of the start. Rows first, columns second, so that it is O(m * columns + rows * m') for each
  /// kind of edge and not O(m * m'). False if time ran out.
  bool weigh_start() {
    gradient_ = node_;
    for (int i = 0; i < w_.rows; ++i) {
      if (is_late()) return false;
      for (int t = 1; t < w_.column_kinds; ++t) gather(i, t);
    }
    node_part_ = edge_part_ = 0;
    for (std::size_t cell = 0; cell < start_.size(); ++cell) {
      if (start_[cell] == 0) continue;
      node_part_ += start_[cell] * node_[cell];
      edge_part_ += start_[cell] * (gradient_[cell] - node_[cell]);
    }
    std::fill(u_.begin(), u_.end(), W{0});
    std::fill(v_.begin(), v_.begin() + w_.columns, W{0});
    std::fill(column_.begin(), column_.end(), -1);
    std::fill(row_.begin(), row_.end(), -1);
    return true;
  }

  /// Adds to row i of the gradient what column edges of kind t give.
  void gather(int i, int t) {
    std::fill(through_.begin(), through_.end(), 0.0);
    for (int s = 0; s < w_.a->degree(i); ++s) {
      const Neighbour& other = w_.a->neighbours(i)[s];
      const double weight = static_cast<double>(w_.edge_weight(other.kind, t));
      const double* x = start_.data() + w_.at(other.node, 0);
      if (weight > 0)
        for (int c = 0; c < w_.stride; ++c) through_[c] += weight * x[c];
    }
    for (int j = 0; j < w_.columns; ++j)
      for (int d = 0; d < w_.b->degree(j); ++d) {
        const Neighbour& other = w_.b->neighbours(j)[d];
        if (other.kind == t) gradient_[w_.at(i, j)] += through_[other.node];
      }
  }

  void climb() {
    for (int step = 0, failed = 0; step < kMostSteps && failed < kTries; ++step) {
      if (deadline_.expired()) return;
      assign(step % 2 == 0);
      failed = move(step < kHalfSteps ? 0.5 : 1.0) ? 0 : failed + 1;
    }
  }

  /// The assignment that the gradient likes best; with noise, one of those that it likes about as much.
  void assign(bool noisy) {
    const double* noise = noise_.data() + kNoiseShift * random_.below(kNoises);
    const double least = -static_cast<double>(Assignment<W>::kGone);
    for (std::size_t cell = 0; cell < wanted_.size(); ++cell)
      wanted_[cell] = static_cast<W>(std::max(gradient_[cell] * digits_ + (noisy ? noise[cell] : 1.0), least));
    assignment_.repair({u_.data(), v_.data(), column_.data(), row_.data()}, all_rows_.data(), w_.rows);
  }

  /// Goes to the best point on the way to the assignment, but not further than `most`. False if no point is better.
  bool move(double most) {
    double node_part = 0, slope = -node_part_ - edge_part_;
    for (int i = 0; i < w_.rows; ++i)
      if (column_[i] >= 0) node_part += node_[w_.at(i, column_[i])], slope += gradient_[w_.at(i, column_[i])];
    const W value = w_.value_of(column_);
    if (value > best_value_) best_value_ = value, *best_ = column_;
    const double edge_part = 2 * (static_cast<double>(value) - node_part);   // <S, Q S>
    const double cross = slope + node_part_ + edge_part_ - node_part;        // <S, Q X>
    const double bend = (edge_part - 2 * cross + edge_part_) / 2;
    const double way = bend < 0 ? std::min(most, -slope / (2 * bend)) : most;
    if (way <= 0 || way * (slope + bend * way) <= tolerance_) return false;
    node_part_ += way * (node_part - node_part_);
    edge_part_ = (1 - way) * ((1 - way) * edge_part_ + 2 * way * cross) + way * way * edge_part;
    for (std::size_t cell = 0; cell < gradient_.size(); ++cell)
      gradient_[cell] += way * (node_[cell] - gradient_[cell]);
    for (int i = 0; i < w_.rows; ++i) {
      if (is_late()) return false;
      if (column_[i] >= 0) spread(i, column_[i], way);
    }
    return true;
  }

  void spread(int k, int c, double amount) {
    const Neighbour *left = w_.a->neighbours(k), *right = w_.b->neighbours(c);
    for (int s = 0; s < w_.a->degree(k); ++s)
      for (int t = 0; t < w_.b->degree(c); ++t)
        gradient_[w_.at(left[s].node, right[t].node)] +=
            amount * static_cast<double>(w_.edge_weight(left[s].kind, right[t].kind));
  }

  bool is_late() { return w_.rows > 64 && deadline_.expired(); }

  const Weights<W>& w_;
  Deadline& deadline_;
  Assignment<W> assignment_;
  std::vector<double> node_, gradient_, start_;  // (rows, stride)
  std::vector<double> noise_;                    // any (rows, stride) window of it
  std::vector<double> through_;                  // (stride,)
  std::vector<W> wanted_, scratch_, u_, v_;      // the assignment problem: the gradient in whole numbers
  std::vector<int> int_scratch_, column_, row_, all_rows_;
  Random random_;
  AnchoredStarts<W> starts_;
  double digits_ = 1, tolerance_ = 0, edge_most_ = 0;
  double node_part_ = 0, edge_part_ = 0;  // <node, X> and <X, Q X>
  std::vector<int>* best_ = nullptr;
  W best_value_ = 0;
  int start_count_ = 0;
};

}  // namespace graphedx
