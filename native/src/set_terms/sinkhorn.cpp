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
  if (kernels_.size() <= position) kernels_.resize(position + 1);
  kernels_used_ = position + 1;
  Kernel& kernel = kernels_[position];
  kernel.matrix.resize(rows_ * column_stride_);
  kernel.transposed.assign(columns_ * row_stride_, T(0));
  for (std::size_t i = 0; i < rows_; ++i) {
    T* row = kernel.matrix.data() + i * column_stride_;
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>)
      store(row + j, Lanes<T>(exp_of(load(scores_ + i * column_stride_ + j) - row_shift_[i] -
                                     load(column_shift_.data() + j))));
    for (std::size_t j = columns_; j < column_stride_; ++j) row[j] = 0;
    for (std::size_t j = 0; j < columns_; ++j) kernel.transposed[j * row_stride_ + i] = row[j];
  }
}

template <class T>
bool Sinkhorn<T>::scales_are_large(const T* row_scale, const T* column_scale) const {
  // An entry that underflowed in the kernel stays below 1e-38 * 1e18: nothing that a sum near 1 could see.
  constexpr T most = T(1e9);
  const auto large = [](T scale) { return scale > most || scale < 1 / most; };
  return std::any_of(row_scale, row_scale + rows_, large) || std::any_of(column_scale, column_scale + columns_, large);
}

template <class T>
void Sinkhorn<T>::run(const T* scores, Shape shape, const T* row_weights, const T* column_weights, int iterations) {
  scores_ = scores;
  rows_ = shape.rows;
  columns_ = shape.columns;
  row_stride_ = shape.row_stride;
  column_stride_ = shape.column_stride;
  row_weights_ = row_weights;
  column_weights_ = column_weights;
  iterations_ = iterations;
  row_guard_.assign(row_stride_, T(0));
  std::fill(row_guard_.begin() + rows_, row_guard_.end(), T(1));
  column_guard_.assign(column_stride_, T(0));
  std::fill(column_guard_.begin() + columns_, column_guard_.end(), T(1));

  // With the largest score of each row, and then of each column, shifted to zero, every row and every column of the
  // kernel has an entry 1: no sum can vanish.
  row_shift_.resize(row_stride_);
  column_shift_.assign(column_stride_, T(0));
  std::fill(column_shift_.begin(), column_shift_.begin() + columns_, std::numeric_limits<T>::lowest());
  const std::size_t whole = columns_ / lane_count<T> * lane_count<T>;
  for (std::size_t i = 0; i < rows_; ++i) {
    const T* row = scores + i * column_stride_;
    Lanes<T> largest = spread(row[0]);
    for (std::size_t j = 0; j < whole; j += lane_count<T>) largest = larger_of(largest, load(row + j));
    T most = row[0];
    for (std::size_t lane = 0; lane < lane_count<T>; ++lane) most = std::max<T>(most, largest[lane]);
    for (std::size_t j = whole; j < columns_; ++j) most = std::max(most, row[j]);
    row_shift_[i] = most;
    for (std::size_t j = 0; j < whole; j += lane_count<T>)
      store(column_shift_.data() + j, larger_of(load(column_shift_.data() + j), Lanes<T>(load(row + j) - most)));
    for (std::size_t j = whole; j < columns_; ++j) column_shift_[j] = std::max(column_shift_[j], row[j] - most);
  }
  make_kernel(0);

  const std::size_t steps = static_cast<std::size_t>(iterations);
  kernel_of_.resize(steps);
  before_.resize(steps * column_stride_);
  row_scale_.resize(steps * row_stride_);
  column_scale_.resize(steps * column_stride_);
  vector_.resize(std::max(row_stride_, column_stride_));
  // Column potentials begin at 0, which is a scale of exp(shift).
  for (std::size_t j = 0; j < column_stride_; j += lane_count<T>)
    store(before_.data() + j, Lanes<T>(exp_of(load(column_shift_.data() + j))));
  std::size_t current = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    T* before = before_.data() + t * column_stride_;
    T* row_scale = row_scale_.data() + t * row_stride_;
    T* column_scale = column_scale_.data() + t * column_stride_;
    const Kernel& kernel = kernels_[current];
    kernel_of_[t] = current;
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>)
      store(vector_.data() + j, Lanes<T>(load(column_weights + j) * load(before + j)));
    weighted_rows(vector_.data(), columns_, kernel.transposed.data(), row_stride_, row_guard_.data(),
                  [&](std::size_t i, const Lanes<T>& sums) { store(row_scale + i, Lanes<T>(T(1) / sums)); });
    for (std::size_t i = 0; i < row_stride_; i += lane_count<T>)
      store(vector_.data() + i, Lanes<T>(load(row_weights + i) * load(row_scale + i)));
    weighted_rows(vector_.data(), rows_, kernel.matrix.data(), column_stride_, column_guard_.data(),
                  [&](std::size_t j, const Lanes<T>& sums) { store(column_scale + j, Lanes<T>(T(1) / sums)); });
    if (t + 1 == steps) break;
    T* next = before + column_stride_;
    std::copy(column_scale, column_scale + column_stride_, next);
    if (scales_are_large(row_scale, column_scale)) {
      for (std::size_t i = 0; i < rows_; ++i) row_shift_[i] -= std::log(row_scale[i]);
      for (std::size_t j = 0; j < columns_; ++j) column_shift_[j] -= std::log(column_scale[j]);
      make_kernel(++current);
      std::fill(next, next + column_stride_, T(1));
    }
  }

  plan_.resize(rows_ * column_stride_);
  const T* row_scale = row_scale_.data() + (steps - 1) * row_stride_;
  const T* column_scale = column_scale_.data() + (steps - 1) * column_stride_;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>) {
      const std::size_t at = i * column_stride_ + j;
      store(plan_.data() + at, Lanes<T>(load(&kernels_[current].matrix[at]) * row_scale[i] * load(column_scale + j)));
    }
}

// With f and g the potentials of rows and columns, log plan = scores - f_T - g_T, where g_t = log sum_i w_i
// exp(scores - f_t) and f_t = log sum_j w_j exp(scores - g_(t-1)). Their derivatives are the normalised matrices of
// each half step, which are the kernel scaled by rows and columns: what flows back is two matrix-vector products an
// iteration, and what reaches the scores is the kernel times a matrix of rank two an iteration.
template <class T>
void Sinkhorn<T>::backward(const T* d_plan, T* d_scores) {
  const std::size_t size = rows_ * column_stride_;
  d_rows_.assign(row_stride_, T(0));
  d_columns_.assign(column_stride_, T(0));
  // The plan's columns sum to 1 whatever the scores are, so the mean of d_plan in a column is of no effect. Taken out
  // at once, it cannot drown the rest.
  vector_.assign(std::max(row_stride_, column_stride_), T(0));
  for (std::size_t j = 0; j < column_stride_; j += lane_count<T>) {
    Lanes<T> mean{};
    for (std::size_t i = 0; i < rows_; ++i)
      mean += load(d_plan + i * column_stride_ + j) * load(plan_.data() + i * column_stride_ + j);
    store(vector_.data() + j, mean);
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    Lanes<T> row{};
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>) {
      const std::size_t at = i * column_stride_ + j;
      const Lanes<T> d_log = (load(d_plan + at) - row_weights_[i] * load(vector_.data() + j)) * load(plan_.data() + at);
      store(d_scores + at, d_log);
      row += d_log;
      store(d_columns_.data() + j, Lanes<T>(load(d_columns_.data() + j) - d_log));
    }
    d_rows_[i] = -sum_of(row);
  }
  std::vector<T>& arriving = d_columns_;
  const std::size_t steps = static_cast<std::size_t>(iterations_);
  rank_.resize(size);
  of_rows_.resize(2 * steps * row_stride_);
  of_columns_.resize(2 * steps * column_stride_);
  std::size_t depth = 0;  // of the matrix of low rank so far
  const auto into_scores = [&](const Kernel& kernel) {
    multiply<Lanes<T>>(Product<T>{rows_, depth, of_rows_.data(), 1, row_stride_, of_columns_.data(), column_stride_,
                                  nullptr, 0, rank_.data(), column_stride_},
                       column_stride_);
    for (std::size_t at = 0; at < size; at += lane_count<T>)
      store(d_scores + at, Lanes<T>(load(d_scores + at) + load(kernel.matrix.data() + at) * load(rank_.data() + at)));
    depth = 0;
  };
  for (std::size_t t = steps; t-- > 0;) {
    const Kernel& kernel = kernels_[kernel_of_[t]];
    const T* before = before_.data() + t * column_stride_;
    const T* row_scale = row_scale_.data() + t * row_stride_;
    const T* column_scale = column_scale_.data() + t * column_stride_;
    T* scaled = of_rows_.data() + depth * row_stride_;                // row_weights * row_scale ...
    T* from_columns = of_columns_.data() + depth * column_stride_;    // ... by column_scale * d(column potentials)
    T* from_rows = scaled + row_stride_;                              // row_scale * d(row potentials) ...
    T* weighted = from_columns + column_stride_;                      // ... by column_weights * column scales before
    depth += 2;
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>) {
      store(from_columns + j, Lanes<T>(load(column_scale + j) * load(arriving.data() + j)));
      store(weighted + j, Lanes<T>(load(column_weights_ + j) * load(before + j)));
    }
    weighted_rows<T>(from_columns, columns_, kernel.transposed.data(), row_stride_, nullptr,
                     [&](std::size_t i, const Lanes<T>& sums) {
                       const Lanes<T> scale = load(row_scale + i), weights = load(row_weights_ + i);
                       store(scaled + i, Lanes<T>(weights * scale));
                       store(from_rows + i, Lanes<T>(scale * (load(d_rows_.data() + i) - weights * scale * sums)));
                     });
    weighted_rows<T>(from_rows, rows_, kernel.matrix.data(), column_stride_, nullptr,
                     [&](std::size_t j, const Lanes<T>& sums) {
                       store(arriving.data() + j, Lanes<T>(-load(weighted + j) * sums));
                     });
    std::fill(d_rows_.begin(), d_rows_.end(), T(0));  // only the last row potentials are seen by the plan itself
    if (t == 0 || kernel_of_[t - 1] != kernel_of_[t]) into_scores(kernel);
  }
}

template class Sinkhorn<float>;
template class Sinkhorn<double>;

}  // namespace graphedx
