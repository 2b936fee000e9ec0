#include <algorithm>

#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

namespace {

/// A matrix whose element (row, j) lies at from[row * row_step + j * step].
template <class T>
struct Factor {
  const T* from;
  std::size_t row_step, step;
};

/// Rows `row` to `row + Block` of add_product: several sums at once, as one alone would wait for its own additions.
template <std::size_t Block, class T>
inline void add_product_rows(T* to, std::size_t row, const Factor<T>& left, std::size_t inner, const T* right,
                             std::size_t stride) {
  for (std::size_t at = 0; at < stride; at += lane_count<T>) {
    Lanes<T> sums[Block];
    for (std::size_t b = 0; b < Block; ++b) sums[b] = load(to + (row + b) * stride + at);
    for (std::size_t j = 0; j < inner; ++j) {
      const Lanes<T> values = load(right + j * stride + at);
      for (std::size_t b = 0; b < Block; ++b)
        sums[b] += left.from[(row + b) * left.row_step + j * left.step] * values;
    }
    for (std::size_t b = 0; b < Block; ++b) store(to + (row + b) * stride + at, sums[b]);
  }
}

/// to (rows x stride) += left (rows x inner) * right (inner x stride).
template <class T>
void add_product(T* to, std::size_t rows, const Factor<T>& left, std::size_t inner, const T* right,
                 std::size_t stride) {
  constexpr std::size_t block = 4;
  std::size_t row = 0;
  for (; row + block <= rows; row += block) add_product_rows<block>(to, row, left, inner, right, stride);
  for (; row < rows; ++row) add_product_rows<1>(to, row, left, inner, right, stride);
}

/// to = sum_j factors[j] * (vector j).
template <class T>
void combine(T* to, std::size_t size, const T* factors, const std::vector<const T*>& vectors) {
  constexpr std::size_t block = 4;
  std::size_t at = 0;
  for (; at + block * lane_count<T> <= size; at += block * lane_count<T>) {
    Lanes<T> sums[block] = {};
    for (std::size_t j = 0; j < vectors.size(); ++j)
      for (std::size_t b = 0; b < block; ++b) sums[b] += factors[j] * load(vectors[j] + at + b * lane_count<T>);
    for (std::size_t b = 0; b < block; ++b) store(to + at + b * lane_count<T>, sums[b]);
  }
  for (; at < size; at += lane_count<T>) {
    Lanes<T> sum{};
    for (std::size_t j = 0; j < vectors.size(); ++j) sum += factors[j] * load(vectors[j] + at);
    store(to + at, sum);
  }
}

/// Adds factor * from to `to`, and returns the product of from and `other`.
template <class T>
T add_and_multiply(T* to, T factor, const T* from, const T* other, std::size_t size) {
  Lanes<T> product{};
  for (std::size_t at = 0; at < size; at += lane_count<T>) {
    const Lanes<T> value = load(from + at);
    product += value * load(other + at);
    store(to + at, Lanes<T>(load(to + at) + factor * value));
  }
  return sum_of(product);
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
  const std::size_t size = graph.pair_features * stride;
  pad_share_ = target.padded() ? (target.pads - 1) / target.pads : T(0);
  pad_block_.assign(graph.square.end() - size, graph.square.end());
  for (std::size_t f = 0; f < graph.pair_features; ++f) pad_block_[f * stride + graph.nodes] *= pad_share_;
  blocks_.resize(target.classes);
  for (std::size_t k = 0; k < target.classes; ++k)
    blocks_[k] = target.is_real(k) ? graph.square.data() + k * size : pad_block_.data();
  half_way_.resize(size);
  carried_.resize(graph.pair_features * across);
  pair_weight_.resize(across);
}

/// What the plan makes of the target's pairs, for all pairs of one source node.
template <class T>
void PairTransport<T>::carry(const Side<T>& source, const Side<T>& target, std::size_t node) {
  const std::size_t stride = target.graph->stride, across = source.graph->stride;
  const std::size_t features = target.graph->pair_features;
  combine(half_way_.data(), features * stride, weighted_.data() + node * stride, blocks_);
  std::fill(carried_.begin(), carried_.end(), T(0));
  add_product<T>(carried_.data(), features, {half_way_.data(), stride, 1}, target.classes, transposed_.data(), across);
  // Every unordered pair is met from both of its ends.
  for (std::size_t v = 0; v < across; ++v) pair_weight_[v] = source.weights[node] * source.weights[v] / 2;
  pair_weight_[node] -= source.weights[node] / 2;
}

template <class T>
TwoSided<T> PairTransport<T>::forward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan) {
  prepare(source, target, plan);
  const std::size_t across = source.graph->stride, features = source.graph->pair_features;
  Lanes<T> both{}, surplus{};
  for (std::size_t u = 0; u < plan.rows; ++u) {
    carry(source, target, u);
    const T* own = source.graph->square.data() + u * features * across;
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t v = 0; v < across; v += lane_count<T>) {
        const Lanes<T> x = load(own + f * across + v) - load(carried_.data() + f * across + v);
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
  prepare(source, target, plan);
  const PackedGraph<T>&own = *source.graph, &other = *target.graph;
  const std::size_t stride = other.stride, across = own.stride, features = own.pair_features;
  const std::size_t size = features * stride;
  d_weighted_.assign(weighted_.size(), T(0));
  d_half_way_.resize(size);
  d_target_.assign(target.classes * size, T(0));
  d_carried_.resize(features * across);
  const auto pair_row = [features](const PackedGraph<T>& graph, GradientRows<T> rows, std::size_t u, std::size_t v) {
    if (u == v) return rows.pair + graph.last_pair() * features;  // only padding pairs up with itself
    return rows.pair + pair_place(std::min(u, v), std::max(u, v)) * features;
  };
  const Lanes<T> above = spread(-slopes.above), below = spread(slopes.below), none{};
  for (std::size_t u = 0; u < plan.rows; ++u) {
    carry(source, target, u);
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t v = 0; v < across; v += lane_count<T>) {
        const std::size_t at = f * across + v;
        const Lanes<T> x = load(own.square.data() + u * features * across + at) - load(carried_.data() + at);
        const Lanes<T> slope = x > 0 ? above : (x < 0 ? below : none);
        store(d_carried_.data() + at, Lanes<T>(load(pair_weight_.data() + v) * slope));
      }
    for (std::size_t v = 0; v < plan.rows; ++v) {
      if (u == v && source.is_real(u)) continue;
      T* d_row = pair_row(own, d_source, u, v);
      for (std::size_t f = 0; f < features; ++f) d_row[f] -= d_carried_[f * across + v];
    }
    std::fill(d_half_way_.begin(), d_half_way_.end(), T(0));
    add_product<T>(d_half_way_.data(), features, {d_carried_.data(), across, 1}, plan.rows, weighted_.data(), stride);
    add_product<T>(d_weighted_.data(), plan.rows, {d_carried_.data(), 1, across}, features, half_way_.data(), stride);
    for (std::size_t k = 0; k < target.classes; ++k)
      d_weighted_[u * stride + k] += add_and_multiply(d_target_.data() + k * size, weighted_[u * stride + k],
                                                      d_half_way_.data(), blocks_[k], size);
  }
  for (std::size_t u = 0; u < plan.rows; ++u)
    for (std::size_t k = 0; k < plan.columns; ++k) d_plan[u][k] += d_weighted_[u * stride + k] * target.weights[k];
  for (std::size_t k = 0; k < target.classes; ++k)
    for (std::size_t l = 0; l < target.classes; ++l) {
      if (k == l && target.is_real(k)) continue;
      T* d_row = pair_row(other, d_target, k, l);
      const T share = k == l ? pad_share_ : T(1);
      for (std::size_t f = 0; f < features; ++f) d_row[f] += share * d_target_[k * size + f * stride + l];
    }
}

template class PairTransport<float>;
template class PairTransport<double>;

}  // namespace graphedx
