// Products of small matrices, block by block in registers. Every sum has one fixed order.
#pragma once

#include <algorithm>
#include <type_traits>
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

/// Calls work(size, first) for blocks of `Large` or one less, where that is possible: what would else be left over at
/// the end would keep only a part of the registers busy.
template <std::size_t Large, class Work>
inline void in_blocks(std::size_t count, const Work& work) {
  const std::size_t smaller = (Large - count % Large) % Large;
  const bool even = smaller * (Large - 1) <= count;
  const std::size_t large = even ? (count - smaller * (Large - 1)) / Large : count / Large;
  std::size_t at = 0;
  for (std::size_t i = 0; i < large; ++i, at += Large) work(std::integral_constant<std::size_t, Large>{}, at);
  if (even)
    for (; at < count; at += Large - 1) work(std::integral_constant<std::size_t, Large - 1>{}, at);
  for (; at < count; ++at) work(std::integral_constant<std::size_t, 1>{}, at);
}

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
inline void multiply_columns(const Product<T>& p, const std::size_t* at, const std::size_t* to_at) {
  in_blocks<4>(p.rows, [&](auto rows, std::size_t i) {
    product_block<V, decltype(rows)::value, Registers>(p, i, at, to_at);
  });
}

/// For the registers that `at` and `to_at` name in rows of right and of start and to.
template <class V, class T>
inline void multiply(const Product<T>& p, const std::vector<std::size_t>& at, const std::vector<std::size_t>& to_at) {
  in_blocks<3>(at.size(), [&](auto registers, std::size_t j) {
    multiply_columns<V, decltype(registers)::value>(p, &at[j], &to_at[j]);
  });
}

/// For rows of `width` numbers that fill whole registers.
template <class V, class T>
inline void multiply(const Product<T>& p, std::size_t width) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  in_blocks<3>(width / lanes, [&](auto registers, std::size_t j) {
    const std::size_t at[] = {j * lanes, (j + 1) * lanes, (j + 2) * lanes};
    multiply_columns<V, decltype(registers)::value>(p, at, at);
  });
}

/// Rows that lie in several parts: how many there are, and how far each is from the one before, on either side.
struct Parts {
  std::size_t count, left_step, right_step;
};

template <std::size_t Rows, std::size_t Columns, class T>
inline void inner_block(const T* left, std::size_t left_stride, const T* right, std::size_t right_stride,
                        std::size_t depth, T* to, std::size_t to_stride, Parts parts) {
  Lanes<T> sum[Rows][Columns] = {};
  for (std::size_t part = 0; part < parts.count; ++part, left += parts.left_step, right += parts.right_step)
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

/// to[i, j] = sum_k left[i, k] right[j, k], over whole lanes of k in each part of a row.
template <class T>
inline void inner_products(std::size_t rows, std::size_t columns, std::size_t depth, const T* left,
                           std::size_t left_stride, const T* right, std::size_t right_stride, T* to,
                           Parts parts = {1, 0, 0}) {
  in_blocks<3>(columns, [&](auto width, std::size_t j) {
    in_blocks<4>(rows, [&](auto height, std::size_t i) {
      inner_block<decltype(height)::value, decltype(width)::value>(left + i * left_stride, left_stride,
                                                                   right + j * right_stride, right_stride, depth,
                                                                   to + i * columns + j, columns, parts);
    });
  });
}

}  // namespace graphedx
