// Arrays that come from Python, and arrays that go there.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

template <class T, class... Shape>
using Array = nanobind::ndarray<const T, nanobind::c_contig, nanobind::device::cpu, Shape...>;
template <class T>
using Vectors = Array<T, nanobind::ndim<2>>;
template <class T>
using Vector = Array<T, nanobind::ndim<1>>;

template <class T>
nanobind::object as_array(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// A matrix, filled here and then given away.
template <class T>
struct Owned {
  explicit Owned(std::size_t rows, std::size_t columns) : data(new T[rows * columns]), rows(rows), columns(columns) {}
  ~Owned() { delete[] data; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  /// As an array that keeps the memory.
  nanobind::object release() {
    T* kept = data;
    data = nullptr;
    nanobind::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(kept, {rows, columns}, owner));
  }

  T* data;
  std::size_t rows, columns;
};
