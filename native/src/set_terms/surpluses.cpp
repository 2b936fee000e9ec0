#include "graphedx/set_terms/surpluses.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "graphedx/parallel.hpp"
#include "graphedx/set_terms/differences.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kFewestATask = 2;

/// One pair of sets after the other.
template <class T>
class Pair {
 public:
  explicit Pair(const VectorSets<T>& sets) : sets_(sets) {}

  void forward(std::size_t number, T* more, T* less) {
    take(number);
    std::vector<T> above(columns_.stride), below(columns_.stride);
    for (std::size_t i = 0; i < sets_.rows; ++i) {
      const T sum = std::accumulate(row(i), row(i) + sets_.features, T(0));
      for (std::size_t j = 0; j < columns_.stride; j += lane_count<T>) {
        const Lanes<T> both = distances(row(i), columns_, j), surplus = sum - load(columns_.sums.data() + j);
        store(above.data() + j, Lanes<T>((both + surplus) / 2));
        store(below.data() + j, Lanes<T>((both - surplus) / 2));
      }
      std::copy_n(above.data(), sets_.columns, more + i * sets_.columns);
      std::copy_n(below.data(), sets_.columns, less + i * sets_.columns);
    }
  }

  void backward(std::size_t number, const T* d_more, const T* d_less, T* d_a, T* d_b) {
    take(number);
    std::vector<T> above(columns_.stride, T(0)), below(columns_.stride, T(0)), d_columns(columns_.values.size(), T(0));
    for (std::size_t i = 0; i < sets_.rows; ++i) {
      std::copy_n(d_more + i * sets_.columns, sets_.columns, above.data());
      std::copy_n(d_less + i * sets_.columns, sets_.columns, below.data());
      for (std::size_t f = 0; f < sets_.features; ++f) {
        const Lanes<T> value = spread(row(i)[f]), none{};
        Lanes<T> d_value{};
        for (std::size_t j = 0; j < columns_.stride; j += lane_count<T>) {
          const std::size_t at = f * columns_.stride + j;
          const Lanes<T> x = value - load(columns_.values.data() + at);
          const Lanes<T> slope = x > 0 ? load(above.data() + j) : (x < 0 ? -load(below.data() + j) : none);
          d_value += slope;
          store(d_columns.data() + at, Lanes<T>(load(d_columns.data() + at) - slope));
        }
        d_a[i * sets_.features + f] = sum_of(d_value);
      }
    }
    for (std::size_t j = 0; j < sets_.columns; ++j)
      for (std::size_t f = 0; f < sets_.features; ++f) d_b[j * sets_.features + f] = d_columns[f * columns_.stride + j];
  }

 private:
  const T* row(std::size_t i) const { return a_ + i * sets_.features; }

  void take(std::size_t number) {
    a_ = sets_.a + number * sets_.rows * sets_.features;
    const T* b = sets_.b + number * sets_.columns * sets_.features;
    columns_.pack(sets_.columns, sets_.features, [&](std::size_t j) { return b + j * sets_.features; });
  }

  const VectorSets<T>& sets_;
  const T* a_ = nullptr;
  Columns<T> columns_;
};

}  // namespace

template <class T>
void surpluses(const VectorSets<T>& sets, int threads, T* more, T* less) {
  const std::size_t cells = sets.rows * sets.columns;
  in_parallel(sets.count, threads, kFewestATask, [&](Counter& next) {
    Pair<T> pair(sets);
    for (std::size_t k; (k = next++) < sets.count;) pair.forward(k, more + k * cells, less + k * cells);
  });
}

template <class T>
void surpluses_backward(const VectorSets<T>& sets, int threads, const T* d_more, const T* d_less, T* d_a, T* d_b) {
  const std::size_t cells = sets.rows * sets.columns, a = sets.rows * sets.features, b = sets.columns * sets.features;
  in_parallel(sets.count, threads, kFewestATask, [&](Counter& next) {
    Pair<T> pair(sets);
    for (std::size_t k; (k = next++) < sets.count;)
      pair.backward(k, d_more + k * cells, d_less + k * cells, d_a + k * a, d_b + k * b);
  });
}

#define GRAPHEDX_SURPLUSES(T)                                      \
  template void surpluses(const VectorSets<T>&, int, T*, T*);      \
  template void surpluses_backward(const VectorSets<T>&, int, const T*, const T*, T*, T*);
GRAPHEDX_SURPLUSES(float)
GRAPHEDX_SURPLUSES(double)

}  // namespace graphedx
