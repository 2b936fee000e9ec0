#include "graphedx/set_terms/sinkhorn.hpp"

#include <algorithm>
#include <limits>

namespace graphedx {

namespace {

/// start + sum_j vector[j] * matrix[j, .], for the lanes from `first` on.
template <class T>
inline Lanes<T> weighted_rows(const T* vector, std::size_t count, const T* matrix, std::size_t stride,
                              std::size_t first, Lanes<T> start) {
  Lanes<T> even = start, odd{};
  std::size_t j = 0;
  for (; j + 1 < count; j += 2) {
    even += spread(vector[j]) * load(matrix + j * stride + first);
    odd += spread(vector[j + 1]) * load(matrix + (j + 1) * stride + first);
  }
  if (j < count) even += spread(vector[j]) * load(matrix + j * stride + first);
  return even + odd;
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
  for (std::size_t i = 0; i < rows_; ++i) {
    const T* row = scores + i * column_stride_;
    row_shift_[i] = *std::max_element(row, row + columns_);
    for (std::size_t j = 0; j < columns_; ++j) column_shift_[j] = std::max(column_shift_[j], row[j] - row_shift_[i]);
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
    for (std::size_t i = 0; i < row_stride_; i += lane_count<T>) {
      const Lanes<T> sums = weighted_rows(vector_.data(), columns_, kernel.transposed.data(), row_stride_, i,
                                          load(row_guard_.data() + i));
      store(row_scale + i, Lanes<T>(T(1) / sums));
    }
    for (std::size_t i = 0; i < row_stride_; i += lane_count<T>)
      store(vector_.data() + i, Lanes<T>(load(row_weights + i) * load(row_scale + i)));
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>) {
      const Lanes<T> sums = weighted_rows(vector_.data(), rows_, kernel.matrix.data(), column_stride_, j,
                                          load(column_guard_.data() + j));
      store(column_scale + j, Lanes<T>(T(1) / sums));
    }
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
  other_.resize(std::max(row_stride_, column_stride_));
  std::vector<T>& arriving = d_columns_;
  rank_.assign(size, T(0));
  const auto into_scores = [&](const Kernel& kernel) {
    for (std::size_t at = 0; at < size; at += lane_count<T>)
      store(d_scores + at, Lanes<T>(load(d_scores + at) + load(kernel.matrix.data() + at) * load(rank_.data() + at)));
  };
  for (std::size_t t = static_cast<std::size_t>(iterations_); t-- > 0;) {
    const Kernel& kernel = kernels_[kernel_of_[t]];
    const T* before = before_.data() + t * column_stride_;
    const T* row_scale = row_scale_.data() + t * row_stride_;
    const T* column_scale = column_scale_.data() + t * column_stride_;
    T* from_columns = vector_.data();  // column_scale * d(column potentials)
    T* from_rows = other_.data();      // row_scale * d(row potentials)
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>)
      store(from_columns + j, Lanes<T>(load(column_scale + j) * load(arriving.data() + j)));
    for (std::size_t i = 0; i < row_stride_; i += lane_count<T>) {
      const Lanes<T> sums =
          weighted_rows(from_columns, columns_, kernel.transposed.data(), row_stride_, i, Lanes<T>{});
      const Lanes<T> scale = load(row_scale + i);
      store(from_rows + i, Lanes<T>(scale * (load(d_rows_.data() + i) - load(row_weights_ + i) * scale * sums)));
    }
    for (std::size_t j = 0; j < column_stride_; j += lane_count<T>) {
      const Lanes<T> weighted = load(column_weights_ + j) * load(before + j);
      store(arriving.data() + j,
            Lanes<T>(-weighted * weighted_rows(from_rows, rows_, kernel.matrix.data(), column_stride_, j, Lanes<T>{})));
      const Lanes<T> columns = load(from_columns + j);
      for (std::size_t i = 0; i < rows_; ++i) {
        T* rank = rank_.data() + i * column_stride_ + j;
        store(rank, Lanes<T>(load(rank) + row_weights_[i] * row_scale[i] * columns + from_rows[i] * weighted));
      }
    }
    std::fill(d_rows_.begin(), d_rows_.end(), T(0));  // only the last row potentials are seen by the plan itself
    if (t == 0 || kernel_of_[t - 1] != kernel_of_[t]) {
      into_scores(kernel);
      std::fill(rank_.begin(), rank_.end(), T(0));
    }
  }
}

template class Sinkhorn<float>;
template class Sinkhorn<double>;

}  // namespace graphedx
