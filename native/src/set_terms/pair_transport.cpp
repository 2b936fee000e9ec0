#include <algorithm>

#include "graphedx/encoder/products.hpp"
#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

namespace {

/// A matrix whose element (row, j) lies at values[row * row_step + j * step].
template <class T>
struct Factor {
  const T* values;
  std::size_t row_step, step;
};

/// to (rows x width) = left * right (depth x width) or, with a start, that much more. A row fills whole lanes.
template <class T>
void multiply_rows(std::size_t rows, std::size_t depth, std::size_t width, Factor<T> left, const T* right, T* to,
                   const T* start = nullptr) {
  multiply<Lanes<T>>(
      Product<T>{rows, depth, left.values, left.row_step, left.step, right, width, start, width, to, width}, width);
}

}  // namespace

/// Ordered pairs of p padding nodes are p (p - 1), while the weights make them p * p.
template <class T>
void PairTransport<T>::prepare(const Side<T>& source, const Side<T>& target, const Plan<T>& plan) {
  const std::size_t stride = plan.stride, across = source.graph->stride;
  weighted_.resize(plan.rows * stride);
  transposed_.assign(plan.columns * across, T(0));
  for (std::size_t u = 0; u < plan.rows; ++u) {
    for (std::size_t k = 0; k < stride; ++k) weighted_[u * stride + k] = plan[u][k] * target.weights[k];
    for (std::size_t k = 0; k < plan.columns; ++k) transposed_[k * across + u] = weighted_[u * stride + k];
  }
  const PackedGraph<T>& graph = *target.graph;
  const std::size_t block = graph.pair_features * stride;
  blocks_.assign(graph.square.begin(), graph.square.begin() + static_cast<std::ptrdiff_t>(target.classes * block));
  pad_share_ = target.padded() ? (target.pads - 1) / target.pads : T(0);
  if (target.padded())
    for (std::size_t f = 0; f < graph.pair_features; ++f)
      blocks_[graph.nodes * block + f * stride + graph.nodes] *= pad_share_;
}

/// What the plan makes of the target's pairs.
template <class T>
void PairTransport<T>::carry(const Side<T>& source, const Side<T>& target, const Plan<T>& plan) {
  prepare(source, target, plan);
  const std::size_t stride = plan.stride, across = source.graph->stride, features = target.graph->pair_features;
  const std::size_t block = features * stride;
  half_way_.resize(plan.rows * block);
  multiply_rows<T>(plan.rows, target.classes, block, {weighted_.data(), stride, 1}, blocks_.data(), half_way_.data());
  carried_.resize(plan.rows * features * across);
  multiply_rows<T>(plan.rows * features, target.classes, across, {half_way_.data(), stride, 1}, transposed_.data(),
                   carried_.data());
}

/// For each pair of this source node, how often it counts: every unordered pair is met from both of its ends.
template <class T>
void PairTransport<T>::weigh_pairs(const Side<T>& source, std::size_t node) {
  pair_weight_.resize(source.graph->stride);
  for (std::size_t v = 0; v < pair_weight_.size(); ++v)
    pair_weight_[v] = source.weights[node] * source.weights[v] / 2;
  pair_weight_[node] -= source.weights[node] / 2;
}

template <class T>
TwoSided<T> PairTransport<T>::forward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan) {
  carry(source, target, plan);
  const std::size_t across = source.graph->stride, features = source.graph->pair_features;
  Lanes<T> both{}, surplus{};
  for (std::size_t u = 0; u < plan.rows; ++u) {
    weigh_pairs(source, u);
    const std::size_t first = u * features * across;
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t v = 0; v < across; v += lane_count<T>) {
        const std::size_t at = first + f * across + v;
        const Lanes<T> x = load(source.graph->square.data() + at) - load(carried_.data() + at);
        both += load(pair_weight_.data() + v) * absolute_of(x);
        surplus += load(pair_weight_.data() + v) * x;
      }
  }
  const T all = sum_of(both), more = sum_of(surplus);
  return {(all + more) / 2, (all - more) / 2};
}

template <class T>
void PairTransport<T>::backward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan, Slopes<T> slopes,
                                const Plan<T>& d_plan, GradientRows<T> d_source, GradientRows<T> d_target) {
  carry(source, target, plan);
  const PackedGraph<T>&own = *source.graph, &other = *target.graph;
  const std::size_t stride = other.stride, across = own.stride, features = own.pair_features;
  const std::size_t block = features * stride, own_block = features * across;
  const auto pair_row = [features](const PackedGraph<T>& graph, GradientRows<T> rows, std::size_t u, std::size_t v) {
    if (u == v) return rows.pair + graph.last_pair() * features;  // only padding pairs up with itself
    return rows.pair + pair_place(std::min(u, v), std::max(u, v)) * features;
  };

  std::vector<T>& d_carried = carried_;
  const Lanes<T> above = spread(-slopes.above), below = spread(slopes.below), none{};
  for (std::size_t u = 0; u < plan.rows; ++u) {
    weigh_pairs(source, u);
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t v = 0; v < across; v += lane_count<T>) {
        const std::size_t at = u * own_block + f * across + v;
        const Lanes<T> x = load(own.square.data() + at) - load(carried_.data() + at);
        const Lanes<T> slope = x > 0 ? above : (x < 0 ? below : none);
        store(d_carried.data() + at, Lanes<T>(load(pair_weight_.data() + v) * slope));
      }
    for (std::size_t v = 0; v < plan.rows; ++v) {
      if (u == v && source.is_real(u)) continue;
      T* d_row = pair_row(own, d_source, u, v);
      for (std::size_t f = 0; f < features; ++f) d_row[f] -= d_carried[u * own_block + f * across + v];
    }
  }

  d_half_way_.resize(half_way_.size());
  multiply_rows<T>(plan.rows * features, plan.rows, stride, {d_carried.data(), across, 1}, weighted_.data(),
                   d_half_way_.data());
  d_blocks_.resize(blocks_.size());
  multiply_rows<T>(target.classes, plan.rows, block, {weighted_.data(), 1, stride}, d_half_way_.data(),
                   d_blocks_.data());
  d_near_.resize(plan.rows * target.classes);
  inner_products(plan.rows, target.classes, block, d_half_way_.data(), block, blocks_.data(), block, d_near_.data());
  d_weighted_.assign(weighted_.size(), T(0));
  for (std::size_t u = 0; u < plan.rows; ++u) {
    multiply_rows<T>(plan.rows, features, stride, {d_carried.data() + u * own_block, 1, across},
                     half_way_.data() + u * block, d_weighted_.data(), d_weighted_.data());
    for (std::size_t k = 0; k < target.classes; ++k)
      d_weighted_[u * stride + k] += d_near_[u * target.classes + k];
  }

  for (std::size_t u = 0; u < plan.rows; ++u)
    for (std::size_t k = 0; k < plan.columns; ++k) d_plan[u][k] += d_weighted_[u * stride + k] * target.weights[k];
  for (std::size_t k = 0; k < target.classes; ++k)
    for (std::size_t l = 0; l < target.classes; ++l) {
      if (k == l && target.is_real(k)) continue;
      T* d_row = pair_row(other, d_target, k, l);
      const T share = k == l ? pad_share_ : T(1);
      for (std::size_t f = 0; f < features; ++f) d_row[f] += share * d_blocks_[k * block + f * stride + l];
    }
}

template class PairTransport<float>;
template class PairTransport<double>;

}  // namespace graphedx
