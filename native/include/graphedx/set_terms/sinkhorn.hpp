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

  /// What the gradient of a run needs besides the weights: it may be kept, and taken up by any other Sinkhorn.
  struct State {
    struct Kernel {
      std::vector<T> matrix, transposed;
    };
    Shape shape{};
    int iterations = 0;
    std::vector<Kernel> kernels;                     // as many as kernel_of names, or more
    std::vector<std::size_t> kernel_of;              // of each iteration
    std::vector<T> before, row_scale, column_scale;  // of each iteration: column scales before, and both after it
    std::vector<T> plan;                             // zero beyond the columns

    /// Roughly how much memory a run of this shape keeps.
    static std::size_t bytes(Shape shape, int iterations) {
      const std::size_t steps = static_cast<std::size_t>(iterations), matrix = shape.rows * shape.column_stride;
      return sizeof(T) * (3 * matrix + steps * (2 * shape.column_stride + shape.row_stride)) + sizeof(State);
    }
  };

  /// Where runs are written to from now on, and gradients are taken of; by default its own.
  void use(State& state) { state_ = &state; }
  void use_own() { state_ = &own_; }
  State& state() { return *state_; }
  const std::vector<T>& plan() const { return state_->plan; }

  /// d_scores of the run in use, given d_plan and the weights of that run.
  void backward(const T* d_plan, const T* row_weights, const T* column_weights, T* d_scores);

 private:
  using Kernel = typename State::Kernel;
  void make_kernel(std::size_t position);
  bool scales_are_large(const T* row_scale, const T* column_scale) const;

  void shift_scores();

  State own_;
  State* state_ = &own_;
  const T* scores_ = nullptr;
  std::vector<T> row_shift_, column_shift_;  // kernel = exp(scores - row_shift - column_shift)
  std::vector<T> row_guard_, column_guard_;  // 1 beyond the end: nothing is divided by zero
  std::vector<T> vector_, d_rows_, d_columns_;
  std::vector<T> of_rows_, of_columns_, rank_;  // a matrix of low rank: two vectors of each an iteration, and all of it
};

}  // namespace graphedx
