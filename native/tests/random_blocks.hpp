// Random arrays for the fuzz tests of models, in memory of exactly the right size so that sanitizers see every step
// beside it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>

namespace graphedx {

inline std::mt19937 rng;

inline std::size_t below(std::size_t bound) { return rng() % bound; }

/// Normally distributed numbers; zeros by default.
template <class T>
struct Block {
  explicit Block(std::size_t size, double scale = 0) : size(size), data(new T[size]) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<T>(scale * normal(rng));
  }
  bool finite() const {
    for (std::size_t i = 0; i < size; ++i)
      if (!std::isfinite(data[i])) return false;
    return true;
  }
  bool same_bits(const Block& other) const { return std::memcmp(data.get(), other.data.get(), size * sizeof(T)) == 0; }
  operator T*() const { return data.get(); }

  std::size_t size;
  std::unique_ptr<T[]> data;
};

}  // namespace graphedx
