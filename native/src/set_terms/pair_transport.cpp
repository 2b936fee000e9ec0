#include <algorithm>

#include "graphedx/encoder/products.hpp"
#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

namespace {

constexpr std::size_t columns_at_once = 4;  // of a matrix of which only one half is there: where the other half is read

template <class T>
T inner_product(const T* a, const T* b, std::size_t width) {
  Lanes<T> sum{};
  for (std::size_t f = 0; f < width; f += lane_count<T>) sum += load(a + f) * load(b + f);
  return sum_of(sum);
}

}  // namespace

/// What the plan makes of the target's pairs. The weights count p * p ordered pairs of p padding nodes, which are only
/// p (p - 1): what is too much is the plan itself.
template <class T>
void PairTransport<T>::carry(const Side<T>& target, const Plan<T>& plan) {
  const PackedGraph<T>& graph = *target.graph;
  rows_ = plan.rows;
  columns_ = plan.columns;
  width_ = graph.width;
  const std::size_t block = columns_ * width_, of_class = (graph.classes + 1) * width_;
  weighted_.resize(rows_ * plan.stride);
  for (std::size_t u = 0; u < rows_; ++u)
    for (std::size_t k = 0; k < plan.stride; ++k) weighted_[u * plan.stride + k] = plan[u][k] * target.weights[k];
  half_way_.resize(rows_ * block);
  multiply<Lanes<T>>(Product<T>{rows_, columns_, weighted_.data(), plan.stride, 1, graph.square.data(), of_class,
                                nullptr, 0, half_way_.data(), block},
                     block);
  if (target.padded()) {
    const T* two_pads = graph.vectors.data() + (graph.types() - 1) * width_;
    for (std::size_t u = 0; u < rows_; ++u)
      for (std::size_t f = 0; f < width_; ++f)
        half_way_[u * block + graph.classes * width_ + f] -= plan[u][graph.classes] * two_pads[f];
  }
  carried_.resize(rows_ * rows_ * width_);
  for (std::size_t u = 0; u < rows_; ++u)
    multiply<Lanes<T>>(Product<T>{rows_ - u, columns_, weighted_.data() + u * plan.stride, plan.stride, 1,
                                  half_way_.data() + u * block, width_, nullptr, 0,
                                  carried_.data() + u * (rows_ + 1) * width_, width_},
                       width_);
}

template <class T>
TwoSided<T> PairTransport<T>::forward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan) {
  carry(target, plan);
  const TypeList& list = source.graph->rows;
  Lanes<T> both{}, surplus{};
  for (std::size_t e = 0; e < list.used(source.padded()); ++e) {
    const PairType& type = list.types[e];
    const T *own = source.graph->vectors.data() + type.number * width_, *carried = carried_.data() + cell(type);
    const T multiplicity = source.multiplicity(type);
    for (std::size_t f = 0; f < width_; f += lane_count<T>) {
      const Lanes<T> x = load(own + f) - load(carried + f);
      both += multiplicity * absolute_of(x);
      surplus += multiplicity * x;
    }
  }
  const T all = sum_of(both), more = sum_of(surplus);
  return {(all + more) / 2, (all - more) / 2};
}

template <class T>
void PairTransport<T>::backward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan, Slopes<T> slopes,
                                const Plan<T>& d_plan, GradientRows<T> d_source, GradientRows<T> d_target) {
  carry(target, plan);
  const PackedGraph<T>&own = *source.graph, &other = *target.graph;
  const std::size_t features = own.pair_features;
  d_carried_.assign(carried_.size(), T(0));  // not every two classes have pairs, and some have edges and others
  d_vector_.resize(width_);
  for (std::size_t e = 0; e < own.rows.used(source.padded()); ++e) {
    const PairType& type = own.rows.types[e];
    const T *vector = own.vectors.data() + type.number * width_, *carried = carried_.data() + cell(type);
    T *d_carried = d_carried_.data() + cell(type), *d_row = d_source.pair + type.number * features;
    const T multiplicity = source.multiplicity(type);
    const Lanes<T> above = spread(multiplicity * slopes.above), below = spread(-multiplicity * slopes.below), none{};
    for (std::size_t f = 0; f < width_; f += lane_count<T>) {
      const Lanes<T> x = load(vector + f) - load(carried + f);
      const Lanes<T> slope = x > 0 ? above : (x < 0 ? below : none);
      store(d_vector_.data() + f, slope);
      store(d_carried + f, Lanes<T>(load(d_carried + f) - slope));
    }
    for (std::size_t f = 0; f < features; ++f) d_row[f] += d_vector_[f];
  }
  carry_back(target, plan, d_plan);
  for (std::size_t e = 0; e < other.rows.used(target.padded()); ++e) {
    const PairType& type = other.rows.types[e];
    const bool two_pads = !target.is_real(type.low);
    const T share = two_pads ? (target.pads - 1) / target.pads : other.shares[type.number];
    T* d_row = d_target.pair + type.number * features;
    const T* there = d_square_.data() + (type.low * columns_ + type.high) * width_;
    const T* back = d_square_.data() + (type.high * columns_ + type.low) * width_;
    if (there == back)
      for (std::size_t f = 0; f < features; ++f) d_row[f] += share * there[f];
    else
      for (std::size_t f = 0; f < features; ++f) d_row[f] += share * (there[f] + back[f]);
  }
}

/// From d_carried_ to d_square_ and the plan, which carries from two sides: `near` is the first one, `far` the second.
template <class T>
void PairTransport<T>::carry_back(const Side<T>& target, const Plan<T>& plan, const Plan<T>& d_plan) {
  const PackedGraph<T>& graph = *target.graph;
  const std::size_t block = columns_ * width_, of_class = (graph.classes + 1) * width_, stride = plan.stride;
  d_half_way_.resize(half_way_.size());
  for (std::size_t u = 0; u < rows_; ++u)
    multiply<Lanes<T>>(Product<T>{columns_, rows_ - u, weighted_.data() + u * stride, 1, stride,
                                  d_carried_.data() + u * (rows_ + 1) * width_, width_, nullptr, 0,
                                  d_half_way_.data() + u * block, width_},
                       width_);
  d_square_.resize(columns_ * block);
  multiply<Lanes<T>>(Product<T>{columns_, rows_, weighted_.data(), 1, stride, d_half_way_.data(), block, nullptr, 0,
                                d_square_.data(), block},
                     block);
  d_near_.resize(rows_ * columns_);
  inner_products(rows_, columns_, block, d_half_way_.data(), block, graph.square.data(), of_class, d_near_.data());
  d_far_.resize(rows_ * columns_);
  for (std::size_t v = 0; v < rows_; v += columns_at_once) {
    const std::size_t count = std::min(columns_at_once, rows_ - v);
    inner_products(count, columns_, width_, d_carried_.data() + v * width_, width_, half_way_.data(), width_,
                   d_far_.data() + v * columns_, {v + count, rows_ * width_, block});
  }
  for (std::size_t u = 0; u < rows_; ++u)
    for (std::size_t k = 0; k < columns_; ++k)
      d_plan[u][k] += (d_near_[u * columns_ + k] + d_far_[u * columns_ + k]) * target.weights[k];
  if (!target.padded()) return;
  const T* two_pads = graph.vectors.data() + (graph.types() - 1) * width_;
  for (std::size_t u = 0; u < rows_; ++u)
    d_plan[u][graph.classes] -=
        inner_product(d_half_way_.data() + u * block + graph.classes * width_, two_pads, width_);
}

template class PairTransport<float>;
template class PairTransport<double>;

}  // namespace graphedx
