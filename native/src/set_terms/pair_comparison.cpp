#include <algorithm>

#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

/// S[(u, v), (a, b)] = P[u, a] P[v, b] + P[u, b] P[v, a]: with P gathered at both ends of every column beforehand, a
/// row of S is a product of whole vectors.
template <class T>
void PairComparison<T>::gather(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan) {
  const std::vector<PairType>& types = columns.graph->columns.types;
  used_ = columns.graph->columns.used(columns.padded());
  stride_ = whole_lanes<T>(used_);
  multiplicity_.assign(stride_, T(0));
  for (std::size_t i = 0; i < used_; ++i) multiplicity_[i] = columns.multiplicity(types[i]);
  low_.resize(rows.classes * stride_);
  high_.resize(rows.classes * stride_);
  for (std::size_t u = 0; u < rows.classes; ++u) {
    const T* from = plan[u];
    T *low = low_.data() + u * stride_, *high = high_.data() + u * stride_;
    for (std::size_t i = 0; i < used_; ++i) {
      low[i] = from[types[i].low];
      high[i] = from[types[i].high];
    }
    std::fill(low + used_, low + stride_, T(0));
    std::fill(high + used_, high + stride_, T(0));
  }
}

template <class T>
TwoSided<T> PairComparison<T>::forward(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan) {
  gather(rows, columns, plan);
  const Columns<T>& values = columns.graph->pair_columns;
  const TypeList& list = rows.graph->rows;
  cost_.resize(stride_);
  T both = 0, surplus = 0;
  for (std::size_t e = 0; e < list.used(rows.padded()); ++e) {
    const PairType& type = list.types[e];
    const std::size_t u = type.low * stride_, v = type.high * stride_;
    const T* row = rows.graph->pair_row(type.number);
    T total = 0;
    for (std::size_t f = 0; f < values.features; ++f) total += row[f];
    const T *low_u = low_.data() + u, *low_v = low_.data() + v, *high_u = high_.data() + u, *high_v = high_.data() + v;
    // In a loop of its own: together with what follows it has more values than there are registers.
    for (std::size_t i = 0; i < stride_; i += lane_count<T>) store(cost_.data() + i, distances(row, values, i));
    Lanes<T> both_lanes{}, surplus_lanes{};
    for (std::size_t i = 0; i < stride_; i += lane_count<T>) {
      const Lanes<T> aligned =
          load(multiplicity_.data() + i) * (load(low_u + i) * load(high_v + i) + load(high_u + i) * load(low_v + i));
      both_lanes += aligned * load(cost_.data() + i);
      surplus_lanes += aligned * (total - load(values.sums.data() + i));
    }
    const T multiplicity = rows.multiplicity(type);
    both += multiplicity * sum_of(both_lanes);
    surplus += multiplicity * sum_of(surplus_lanes);
  }
  return {(both + surplus) / 2, (both - surplus) / 2};
}

template <class T>
void PairComparison<T>::backward(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan, Slopes<T> slopes,
                                 const Plan<T>& d_plan, GradientRows<T> d_rows, GradientRows<T> d_columns) {
  gather(rows, columns, plan);
  const Columns<T>& values = columns.graph->pair_columns;
  const TypeList& list = rows.graph->rows;
  d_low_.assign(low_.size(), T(0));
  d_high_.assign(high_.size(), T(0));
  d_values_.assign(values.values.size(), T(0));
  weight_.resize(stride_);
  cost_.resize(stride_);
  for (std::size_t e = 0; e < list.used(rows.padded()); ++e) {
    const PairType& type = list.types[e];
    const std::size_t u = type.low * stride_, v = type.high * stride_;
    const T multiplicity = rows.multiplicity(type);
    const T *low_u = low_.data() + u, *low_v = low_.data() + v, *high_u = high_.data() + u, *high_v = high_.data() + v;
    for (std::size_t i = 0; i < stride_; i += lane_count<T>)
      store(weight_.data() + i,
            Lanes<T>(multiplicity * load(multiplicity_.data() + i) *
                     (load(low_u + i) * load(high_v + i) + load(high_u + i) * load(low_v + i))));
    add_gradients(rows.graph->pair_row(type.number), values, stride_, slopes, weight_.data(), cost_.data(),
                  d_rows.pair + type.number * values.features, d_values_.data());
    const auto add = [&](std::vector<T>& to, std::size_t at, const Lanes<T>& what) {
      store(to.data() + at, Lanes<T>(load(to.data() + at) + what));
    };
    for (std::size_t i = 0; i < stride_; i += lane_count<T>) {
      const Lanes<T> d_aligned = multiplicity * load(multiplicity_.data() + i) * load(cost_.data() + i);
      add(d_low_, u + i, d_aligned * load(high_v + i));
      add(d_high_, v + i, d_aligned * load(low_u + i));
      add(d_high_, u + i, d_aligned * load(low_v + i));
      add(d_low_, v + i, d_aligned * load(high_u + i));
    }
  }
  scatter(rows.classes, columns.graph->columns.types, d_plan);
  for (std::size_t i = 0; i < used_; ++i) {
    T* to = d_columns.pair + columns.graph->columns.types[i].number * values.features;
    for (std::size_t f = 0; f < values.features; ++f) to[f] += d_values_[f * values.stride + i];
  }
}

/// The reverse of gather. Columns with the same higher end are neighbours: their sum stays in a register, and several
/// row classes at once keep additions from waiting for each other.
template <class T>
void PairComparison<T>::scatter(std::size_t classes, const std::vector<PairType>& types,
                                const Plan<T>& d_plan) const {
  constexpr std::size_t block = 4;
  for (std::size_t first = 0; first < classes; first += block) {
    const std::size_t count = std::min(block, classes - first);
    const T *low[block], *high[block];
    T *to[block], run[block] = {};
    for (std::size_t j = 0; j < block; ++j) {
      const std::size_t u = first + std::min(j, count - 1);
      low[j] = d_low_.data() + u * stride_;
      high[j] = d_high_.data() + u * stride_;
      to[j] = d_plan[u];
    }
    const auto add_columns = [&](std::size_t at_once) {
      for (std::size_t i = 0; i < used_; ++i) {
        const PairType& type = types[i];
        for (std::size_t j = 0; j < at_once; ++j) {
          to[j][type.low] += low[j][i];
          run[j] += high[j][i];
        }
        if (i + 1 < used_ && types[i + 1].high == type.high) continue;
        for (std::size_t j = 0; j < at_once; ++j) {
          to[j][type.high] += run[j];
          run[j] = 0;
        }
      }
    };
    if (count == block)
      add_columns(block);
    else
      add_columns(count);
  }
}

template class PairComparison<float>;
template class PairComparison<double>;

}  // namespace graphedx
