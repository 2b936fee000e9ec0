#include "graphedx/set_terms/sinkhorn.hpp"

#include <algorithm>
#include <limits>

#include "graphedx/encoder/products.hpp"

namespace graphedx {

namespace {

template <class V>
inline V larger_of(const V& a, const V& b) {
  return a > b ? a : b;
}

/// The part of `weighted_rows` of `Blocks` registers, those from `first` on.
template <std::size_t Blocks, class T, class Use>
inline void weighted_block(const T* vector, std::size_t count, const T* matrix, std::size_t stride, const T* start,
                           std::size_t first, const Use& use) {
  Lanes<T> even[Blocks], odd[Blocks] = {};
  for (std::size_t b = 0; b < Blocks; ++b) even[b] = start ? load(start + first + b * lane_count<T>) : Lanes<T>{};
  const auto add = [&](Lanes<T>* to, std::size_t j) {
    const Lanes<T> factor = spread(vector[j]);
    for (std::size_t b = 0; b < Blocks; ++b) to[b] += factor * load(matrix + j * stride + first + b * lane_count<T>);
  };
  std::size_t j = 0;
  for (; j + 1 < count; j += 2) {
    add(even, j);
    add(odd, j + 1);
  }
  if (j < count) add(even, j);
  for (std::size_t b = 0; b < Blocks; ++b) use(first + b * lane_count<T>, Lanes<T>(even[b] + odd[b]));
}

/// Calls use(i, sums) for all registers of start + sum_j vector[j] * matrix[j, .], where start may be null: zero. Several
/// at once read whole lines of the cache.
template <class T, class Use>
inline void weighted_rows(const T* vector, std::size_t count, const T* matrix, std::size_t stride, const T* start,
                          const Use& use) {
  std::size_t i = 0;
  for (; i + 4 * lane_count<T> <= stride; i += 4 * lane_count<T>)
    weighted_block<4>(vector, count, matrix, stride, start, i, use);
  for (; i + 2 * lane_count<T> <= stride; i += 2 * lane_count<T>)
    weighted_block<2>(vector, count, matrix, stride, start, i, use);
  if (i < stride) weighted_block<1>(vector, count, matrix, stride, start, i, use);
}

}  // namespace

template <class T>
void Sinkhorn<T>::make_kernel(std::size_t position) {
  const auto [rows, columns, row_stride, column_stride] = state_->shape;
  if (state_->kernels.size() <= position) state_->kernels.resize(position + 1);
  Kernel& kernel = state_->kernels[position];
  kernel.matrix.resize(rows * column_stride);
  kernel.transposed.assign(columns * row_stride, T(0));
  for (std::size_t i = 0; i < rows; ++i) {
    T* row = kernel.matrix.data() + i * column_stride;
    for (std::size_t j = 0; j < column_stride; j += lane_count<T>)
      store(row + j, Lanes<T>(exp_of(load(scores_ + i * column_stride + j) - row_shift_[i] -
                                     load(column_shift_.data() + j))));
    for (std::size_t j = columns; j < column_stride; ++j) row[j] = 0;
    for (std::size_t j = 0; j < columns; ++j) kernel.transposed[j * row_stride + i] = row[j];
  }
}

template <class T>
bool Sinkhorn<T>::scales_are_large(const T* row_scale, const T* column_scale) const {
  // An entry that underflowed in the kernel stays below 1e-38 * 1e18: nothing that a sum near 1 could see. Beyond the
  // end scales are 1.
  constexpr T most = T(1e9);
  Lanes<T> large{};
  const auto look = [&](const T* scale, std::size_t stride) {
    for (std::size_t i = 0; i < stride; i += lane_count<T>) {
      const Lanes<T> value = load(scale + i), one = spread(T(1)), none{};
      large += value > most ? one : (value < 1 / most ? one : none);
    }
  };
  look(row_scale, state_->shape.row_stride);
  look(column_scale, state_->shape.column_stride);
  return !all_zero(large);
}

/// With the largest score of each row, and then of each column, shifted to zero, every row and every column of the kernel
/// has an entry 1: no sum can vanish.
template <class T>
void Sinkhorn<T>::shift_scores() {
  const auto [rows, columns, row_stride, column_stride] = state_->shape;
  row_shift_.resize(row_stride);
  column_shift_.assign(column_stride, T(0));
  std::fill(column_shift_.begin(), column_shift_.begin() + columns, std::numeric_limits<T>::lowest());
  const std::size_t whole = columns / lane_count<T> * lane_count<T>;
  for (std::size_t i = 0; i < rows; ++i) {
    const T* row = scores_ + i * column_stride;
    Lanes<T> largest = spread(row[0]);
    for (std::size_t j = 0; j < whole; j += lane_count<T>) largest = larger_of(largest, load(row + j));
    T most = row[0];
    for (std::size_t lane = 0; lane < lane_count<T>; ++lane) most = std::max<T>(most, largest[lane]);
    for (std::size_t j = whole; j < columns; ++j) most = std::max(most, row[j]);
    row_shift_[i] = most;
    for (std::size_t j = 0; j < whole; j += lane_count<T>)
      store(column_shift_.data() + j, larger_of(load(column_shift_.data() + j), Lanes<T>(load(row + j) - most)));
    for (std::size_t j = whole; j < columns; ++j) column_shift_[j] = std::max(column_shift_[j], row[j] - most);
  }
}

template <class T>
void Sinkhorn<T>::run(const T* scores, Shape shape, const T* row_weights, const T* column_weights, int iterations) {
  State& state = *state_;
  scores_ = scores;
  state.shape = shape;
  state.iterations = iterations;
  const std::size_t rows = shape.rows, columns = shape.columns;
  const std::size_t row_stride = shape.row_stride, column_stride = shape.column_stride;
  row_guard_.assign(row_stride, T(0));
  std::fill(row_guard_.begin() + rows, row_guard_.end(), T(1));
  column_guard_.assign(column_stride, T(0));
  std::fill(column_guard_.begin() + columns, column_guard_.end(), T(1));
  shift_scores();
  make_kernel(0);

  const std::size_t steps = static_cast<std::size_t>(iterations);
  state.kernel_of.resize(steps);
  state.before.resize(steps * column_stride);
  state.row_scale.resize(steps * row_stride);
  state.column_scale.resize(steps * column_stride);
  vector_.resize(std::max(row_stride, column_stride));
  // Column potentials begin at 0, which is a scale of exp(shift).
  for (std::size_t j = 0; j < column_stride; j += lane_count<T>)
    store(state.before.data() + j, Lanes<T>(exp_of(load(column_shift_.data() + j))));
  std::size_t current = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    T* before = state.before.data() + t * column_stride;
    T* row_scale = state.row_scale.data() + t * row_stride;
    T* column_scale = state.column_scale.data() + t * column_stride;
    const Kernel& kernel = state.kernels[current];
    state.kernel_of[t] = current;
    for (std::size_t j = 0; j < column_stride; j += lane_count<T>)
      store(vector_.data() + j, Lanes<T>(load(column_weights + j) * load(before + j)));
    weighted_rows(vector_.data(), columns, kernel.transposed.data(), row_stride, row_guard_.data(),
                  [&](std::size_t i, const Lanes<T>& sums) { store(row_scale + i, Lanes<T>(T(1) / sums)); });
    for (std::size_t i = 0; i < row_stride; i += lane_count<T>)
      store(vector_.data() + i, Lanes<T>(load(row_weights + i) * load(row_scale + i)));
    weighted_rows(vector_.data(), rows, kernel.matrix.data(), column_stride, column_guard_.data(),
                  [&](std::size_t j, const Lanes<T>& sums) { store(column_scale + j, Lanes<T>(T(1) / sums)); });
    if (t + 1 == steps) break;
    T* next = before + column_stride;
    std::copy(column_scale, column_scale + column_stride, next);
    if (scales_are_large(row_scale, column_scale)) {
      for (std::size_t i = 0; i < rows; ++i) row_shift_[i] -= std::log(row_scale[i]);
      for (std::size_t j = 0; j < columns; ++j) column_shift_[j] -= std::log(column_scale[j]);
      make_kernel(++current);
      std::fill(next, next + column_stride, T(1));
    }
  }

  state.plan.resize(rows * column_stride);
  const T* row_scale = state.row_scale.data() + (steps - 1) * row_stride;
  const T* column_scale = state.column_scale.data() + (steps - 1) * column_stride;
  const T* matrix = state.kernels[current].matrix.data();
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < column_stride; j += lane_count<T>) {
      const std::size_t at = i * column_stride + j;
      store(state.plan.data() + at, Lanes<T>(load(matrix + at) * row_scale[i] * load(column_scale + j)));
    }
}

// With f and g the potentials of rows and columns, log plan = scores - f_T - g_T, where g_t = log sum_i w_i
// exp(scores - f_t) and f_t = log sum_j w_j exp(scores - g_(t-1)). Their derivatives are the normalised matrices of
// each half step, which are the kernel scaled by rows and columns: what flows back is two matrix-vector products an
// iteration, and what reaches the scores is the kernel times a matrix of rank two an iteration.
template <class T>
void Sinkhorn<T>::backward(const T* d_plan, const T* row_weights, const T* column_weights, T* d_scores) {
  const State& state = *state_;
  const std::size_t rows = state.shape.rows, columns = state.shape.columns;
  const std::size_t row_stride = state.shape.row_stride, column_stride = state.shape.column_stride;
  const std::size_t size = rows * column_stride;
  d_rows_.assign(row_stride, T(0));
  d_columns_.assign(column_stride, T(0));
  // The plan's columns sum to 1 whatever the scores are, so the mean of d_plan in a column is of no effect. Taken out
  // at once, it cannot drown the rest.
  vector_.assign(std::max(row_stride, column_stride), T(0));
  for (std::size_t j = 0; j < column_stride; j += lane_count<T>) {
    Lanes<T> mean{};
    for (std::size_t i = 0; i < rows; ++i)
      mean += load(d_plan + i * column_stride + j) * load(state.plan.data() + i * column_stride + j);
    store(vector_.data() + j, mean);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    Lanes<T> row{};
    for (std::size_t j = 0; j < column_stride; j += lane_count<T>) {
      const std::size_t at = i * column_stride + j;
      const Lanes<T> d_log =
          (load(d_plan + at) - row_weights[i] * load(vector_.data() + j)) * load(state.plan.data() + at);
      store(d_scores + at, d_log);
      row += d_log;
      store(d_columns_.data() + j, Lanes<T>(load(d_columns_.data() + j) - d_log));
    }
    d_rows_[i] = -sum_of(row);
  }
  std::vector<T>& arriving = d_columns_;
  const std::size_t steps = static_cast<std::size_t>(state.iterations);
  rank_.resize(size);
  of_rows_.resize(2 * steps * row_stride);
  of_columns_.resize(2 * steps * column_stride);
  std::size_t depth = 0;  // of the matrix of low rank so far
  const auto into_scores = [&](const Kernel& kernel) {
    multiply<Lanes<T>>(Product<T>{rows, depth, of_rows_.data(), 1, row_stride, of_columns_.data(), column_stride,
                                  nullptr, 0, rank_.data(), column_stride},
                       column_stride);
    for (std::size_t at = 0; at < size; at += lane_count<T>)
      store(d_scores + at, Lanes<T>(load(d_scores + at) + load(kernel.matrix.data() + at) * load(rank_.data() + at)));
    depth = 0;
  };
  for (std::size_t t = steps; t-- > 0;) {
    const Kernel& kernel = state.kernels[state.kernel_of[t]];
    const T* before = state.before.data() + t * column_stride;
    const T* row_scale = state.row_scale.data() + t * row_stride;
    const T* column_scale = state.column_scale.data() + t * column_stride;
    T* scaled = of_rows_.data() + depth * row_stride;                // row_weights * row_scale ...
    T* from_columns = of_columns_.data() + depth * column_stride;    // ... by column_scale * d(column potentials)
    T* from_rows = scaled + row_stride;                              // row_scale * d(row potentials) ...
    T* weighted = from_columns + column_stride;                      // ... by column_weights * column scales before
    depth += 2;
    for (std::size_t j = 0; j < column_stride; j += lane_count<T>) {
      store(from_columns + j, Lanes<T>(load(column_scale + j) * load(arriving.data() + j)));
      store(weighted + j, Lanes<T>(load(column_weights + j) * load(before + j)));
    }
    weighted_rows<T>(from_columns, columns, kernel.transposed.data(), row_stride, nullptr,
                     [&](std::size_t i, const Lanes<T>& sums) {
                       const Lanes<T> scale = load(row_scale + i), weights = load(row_weights + i);
                       store(scaled + i, Lanes<T>(weights * scale));
                       store(from_rows + i, Lanes<T>(scale * (load(d_rows_.data() + i) - weights * scale * sums)));
                     });
    weighted_rows<T>(from_rows, rows, kernel.matrix.data(), column_stride, nullptr,
                     [&](std::size_t j, const Lanes<T>& sums) {
                       store(arriving.data() + j, Lanes<T>(-load(weighted + j) * sums));
                     });
    std::fill(d_rows_.begin(), d_rows_.end(), T(0));  // only the last row potentials are seen by the plan itself
    if (t == 0 || state.kernel_of[t - 1] != state.kernel_of[t]) into_scores(kernel);
  }
}

template class Sinkhorn<float>;
template class Sinkhorn<double>;

}  // namespace graphedx
