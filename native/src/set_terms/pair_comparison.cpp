#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

/// S[(u, v), (a, b)] = P[u, a] P[v, b] + P[u, b] P[v, a]: with P gathered at both ends of every column beforehand, a row of
/// S is a product of whole vectors.
template <class T>
void PairComparison<T>::gather(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan) {
  const PairList& list = columns.graph->columns;
  used_ = list.used(columns.padded());
  stride_ = whole_lanes<T>(used_);
  multiplicity_.assign(stride_, T(0));
  for (std::size_t i = 0; i < used_; ++i) multiplicity_[i] = columns.multiplicity(list.low[i], list.high[i]);
  low_.assign(rows.classes * stride_, T(0));
  high_.assign(rows.classes * stride_, T(0));
  for (std::size_t u = 0; u < rows.classes; ++u) {
    const T* from = plan[u];
    T *low = &low_[u * stride_], *high = &high_[u * stride_];
    for (std::size_t i = 0; i < used_; ++i) {
      low[i] = from[list.low[i]];
      high[i] = from[list.high[i]];
    }
  }
}

template <class T>
TwoSided<T> PairComparison<T>::forward(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan) {
  gather(rows, columns, plan);
  const Columns<T>& values = columns.graph->pair_columns;
  const PairList& list = rows.graph->rows;
  T both = 0, surplus = 0;
  for (std::size_t e = 0; e < list.used(rows.padded()); ++e) {
    const T* row = rows.graph->pair_row(list.place[e]);
    T total = 0;
    for (std::size_t f = 0; f < values.features; ++f) total += row[f];
    const T *low_u = &low_[list.low[e] * stride_], *low_v = &low_[list.high[e] * stride_];
    const T *high_u = &high_[list.low[e] * stride_], *high_v = &high_[list.high[e] * stride_];
    Lanes<T> both_lanes{}, surplus_lanes{};
    for (std::size_t i = 0; i < stride_; i += lane_count<T>) {
      const Lanes<T> aligned =
          load(&multiplicity_[i]) * (load(low_u + i) * load(high_v + i) + load(high_u + i) * load(low_v + i));
      both_lanes += aligned * distances(row, values, i);
      surplus_lanes += aligned * (total - load(&values.sums[i]));
    }
    const T multiplicity = rows.multiplicity(list.low[e], list.high[e]);
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
  const PairList& list = rows.graph->rows;
  d_low_.assign(low_.size(), T(0));
  d_high_.assign(high_.size(), T(0));
  d_values_.assign(values.values.size(), T(0));
  weight_.resize(stride_);
  cost_.resize(stride_);
  for (std::size_t e = 0; e < list.used(rows.padded()); ++e) {
    const std::size_t u = list.low[e] * stride_, v = list.high[e] * stride_;
    const T multiplicity = rows.multiplicity(list.low[e], list.high[e]);
    for (std::size_t i = 0; i < stride_; i += lane_count<T>)
      store(&weight_[i], Lanes<T>(multiplicity * load(&multiplicity_[i]) *
                                  (load(&low_[u + i]) * load(&high_[v + i]) + load(&high_[u + i]) * load(&low_[v + i]))));
    const T* row = rows.graph->pair_row(list.place[e]);
    add_gradients(row, values, stride_, slopes, weight_.data(), cost_.data(),
                  d_rows.pair + list.place[e] * values.features, d_values_.data());
    const auto add = [&](std::vector<T>& to, std::size_t at, const Lanes<T>& what) {
      store(&to[at], Lanes<T>(load(&to[at]) + what));
    };
    for (std::size_t i = 0; i < stride_; i += lane_count<T>) {
      const Lanes<T> d_aligned = multiplicity * load(&multiplicity_[i]) * load(&cost_[i]);
      add(d_low_, u + i, d_aligned * load(&high_[v + i]));
      add(d_high_, v + i, d_aligned * load(&low_[u + i]));
      add(d_high_, u + i, d_aligned * load(&low_[v + i]));
      add(d_low_, v + i, d_aligned * load(&high_[u + i]));
    }
  }
  const PairList& ends = columns.graph->columns;
  for (std::size_t u = 0; u < rows.classes; ++u)
    for (std::size_t i = 0; i < used_; ++i) {
      d_plan[u][ends.low[i]] += d_low_[u * stride_ + i];
      d_plan[u][ends.high[i]] += d_high_[u * stride_ + i];
    }
  for (std::size_t i = 0; i < used_; ++i) {
    T* to = d_columns.pair + ends.place[i] * values.features;
    for (std::size_t f = 0; f < values.features; ++f) to[f] += d_values_[f * values.stride + i];
  }
}

template class PairComparison<float>;
template class PairComparison<double>;

}  // namespace graphedx
