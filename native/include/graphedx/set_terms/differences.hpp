// One vector against many, feature by feature: the L1 distance, one-sided L1 distances with their gradients, and the
// product with its own. The many lie side by side, so that no distance needs a sum across a register.
#pragma once

#include <algorithm>
#include <vector>

#include "graphedx/set_terms/lanes.hpp"

namespace graphedx {

/// Vectors as columns: values[feature * stride + i] is a feature of vector i; columns beyond `count` are zero.
template <class T>
struct Columns {
  std::size_t count = 0, stride = 0, features = 0;
  std::vector<T> values;
  std::vector<T> sums;  // over the features of each vector

  /// row(i) points to the features of vector i.
  template <class Row>
  void pack(std::size_t vectors, std::size_t width, const Row& row) {
    count = vectors;
    features = width;
    stride = whole_lanes<T>(vectors);
    values.resize(stride * features);
    sums.resize(stride);
    for (std::size_t first = 0; first < stride; first += lane_count<T>) {
      const std::size_t some = std::min(count - first, lane_count<T>);
      T* to = values.data() + first;
      for (std::size_t lane = 0; lane < some; ++lane) {
        const T* from = row(first + lane);
        for (std::size_t f = 0; f < features; ++f) to[f * stride + lane] = from[f];
      }
      Lanes<T> sum{};
      for (std::size_t f = 0; f < features; ++f, to += stride) {
        for (std::size_t lane = some; lane < lane_count<T>; ++lane) to[lane] = 0;
        sum += load(to);
      }
      store(sums.data() + first, sum);
    }
  }
};

/// sum_f |row[f] - column[f]| of the columns from `first` on, as many as there are lanes.
template <class T>
inline Lanes<T> distances(const T* row, const Columns<T>& columns, std::size_t first) {
  constexpr std::size_t chains = 4;  // sums that do not wait for each other
  Lanes<T> sum[chains] = {};
  const T* column = columns.values.data() + first;
  const std::size_t stride = columns.stride, features = columns.features;
  std::size_t f = 0;
  for (; f + chains <= features; f += chains, column += chains * stride)
    for (std::size_t i = 0; i < chains; ++i) sum[i] += absolute_of(row[f + i] - load(column + i * stride));
  for (; f < features; ++f, column += stride) sum[0] += absolute_of(row[f] - load(column));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// sum_f row[f] * column[f] of the columns from `first` on, as many as there are lanes.
template <class T>
inline Lanes<T> products(const T* row, const Columns<T>& columns, std::size_t first) {
  Lanes<T> sum{};
  for (std::size_t f = 0; f < columns.features; ++f)
    sum += row[f] * load(columns.values.data() + f * columns.stride + first);
  return sum;
}

/// Gradients of sum_i weight[i] * (row * column i) over all columns; adds to d_row and d_columns (as columns.values).
template <class T>
inline void add_product_gradients(const T* row, const Columns<T>& columns, const T* weight, T* d_row, T* d_columns) {
  for (std::size_t f = 0; f < columns.features; ++f) {
    Lanes<T> d_value{};
    for (std::size_t i = f * columns.stride, at = 0; at < columns.stride; at += lane_count<T>) {
      const Lanes<T> weights = load(weight + at);
      d_value += weights * load(columns.values.data() + i + at);
      store(d_columns + i + at, Lanes<T>(load(d_columns + i + at) + weights * row[f]));
    }
    d_row[f] += sum_of(d_value);
  }
}

/// What a difference x = row[f] - column[f] costs: x * above if it is positive, -x * below if it is negative.
template <class T>
struct Slopes {
  T above, below;
};

/// The part of `add_gradients` of `Block` features: column points to their first one, and so do the others.
template <std::size_t Block, class T>
inline void add_feature_gradients(const T* row, const T* column, std::size_t stride, std::size_t used,
                                  Slopes<T> slopes, const T* weight, T* cost, T* d_row, T* d_column) {
  const Lanes<T> above = spread(slopes.above), below = spread(-slopes.below), none{};
  Lanes<T> value[Block], d_value[Block];
  for (std::size_t f = 0; f < Block; ++f) {
    value[f] = spread(row[f]);
    d_value[f] = none;
  }
  for (std::size_t i = 0; i < used; i += lane_count<T>) {
    const Lanes<T> weights = load(weight + i);
    Lanes<T> costs = load(cost + i);
    for (std::size_t f = 0; f < Block; ++f) {
      const Lanes<T> x = value[f] - load(column + f * stride + i);
      const Lanes<T> slope = x > 0 ? above : (x < 0 ? below : none);
      costs += x * slope;
      d_value[f] += weights * slope;
      T* to = d_column + f * stride + i;
      store(to, Lanes<T>(load(to) - weights * slope));
    }
    store(cost + i, costs);
  }
  for (std::size_t f = 0; f < Block; ++f) d_row[f] += sum_of(d_value[f]);
}

/// Gradients of sum_i weight[i] * cost(row - column i) over the first `used` columns, which end with whole lanes.
/// Writes the unweighted cost of each column; adds to d_row (features) and d_columns (as columns.values). At x = 0 the
/// slope is 0, as for torch.relu.
template <class T>
inline void add_gradients(const T* row, const Columns<T>& columns, std::size_t used, Slopes<T> slopes, const T* weight,
                          T* cost, T* d_row, T* d_columns) {
  constexpr std::size_t block = 4;  // features that share what is loaded of weights and costs
  const std::size_t features = columns.features, stride = columns.stride;
  const T* column = columns.values.data();
  for (std::size_t i = 0; i < used; i += lane_count<T>) store(cost + i, Lanes<T>{});
  std::size_t f = 0;
  for (; f + block <= features; f += block)
    add_feature_gradients<block>(row + f, column + f * stride, stride, used, slopes, weight, cost, d_row + f,
                                 d_columns + f * stride);
  for (; f < features; ++f)
    add_feature_gradients<1>(row + f, column + f * stride, stride, used, slopes, weight, cost, d_row + f,
                             d_columns + f * stride);
}

/// The same for weighted L1 distances, without the distances themselves. Where an alignment is clear most weights are 0.
template <std::size_t Block, class T>
inline void add_feature_distance_gradients(const T* row, const T* column, std::size_t stride, std::size_t used,
                                           const T* weight, T* d_row, T* d_column) {
  Lanes<T> value[Block], d_value[Block];
  for (std::size_t f = 0; f < Block; ++f) {
    value[f] = spread(row[f]);
    d_value[f] = Lanes<T>{};
  }
  for (std::size_t i = 0; i < used; i += lane_count<T>) {
    const Lanes<T> weights = load(weight + i), none{};
    if (all_zero(weights)) continue;
    for (std::size_t f = 0; f < Block; ++f) {
      const Lanes<T> x = value[f] - load(column + f * stride + i);
      const Lanes<T> slope = x > 0 ? weights : (x < 0 ? -weights : none);
      d_value[f] += slope;
      T* to = d_column + f * stride + i;
      store(to, Lanes<T>(load(to) - slope));
    }
  }
  for (std::size_t f = 0; f < Block; ++f) d_row[f] += sum_of(d_value[f]);
}

/// Gradients of sum_i weight[i] * |row - column i| over the first `used` columns, as above.
template <class T>
inline void add_distance_gradients(const T* row, const Columns<T>& columns, std::size_t used, const T* weight, T* d_row,
                                   T* d_columns) {
  constexpr std::size_t block = 4;
  const std::size_t features = columns.features, stride = columns.stride;
  const T* column = columns.values.data();
  std::size_t f = 0;
  for (; f + block <= features; f += block)
    add_feature_distance_gradients<block>(row + f, column + f * stride, stride, used, weight, d_row + f,
                                          d_columns + f * stride);
  for (; f < features; ++f)
    add_feature_distance_gradients<1>(row + f, column + f * stride, stride, used, weight, d_row + f,
                                      d_columns + f * stride);
}

}  // namespace graphedx
