#include <algorithm>

#include "graphedx/encoder/products.hpp"
#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

namespace {

/// How many node pairs each type stands for, and zeros up to whole lanes. Two padding nodes make no pair if there is but
/// one: that type is the last, and not used.
template <class T>
std::size_t weigh(const Side<T>& side, std::vector<T>& weights) {
  const TypeList& list = side.graph->columns;
  const std::size_t used = list.used(side.padded()) - (side.pads == 1 ? 1 : 0);
  weights.assign(whole_lanes<T>(used), T(0));
  for (std::size_t e = 0; e < used; ++e) weights[e] = side.multiplicity(list.types[e]);
  return used;
}

template <class T>
Lanes<T> sign_of(const Lanes<T>& x) {
  const Lanes<T> none{}, one = spread(T(1));
  return x > 0 ? one : (x < 0 ? -one : none);
}

}  // namespace

template <class T>
void OwnAlignment<T>::align(const Side<T>& source, const Side<T>& target, const Plan<T>& plan,
                            const SetTermOptions& options) {
  term_ = options.edge_term;
  rows_ = weigh(source, row_weights_);
  columns_ = weigh(target, column_weights_);
  stride_ = column_weights_.size();
  edges_ = target.graph->edges;
  of_edges_ = of_others_ = column_weights_;
  std::fill(of_edges_.begin() + edges_, of_edges_.end(), T(0));
  std::fill(of_others_.begin(), of_others_.begin() + edges_, T(0));
  if (rows_ == 0) return;
  ends_.gather(source, target, plan);
  const Columns<T>& by = target.graph->by_columns;
  const T sharpness = static_cast<T>(-1 / options.temperature);
  scores_.resize(rows_ * stride_);
  for (std::size_t e = 0; e < rows_; ++e) {
    const PairType& type = source.graph->columns.types[e];
    const T* row = source.graph->pair_row(type.number) + target.graph->pair_columns.features;
    for (std::size_t i = 0; i < stride_; i += lane_count<T>)
      store(scores_.data() + e * stride_ + i, Lanes<T>(sharpness * distances(row, by, i)));
  }
  sinkhorn_.run(scores_.data(), {rows_, columns_, row_weights_.size(), stride_}, row_weights_.data(),
                column_weights_.data(), options.iterations);
}

/// The columns that a row is compared with.
template <class T>
typename OwnAlignment<T>::Counting OwnAlignment<T>::counting(bool is_edge) const {
  if (term_ != SetTerm::xor_diff_align) return {column_weights_.data(), 0, stride_};
  if (is_edge) return {of_others_.data(), edges_ / lane_count<T> * lane_count<T>, stride_};
  return {of_edges_.data(), 0, whole_lanes<T>(edges_)};
}

template <class T>
typename OwnAlignment<T>::Sums OwnAlignment<T>::forward(const Side<T>& source, const Side<T>& target,
                                                        const Plan<T>& plan, const SetTermOptions& options) {
  align(source, target, plan, options);
  if (rows_ == 0) return {};
  const bool is_carried = term_ == SetTerm::align_diff;
  if (is_carried) carry(*target.graph);
  const Columns<T>& values = target.graph->pair_columns;
  const std::size_t width = source.graph->width;
  T both = 0, surplus = 0, apart = 0;
  for (std::size_t e = 0; e < rows_; ++e) {
    const PairType& type = source.graph->columns.types[e];
    const T* own = sinkhorn_.plan().data() + e * stride_;
    Lanes<T> apart_lanes{}, both_lanes{}, surplus_lanes{};
    for (std::size_t i = 0; i < stride_; i += lane_count<T>)
      apart_lanes += load(column_weights_.data() + i) * absolute_of(load(own + i) - ends_.at(type, i));
    if (is_carried) {
      for (std::size_t f = 0; f < width; f += lane_count<T>) {
        const Lanes<T> x = load(source.graph->vectors.data() + e * width + f) - load(carried_.data() + e * width + f);
        both_lanes += absolute_of(x);
        surplus_lanes += x;
      }
    } else {
      const T* row = source.graph->pair_row(type.number);
      T total = 0;
      for (std::size_t f = 0; f < values.features; ++f) total += row[f];
      const Counting those = counting(type.is_edge);
      for (std::size_t i = those.begin; i < those.end; i += lane_count<T>) {
        const Lanes<T> aligned = load(those.weights + i) * load(own + i);
        both_lanes += aligned * distances(row, values, i);
        surplus_lanes += aligned * (total - load(values.sums.data() + i));
      }
    }
    apart += row_weights_[e] * sum_of(apart_lanes);
    both += row_weights_[e] * sum_of(both_lanes);
    surplus += row_weights_[e] * sum_of(surplus_lanes);
  }
  return {{(both + surplus) / 2, (both - surplus) / 2}, apart};
}

template <class T>
void OwnAlignment<T>::backward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan,
                               const SetTermOptions& options, Slopes<T> slopes, T d_apart, const Plan<T>& d_plan,
                               GradientRows<T> d_source, GradientRows<T> d_target) {
  align(source, target, plan, options);
  if (rows_ == 0) return;
  const PackedGraph<T>&own_graph = *source.graph, &other = *target.graph;
  const std::size_t features = own_graph.pair_features, compared = other.pair_columns.features;
  ends_.forget_gradients();
  d_own_.resize(rows_ * stride_);
  for (std::size_t e = 0; e < rows_; ++e)
    for (std::size_t i = 0; i < stride_; i += lane_count<T>) {
      const PairType& type = own_graph.columns.types[e];
      const Lanes<T> weight = d_apart * row_weights_[e] * load(column_weights_.data() + i);
      const Lanes<T> d_aligned =
          weight * sign_of<T>(load(sinkhorn_.plan().data() + e * stride_ + i) - ends_.at(type, i));
      store(d_own_.data() + e * stride_ + i, d_aligned);
      ends_.add_gradients(type, i, -d_aligned);
    }
  ends_.scatter(source, target, d_plan);

  d_values_.assign(other.pair_columns.values.size(), T(0));
  if (term_ == SetTerm::align_diff)
    carry_back(own_graph, other, slopes, d_source.pair);
  else
    compare_back(own_graph, other, slopes, d_source.pair);

  sinkhorn_.backward(d_own_.data(), row_weights_.data(), column_weights_.data(), scores_.data());  // the scores are not needed any more
  const T sharpness = static_cast<T>(-1 / options.temperature);
  for (T& d_score : scores_) d_score *= sharpness;
  d_by_.assign(other.by_columns.values.size(), T(0));
  for (std::size_t e = 0; e < rows_; ++e) {
    const std::uint32_t number = own_graph.columns.types[e].number;
    add_distance_gradients(own_graph.pair_row(number) + compared, other.by_columns, stride_,
                           scores_.data() + e * stride_, d_source.pair + number * features + compared, d_by_.data());
  }
  for (std::size_t i = 0; i < columns_; ++i) {
    T* to = d_target.pair + other.columns.types[i].number * features;
    for (std::size_t f = 0; f < compared; ++f) to[f] += d_values_[f * other.pair_columns.stride + i];
    for (std::size_t f = compared; f < features; ++f) to[f] += d_by_[(f - compared) * other.by_columns.stride + i];
  }
}

template <class T>
void OwnAlignment<T>::compare_back(const PackedGraph<T>& source, const PackedGraph<T>& target, Slopes<T> slopes,
                                   T* d_source) {
  const Columns<T>& values = target.pair_columns;
  weight_.resize(stride_);
  cost_.resize(stride_);
  for (std::size_t e = 0; e < rows_; ++e) {
    const PairType& type = source.columns.types[e];
    const Counting those = counting(type.is_edge);
    const T* own = sinkhorn_.plan().data() + e * stride_;
    T* d_own = d_own_.data() + e * stride_;
    std::fill(weight_.begin(), weight_.begin() + those.begin, T(0));
    for (std::size_t i = those.begin; i < those.end; i += lane_count<T>)
      store(weight_.data() + i, Lanes<T>(row_weights_[e] * load(those.weights + i) * load(own + i)));
    add_gradients(source.pair_row(type.number), values, those.end, slopes, weight_.data(), cost_.data(),
                  d_source + type.number * source.pair_features, d_values_.data());
    for (std::size_t i = those.begin; i < those.end; i += lane_count<T>)
      store(d_own + i, Lanes<T>(load(d_own + i) + row_weights_[e] * load(those.weights + i) * load(cost_.data() + i)));
  }
}

/// The target's vectors as the alignment carries them over.
template <class T>
void OwnAlignment<T>::carry(const PackedGraph<T>& target) {
  weighted_.resize(rows_ * stride_);
  for (std::size_t e = 0; e < rows_; ++e)
    for (std::size_t i = 0; i < stride_; i += lane_count<T>)
      store(weighted_.data() + e * stride_ + i,
            Lanes<T>(load(sinkhorn_.plan().data() + e * stride_ + i) * load(column_weights_.data() + i)));
  carried_.resize(rows_ * target.width);
  multiply<Lanes<T>>(Product<T>{rows_, columns_, weighted_.data(), stride_, 1, target.vectors.data(), target.width,
                                nullptr, 0, carried_.data(), target.width},
                     target.width);
}

template <class T>
void OwnAlignment<T>::carry_back(const PackedGraph<T>& source, const PackedGraph<T>& target, Slopes<T> slopes,
                                 T* d_source) {
  carry(target);
  const std::size_t width = target.width, compared = target.pair_columns.features;
  d_carried_.resize(rows_ * width);
  for (std::size_t e = 0; e < rows_; ++e) {
    const Lanes<T> above = spread(row_weights_[e] * slopes.above), below = spread(-row_weights_[e] * slopes.below);
    for (std::size_t f = 0; f < width; f += lane_count<T>) {
      const std::size_t at = e * width + f;
      const Lanes<T> x = load(source.vectors.data() + at) - load(carried_.data() + at);
      store(d_carried_.data() + at, Lanes<T>(x > 0 ? -above : (x < 0 ? -below : Lanes<T>{})));
    }
    T* d_row = d_source + source.columns.types[e].number * source.pair_features;
    for (std::size_t f = 0; f < compared; ++f) d_row[f] -= d_carried_[e * width + f];
  }
  d_products_.resize(rows_ * columns_);
  inner_products(rows_, columns_, width, d_carried_.data(), width, target.vectors.data(), width, d_products_.data());
  for (std::size_t e = 0; e < rows_; ++e)
    for (std::size_t i = 0; i < columns_; ++i)
      d_own_[e * stride_ + i] += column_weights_[i] * d_products_[e * columns_ + i];
  // d_values_[f, i] = sum_e d_carried_[e, f] weighted_[e, i]
  multiply<Lanes<T>>(Product<T>{compared, rows_, d_carried_.data(), 1, width, weighted_.data(), stride_, nullptr, 0,
                                d_values_.data(), target.pair_columns.stride},
                     stride_);
}

template class OwnAlignment<float>;
template class OwnAlignment<double>;

}  // namespace graphedx
