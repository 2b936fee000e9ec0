#include "graphedx/set_terms/plans.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "graphedx/parallel.hpp"
#include "graphedx/set_terms/sinkhorn.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kFewestATask = 4;

/// The rows, or columns, that are there, in as many lanes as they take.
template <class T>
class Present {
 public:
  void take(const T* weights, std::size_t count) {
    places_.clear();
    for (std::size_t i = 0; i < count; ++i)
      if (weights[i] > 0) places_.push_back(i);
    stride_ = whole_lanes<T>(places_.size());
    weights_.assign(stride_, T(0));
    for (std::size_t k = 0; k < places_.size(); ++k) weights_[k] = weights[places_[k]];
  }

  std::size_t size() const { return places_.size(); }
  std::size_t stride() const { return stride_; }
  std::size_t operator[](std::size_t k) const { return places_[k]; }
  const T* weights() const { return weights_.data(); }

 private:
  std::vector<std::size_t> places_;
  std::size_t stride_ = 0;
  std::vector<T> weights_;
};

/// One matrix after the other.
template <class T>
class Plan {
 public:
  Plan(const Scores<T>& all, int iterations) : all_(all), iterations_(iterations) {}

  void forward(std::size_t number, T* plan) {
    const bool any = run(number);
    std::fill(plan, plan + cells(), T(0));
    if (any) write(sinkhorn_.plan(), plan);
  }

  void backward(std::size_t number, const T* d_plan, T* d_scores) {
    const bool any = run(number);
    std::fill(d_scores, d_scores + cells(), T(0));
    if (!any) return;
    read(d_plan, d_plan_);
    d_scores_.assign(d_plan_.size(), T(0));
    sinkhorn_.backward(d_plan_.data(), rows_.weights(), columns_.weights(), d_scores_.data());
    write(d_scores_, d_scores);
  }

 private:
  std::size_t cells() const { return all_.rows * all_.columns; }

  /// False if there is nothing to be aligned.
  bool run(std::size_t number) {
    rows_.take(all_.row_weights + number * all_.rows, all_.rows);
    columns_.take(all_.column_weights + number * all_.columns, all_.columns);
    if (rows_.size() == 0 || columns_.size() == 0) return false;
    read(all_.values + number * cells(), scores_);
    sinkhorn_.run(scores_.data(), {rows_.size(), columns_.size(), rows_.stride(), columns_.stride()}, rows_.weights(),
                  columns_.weights(), iterations_);
    return true;
  }

  void read(const T* matrix, std::vector<T>& to) const {
    to.assign(rows_.size() * columns_.stride(), T(0));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < columns_.size(); ++j)
        to[i * columns_.stride() + j] = matrix[rows_[i] * all_.columns + columns_[j]];
  }

  void write(const std::vector<T>& from, T* matrix) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < columns_.size(); ++j)
        matrix[rows_[i] * all_.columns + columns_[j]] = from[i * columns_.stride() + j];
  }

  const Scores<T>& all_;
  int iterations_;
  Present<T> rows_, columns_;
  Sinkhorn<T> sinkhorn_;
  std::vector<T> scores_, d_plan_, d_scores_;
};

template <class T>
void check(const Scores<T>& scores, int iterations) {
  if (iterations < 1) throw std::invalid_argument("iterations must be at least 1");
  const auto is_weight = [](T weight) { return std::isfinite(weight) && weight >= 0; };
  if (!std::all_of(scores.row_weights, scores.row_weights + scores.count * scores.rows, is_weight) ||
      !std::all_of(scores.column_weights, scores.column_weights + scores.count * scores.columns, is_weight))
    throw std::invalid_argument("weights of rows and columns must be finite and at least 0");
}

}  // namespace

template <class T>
void sinkhorn_plans(const Scores<T>& scores, int iterations, int threads, T* plans) {
  check(scores, iterations);
  const std::size_t cells = scores.rows * scores.columns;
  in_parallel(scores.count, threads, kFewestATask, [&](Counter& next) {
    Plan<T> plan(scores, iterations);
    for (std::size_t k; (k = next++) < scores.count;) plan.forward(k, plans + k * cells);
  });
}

template <class T>
void sinkhorn_plans_backward(const Scores<T>& scores, int iterations, int threads, const T* d_plans, T* d_scores) {
  check(scores, iterations);
  const std::size_t cells = scores.rows * scores.columns;
  in_parallel(scores.count, threads, kFewestATask, [&](Counter& next) {
    Plan<T> plan(scores, iterations);
    for (std::size_t k; (k = next++) < scores.count;) plan.backward(k, d_plans + k * cells, d_scores + k * cells);
  });
}

#define GRAPHEDX_PLANS(T)                                             \
  template void sinkhorn_plans(const Scores<T>&, int, int, T*);       \
  template void sinkhorn_plans_backward(const Scores<T>&, int, int, const T*, T*);
GRAPHEDX_PLANS(float)
GRAPHEDX_PLANS(double)

}  // namespace graphedx
