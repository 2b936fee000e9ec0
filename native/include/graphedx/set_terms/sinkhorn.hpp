// Sinkhorn's alternate normalisation of rows and columns, and its exact gradient through all iterations.
#pragma once

#include <vector>

#include "graphedx/set_terms/lanes.hpp"

namespace graphedx {

/// The plan exp(scores) after `iterations` times normalising rows, then columns, where column j counts
/// column_weights[j] times in a row's sum and likewise for rows. What is computed is the log-domain iteration: the
/// plan is kept as kernel * row_scale * column_scale, and the scales move into the kernel's exponent before they
/// could overflow. No iteration needs an exponential otherwise. O(iterations * rows * columns).
template <class T>
class Sinkhorn {
 public:
  struct Shape {
    std::size_t rows, columns;
    std::size_t row_stride, column_stride;  // at least as many, and whole lanes
  };

  /// Scores are rows x column_stride, and so are all matrices here; what lies beyond the columns is not looked at,
  /// but has to be finite. Weights are positive, and zero beyond rows and columns up to the strides.
  void run(const T* scores, Shape shape, const T* row_weights, const T* column_weights, int iterations);

  /// Zero beyond the columns.
  const std::vector<T>& plan() const { return plan_; }

  /// d_scores of the last run, given d_plan.
  void backward(const T* d_plan, T* d_scores);

 private:
  struct Kernel {
    std::vector<T> matrix, transposed;
  };
  void make_kernel(std::size_t position);
  bool scales_are_large(const T* row_scale, const T* column_scale) const;

  std::size_t rows_ = 0, columns_ = 0, row_stride_ = 0, column_stride_ = 0;
  int iterations_ = 0;
  const T* row_weights_ = nullptr;
  const T* column_weights_ = nullptr;
  const T* scores_ = nullptr;
  std::vector<T> row_shift_, column_shift_;  // kernel = exp(scores - row_shift - column_shift)
  std::vector<Kernel> kernels_;
  std::size_t kernels_used_ = 0;
  std::vector<std::size_t> kernel_of_;                // of each iteration
  std::vector<T> before_, row_scale_, column_scale_;  // of each iteration: column scales before, and both after it
  std::vector<T> row_guard_, column_guard_;           // 1 beyond the end: nothing is divided by zero
  std::vector<T> plan_, vector_, d_rows_, d_columns_;
  std::vector<T> of_rows_, of_columns_, rank_;  // a matrix of low rank: two vectors of each an iteration, and all of it
};

}  // namespace graphedx
