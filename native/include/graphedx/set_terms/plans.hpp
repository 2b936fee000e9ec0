// Sinkhorn's plans of many matrices of scores at once, with gradients.
#pragma once

#include <cstddef>

namespace graphedx {

/// `count` matrices of rows x columns. Weights say how many equal rows, or columns, each of them stands for; one of
/// weight 0 is not there, whatever its scores are, and its part of the plan is 0.
template <class T>
struct Scores {
  std::size_t count, rows, columns;
  const T* values;          // count x rows x columns
  const T* row_weights;     // count x rows
  const T* column_weights;  // count x columns
};

/// Plans (count x rows x columns) after so many iterations. The same bits for any number of threads. Throws
/// std::invalid_argument on iterations or weights that make no sense.
template <class T>
void sinkhorn_plans(const Scores<T>& scores, int iterations, int threads, T* plans);

/// Gradients of sum(d_plans * plans). Makes the plans again rather than keeping what led to them.
template <class T>
void sinkhorn_plans_backward(const Scores<T>& scores, int iterations, int threads, const T* d_plans, T* d_scores);

}  // namespace graphedx
