#include <algorithm>

#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

template <class T>
void PlanAtEnds<T>::gather(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan) {
  const std::vector<PairType>& types = columns.graph->columns.types;
  used_ = columns.graph->columns.used(columns.padded());
  stride_ = whole_lanes<T>(used_);
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
void PlanAtEnds<T>::forget_gradients() {
  d_low_.assign(low_.size(), T(0));
  d_high_.assign(high_.size(), T(0));
}

/// Columns with the same higher end are neighbours, mostly: their sum stays in a register, and several row classes at once
/// keep additions from waiting for each other.
template <class T>
void PlanAtEnds<T>::scatter(const Side<T>& rows, const Side<T>& columns, const Plan<T>& d_plan) const {
  constexpr std::size_t block = 4;
  const std::vector<PairType>& types = columns.graph->columns.types;
  for (std::size_t first = 0; first < rows.classes; first += block) {
    const std::size_t count = std::min(block, rows.classes - first);
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

template <class T>
void PairComparison<T>::gather(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan, Those those) {
  ends_.gather(rows, columns, plan);
  const std::vector<PairType>& types = columns.graph->columns.types;
  multiplicity_.assign(ends_.stride(), T(0));
  for (std::size_t i = 0; i < ends_.used(); ++i)
    if (those == Those::all || !types[i].is_edge) multiplicity_[i] = columns.multiplicity(types[i]);
  cost_.resize(ends_.stride());
}

template <class T>
typename PairComparison<T>::Sums PairComparison<T>::forward(const Side<T>& rows, const Side<T>& columns,
                                                            const Plan<T>& plan, Those those) {
  gather(rows, columns, plan, those);
  const Columns<T>& values = columns.graph->pair_columns;
  const TypeList& list = rows.graph->rows;
  const std::size_t stride = ends_.stride();
  T both = 0, surplus = 0, theirs = 0;
  for (std::size_t e = 0; e < list.used(rows.padded()); ++e) {
    const PairType& type = list.types[e];
    const T* row = rows.graph->pair_row(type.number);
    T total = 0;
    for (std::size_t f = 0; f < values.features; ++f) total += row[f];
    // In a loop of its own: together with what follows it has more values than there are registers.
    for (std::size_t i = 0; i < stride; i += lane_count<T>) store(cost_.data() + i, distances(row, values, i));
    Lanes<T> both_lanes{}, surplus_lanes{}, column_lanes{};
    for (std::size_t i = 0; i < stride; i += lane_count<T>) {
      const Lanes<T> aligned = load(multiplicity_.data() + i) * ends_.at(type, i), sums = load(values.sums.data() + i);
      both_lanes += aligned * load(cost_.data() + i);
      surplus_lanes += aligned * (total - sums);
      column_lanes += aligned * sums;
    }
    const T multiplicity = rows.multiplicity(type);
    both += multiplicity * sum_of(both_lanes);
    surplus += multiplicity * sum_of(surplus_lanes);
    theirs += multiplicity * sum_of(column_lanes);
  }
  return {(both + surplus) / 2, (both - surplus) / 2, theirs};
}

template <class T>
void PairComparison<T>::backward(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan, Sums slopes,
                                 const Plan<T>& d_plan, GradientRows<T> d_rows, GradientRows<T> d_columns,
                                 Those those) {
  gather(rows, columns, plan, those);
  const Columns<T>& values = columns.graph->pair_columns;
  const TypeList& list = rows.graph->rows;
  const std::size_t stride = ends_.stride();
  ends_.forget_gradients();
  d_values_.assign(values.values.size(), T(0));
  weight_.resize(stride);
  for (std::size_t e = 0; e < list.used(rows.padded()); ++e) {
    const PairType& type = list.types[e];
    const T multiplicity = rows.multiplicity(type);
    for (std::size_t i = 0; i < stride; i += lane_count<T>)
      store(weight_.data() + i, Lanes<T>(multiplicity * load(multiplicity_.data() + i) * ends_.at(type, i)));
    add_gradients(rows.graph->pair_row(type.number), values, stride, Slopes<T>{slopes.more, slopes.less},
                  weight_.data(), cost_.data(), d_rows.pair + type.number * values.features, d_values_.data());
    if (slopes.columns != 0)
      for (std::size_t i = 0; i < stride; i += lane_count<T>) {
        store(cost_.data() + i, Lanes<T>(load(cost_.data() + i) + slopes.columns * load(values.sums.data() + i)));
        const Lanes<T> d_value = slopes.columns * load(weight_.data() + i);
        for (std::size_t f = 0; f < values.features; ++f) {
          T* to = d_values_.data() + f * values.stride + i;
          store(to, Lanes<T>(load(to) + d_value));
        }
      }
    for (std::size_t i = 0; i < stride; i += lane_count<T>)
      ends_.add_gradients(type, i, multiplicity * load(multiplicity_.data() + i) * load(cost_.data() + i));
  }
  ends_.scatter(rows, columns, d_plan);
  for (std::size_t i = 0; i < ends_.used(); ++i) {
    T* to = d_columns.pair + columns.graph->columns.types[i].number * values.features;
    for (std::size_t f = 0; f < values.features; ++f) to[f] += d_values_[f * values.stride + i];
  }
}

template class PlanAtEnds<float>;
template class PlanAtEnds<double>;
template class PairComparison<float>;
template class PairComparison<double>;

}  // namespace graphedx
