// One vector against many, feature by feature: the L1 distance, and one-sided L1 distances with their gradients. The many
// lie side by side, so that no distance needs a sum across a register.
#pragma once

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
    values.assign(stride * features, T(0));
    sums.assign(stride, T(0));
    for (std::size_t i = 0; i < count; ++i) {
      const T* from = row(i);
      for (std::size_t f = 0; f < features; ++f) {
        values[f * stride + i] = from[f];
        sums[i] += from[f];
      }
    }
  }
};

/// sum_f |row[f] - column[f]| of the columns from `first` on, as many as there are lanes.
template <class T>
inline Lanes<T> distances(const T* row, const Columns<T>& columns, std::size_t first) {
  Lanes<T> even{}, odd{};
  const T* column = columns.values.data() + first;
  std::size_t f = 0;
  for (; f + 1 < columns.features; f += 2, column += 2 * columns.stride) {
    even += absolute_of(spread(row[f]) - load(column));
    odd += absolute_of(spread(row[f + 1]) - load(column + columns.stride));
  }
  if (f < columns.features) even += absolute_of(spread(row[f]) - load(column));
  return even + odd;
}

/// What a difference x = row[f] - column[f] costs: x * above if it is positive, -x * below if it is negative.
template <class T>
struct Slopes {
  T above, below;
};

/// Gradients of sum_i weight[i] * cost(row - column i) over the first `used` columns, which end with whole lanes.
/// Writes the unweighted cost of each column; adds to d_row (features) and d_columns (as columns.values). At x = 0 the
/// slope is 0, as for torch.relu.
template <class T>
inline void add_gradients(const T* row, const Columns<T>& columns, std::size_t used, Slopes<T> slopes, const T* weight,
                          T* cost, T* d_row, T* d_columns) {
  const Lanes<T> above = spread(slopes.above), below = spread(-slopes.below), none{};
  for (std::size_t i = 0; i < used; i += lane_count<T>) store(cost + i, none);
  for (std::size_t f = 0; f < columns.features; ++f) {
    const Lanes<T> value = spread(row[f]);
    const T* column = columns.values.data() + f * columns.stride;
    T* d_column = d_columns + f * columns.stride;
    Lanes<T> d_value{};
    for (std::size_t i = 0; i < used; i += lane_count<T>) {
      const Lanes<T> x = value - load(column + i);
      const Lanes<T> slope = x > 0 ? above : (x < 0 ? below : none);
      store(cost + i, load(cost + i) + x * slope);
      const Lanes<T> weighted = load(weight + i) * slope;
      d_value += weighted;
      store(d_column + i, load(d_column + i) - weighted);
    }
    d_row[f] += sum_of(d_value);
  }
}

}  // namespace graphedx
