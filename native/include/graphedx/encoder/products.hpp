// Products of small matrices, block by block in registers. Every sum has one fixed order.
#pragma once

#include <algorithm>
#include <vector>

#include "graphedx/set_terms/lanes.hpp"

namespace graphedx {

template <class V, class T>
inline V read(const T* from) {
  V values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

template <class V, class T>
inline void write(T* to, const V& values) {
  std::memcpy(to, &values, sizeof values);
}

inline float sum_of(float v) { return v; }
inline double sum_of(double v) { return v; }

/// Where the registers begin that a row is cut into. A row that is no whole number of registers ends with one that
/// overlaps the one before: what it writes twice is the same. Sums that grow cannot overlap: they lie `apart`.
struct Cut {
  std::vector<std::size_t> at, apart;

  Cut(std::size_t width, std::size_t lanes) {
    for (std::size_t first = 0; first < width; first += lanes) {
      at.push_back(std::min(first, width - lanes));
      apart.push_back(first);
    }
    size = at.size() * lanes;
  }
  std::size_t count() const { return at.size(); }

  std::size_t size;  // of a row that lies apart

  /// Adds a row that lies apart to one that does not.
  template <class T>
  void join(const T* from, T* to, std::size_t width) const {
    const std::size_t whole = apart.empty() ? 0 : apart.back();
    for (std::size_t i = 0; i < whole; ++i) to[i] += from[i];
    for (std::size_t i = whole; i < width; ++i) to[i] += from[i + size - width];
  }
};

/// to[i, .] = start[i, .] + sum_k left[i, k] right[k, .], where start may be null: zero.
template <class T>
struct Product {
  std::size_t rows, depth;
  const T* left;
  std::size_t left_row, left_step;  // left[i, k] is at i * left_row + k * left_step
  const T* right;
  std::size_t right_stride;
  const T* start;
  std::size_t start_stride;
  T* to;
  std::size_t to_stride;
};

template <class V, std::size_t Rows, std::size_t Registers, class T>
inline void product_block(const Product<T>& p, std::size_t row, const std::size_t* at, const std::size_t* to_at) {
  V sum[Rows][Registers];  // without the pragmas the compiler would keep them in memory
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < Registers; ++j)
      sum[i][j] = p.start ? read<V>(p.start + (row + i) * p.start_stride + to_at[j]) : V{};
  const T* left = p.left + row * p.left_row;
  const T* right[Registers];
  for (std::size_t j = 0; j < Registers; ++j) right[j] = p.right + at[j];
  for (std::size_t k = 0; k < p.depth; ++k, left += p.left_step) {
    V values[Registers];
    for (std::size_t j = 0; j < Registers; ++j) values[j] = read<V>(right[j] + k * p.right_stride);
    for (std::size_t i = 0; i < Rows; ++i) {
      const T factor = left[i * p.left_row];
      for (std::size_t j = 0; j < Registers; ++j) sum[i][j] += factor * values[j];
    }
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < Registers; ++j) write(p.to + (row + i) * p.to_stride + to_at[j], sum[i][j]);
}

template <class V, std::size_t Registers, class T>
inline void product_columns(const Product<T>& p, const std::size_t* at, const std::size_t* to_at) {
  std::size_t row = 0;
  for (; row + 4 <= p.rows; row += 4) product_block<V, 4, Registers>(p, row, at, to_at);
  if (row + 2 <= p.rows) product_block<V, 2, Registers>(p, row, at, to_at), row += 2;
  if (row < p.rows) product_block<V, 1, Registers>(p, row, at, to_at);
}

/// For the registers that `at` and `to_at` name in rows of right and of start and to.
template <class V, class T>
inline void multiply(const Product<T>& p, const std::vector<std::size_t>& at, const std::vector<std::size_t>& to_at) {
  std::size_t j = 0;
  for (; j + 3 <= at.size(); j += 3) product_columns<V, 3>(p, &at[j], &to_at[j]);
  if (j + 2 <= at.size()) product_columns<V, 2>(p, &at[j], &to_at[j]), j += 2;
  if (j < at.size()) product_columns<V, 1>(p, &at[j], &to_at[j]);
}

template <std::size_t Rows, std::size_t Columns, class T>
inline void inner_block(const T* left, std::size_t left_stride, const T* right, std::size_t right_stride,
                        std::size_t depth, T* to, std::size_t to_stride) {
  Lanes<T> sum[Rows][Columns] = {};
  for (std::size_t k = 0; k < depth; k += lane_count<T>) {
    Lanes<T> values[Columns];
    for (std::size_t j = 0; j < Columns; ++j) values[j] = load(right + j * right_stride + k);
    for (std::size_t i = 0; i < Rows; ++i) {
      const Lanes<T> factor = load(left + i * left_stride + k);
      for (std::size_t j = 0; j < Columns; ++j) sum[i][j] += factor * values[j];
    }
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < Columns; ++j) to[i * to_stride + j] = sum_of(sum[i][j]);
}

/// to[i, j] = sum_k left[i, k] right[j, k], over whole lanes of k.
template <class T>
inline void inner_products(std::size_t rows, std::size_t columns, std::size_t depth, const T* left,
                           std::size_t left_stride, const T* right, std::size_t right_stride, T* to) {
  const auto column_block = [&](auto width, std::size_t j) {
    constexpr std::size_t w = decltype(width)::value;
    std::size_t i = 0;
    const auto block = [&](auto height) {
      constexpr std::size_t h = decltype(height)::value;
      inner_block<h, w>(left + i * left_stride, left_stride, right + j * right_stride, right_stride, depth,
                        to + i * columns + j, columns);
      i += h;
    };
    while (i + 4 <= rows) block(std::integral_constant<std::size_t, 4>{});
    if (i + 2 <= rows) block(std::integral_constant<std::size_t, 2>{});
    if (i < rows) block(std::integral_constant<std::size_t, 1>{});
  };
  std::size_t j = 0;
  for (; j + 3 <= columns; j += 3) column_block(std::integral_constant<std::size_t, 3>{}, j);
  if (j + 2 <= columns) column_block(std::integral_constant<std::size_t, 2>{}, j), j += 2;
  if (j < columns) column_block(std::integral_constant<std::size_t, 1>{}, j);
}

}  // namespace graphedx
