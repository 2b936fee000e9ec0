// How much the vectors of one set have more than those of another, all against all, with gradients.
#pragma once

#include <cstddef>

namespace graphedx {

/// `count` times two sets of vectors of the same width.
template <class T>
struct VectorSets {
  std::size_t count, rows, columns, features;
  const T* a;  // count x rows x features
  const T* b;  // count x columns x features
};

/// more[k, i, j] = sum_f max(0, a[k, i, f] - b[k, j, f]), and less the other way round: count x rows x columns. The same
/// bits for any number of threads.
template <class T>
void surpluses(const VectorSets<T>& sets, int threads, T* more, T* less);

/// Gradients of sum(d_more * more + d_less * less). Where features are equal the slope is 0, as for torch.relu.
template <class T>
void surpluses_backward(const VectorSets<T>& sets, int threads, const T* d_more, const T* d_less, T* d_a, T* d_b);

}  // namespace graphedx
