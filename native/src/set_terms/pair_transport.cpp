#include <algorithm>

#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

namespace {

/// to = sum_j factors[j] * (row j), of rows that row(j) points to.
template <class T, class Row>
void combine(T* to, std::size_t size, const T* factors, std::size_t count, const Row& row) {
  constexpr std::size_t block = 4 * lane_count<T>;
  std::size_t at = 0;
  for (; at + block <= size; at += block) {
    Lanes<T> sums[4] = {};
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t part = 0; part < 4; ++part)
        sums[part] += factors[j] * load(row(j) + at + part * lane_count<T>);
    for (std::size_t part = 0; part < 4; ++part) store(to + at + part * lane_count<T>, sums[part]);
  }
  for (; at < size; at += lane_count<T>) {
    Lanes<T> sum{};
    for (std::size_t j = 0; j < count; ++j) sum += factors[j] * load(row(j) + at);
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

template <class T>
const T* PairTransport<T>::block(const Side<T>& target, std::size_t node) const {
  const PackedGraph<T>& graph = *target.graph;
  return target.is_real(node) ? graph.square.data() + node * graph.pair_features * graph.stride : pad_block_.data();
}

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
  half_way_.resize(size);
  carried_.resize(graph.pair_features * across);
  pair_weight_.resize(across);
}

/// What the plan makes of the target's pairs, for all pairs of one source node.
template <class T>
void PairTransport<T>::carry(const Side<T>& source, const Side<T>& target, std::size_t node) {
  const std::size_t stride = target.graph->stride, across = source.graph->stride;
  const std::size_t features = target.graph->pair_features;
  combine(half_way_.data(), features * stride, weighted_.data() + node * stride, target.classes,
          [&](std::size_t k) { return block(target, k); });
  for (std::size_t f = 0; f < features; ++f)
    combine(carried_.data() + f * across, across, half_way_.data() + f * stride, target.classes,
            [&](std::size_t k) { return transposed_.data() + k * across; });
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
  d_source_.resize(features * across);
  slope_.resize(features);
  const auto pair_row = [features](const PackedGraph<T>& graph, GradientRows<T> rows, std::size_t u, std::size_t v) {
    if (u == v) return rows.pair + graph.last_pair() * features;  // only padding pairs up with itself
    return rows.pair + pair_place(std::min(u, v), std::max(u, v)) * features;
  };
  const Lanes<T> above = spread(slopes.above), below = spread(-slopes.below), none{};
  for (std::size_t u = 0; u < plan.rows; ++u) {
    carry(source, target, u);
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t v = 0; v < across; v += lane_count<T>) {
        const std::size_t at = f * across + v;
        const Lanes<T> x = load(own.square.data() + u * features * across + at) - load(carried_.data() + at);
        const Lanes<T> slope = x > 0 ? above : (x < 0 ? below : none);
        store(d_source_.data() + at, Lanes<T>(load(pair_weight_.data() + v) * slope));
      }
    for (std::size_t f = 0; f < features; ++f)
      combine(d_half_way_.data() + f * stride, stride, d_source_.data() + f * across, plan.rows,
              [&](std::size_t v) { return weighted_.data() + v * stride; });
    for (std::size_t v = 0; v < plan.rows; ++v) {
      if (u == v && source.is_real(u)) continue;
      T* d_row = pair_row(own, d_source, u, v);
      for (std::size_t f = 0; f < features; ++f) {
        slope_[f] = d_source_[f * across + v];
        d_row[f] += slope_[f];
      }
      for (std::size_t k = 0; k < stride; k += lane_count<T>) {
        Lanes<T> sum = load(d_weighted_.data() + v * stride + k);
        for (std::size_t f = 0; f < features; ++f) sum -= slope_[f] * load(half_way_.data() + f * stride + k);
        store(d_weighted_.data() + v * stride + k, sum);
      }
    }
    for (std::size_t k = 0; k < target.classes; ++k)
      d_weighted_[u * stride + k] -= add_and_multiply(d_target_.data() + k * size, -weighted_[u * stride + k],
                                                      d_half_way_.data(), block(target, k), size);
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
