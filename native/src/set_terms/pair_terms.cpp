#include "graphedx/set_terms/pair_terms.hpp"

#include <algorithm>

namespace graphedx {

template <class T>
void Side<T>::set(const PackedGraph<T>& packed, std::size_t padded_nodes) {
  graph = &packed;
  pads = static_cast<T>(padded_nodes - packed.nodes);
  classes = packed.classes + (padded() ? 1 : 0);
  weights.assign(packed.stride, T(0));
  std::copy(packed.weights.begin(), packed.weights.end(), weights.begin());
  weights[packed.classes] = pads;
}

template <class T>
void PairTerms<T>::align(const PackedGraph<T>& source, const PackedGraph<T>& target, std::size_t padded_nodes,
                         const AlignmentNoise<T>& noise) {
  set_sides(source, target, padded_nodes);
  const std::size_t rows = source_.classes, columns = target_.classes, stride = target.stride;
  scores_.resize(rows * stride);
  const T sharpness = static_cast<T>(-1 / options_.temperature);
  const bool by_product = options_.align_by == AlignBy::product;
  for (std::size_t u = 0; u < rows; ++u)
    for (std::size_t k = 0; k < stride; k += lane_count<T>) {
      const Lanes<T> apart = by_product ? -products(source.align_row(u), target.align_columns, k)
                                        : distances(source.align_row(u), target.align_columns, k);
      store(scores_.data() + u * stride + k, Lanes<T>(sharpness * apart));
    }
  if (noise.values)
    for (std::size_t u = 0; u < rows; ++u)
      for (std::size_t k = 0; k < columns; ++k) scores_[u * stride + k] -= sharpness * noise.values[u * noise.size + k];
  if (padded_nodes == 0) return;
  sinkhorn_.run(scores_.data(), {rows, columns, source.stride, stride}, source_.weights.data(), target_.weights.data(),
                options_.iterations);
  plan_.values = sinkhorn_.state().plan.data();
}

template <class T>
void PairTerms<T>::set_sides(const PackedGraph<T>& source, const PackedGraph<T>& target, std::size_t padded_nodes) {
  source_.set(source, padded_nodes);
  target_.set(target, padded_nodes);
  plan_ = {source_.classes, target_.classes, target.stride, nullptr};
}

template <class T>
void PairTerms<T>::resume(const PackedGraph<T>& source, const PackedGraph<T>& target, std::size_t padded_nodes,
                          AlignmentState<T>& state) {
  set_sides(source, target, padded_nodes);
  sinkhorn_.use(state);
  plan_.values = state.plan.data();
}

template <class T>
void PairTerms<T>::transpose_plan() {
  transposed_values_.assign(plan_.columns * source_.graph->stride, T(0));
  transposed_ = {plan_.columns, plan_.rows, source_.graph->stride, transposed_values_.data()};
  for (std::size_t u = 0; u < plan_.rows; ++u)
    for (std::size_t k = 0; k < plan_.columns; ++k) transposed_[k][u] = plan_[u][k];
}

template <class T>
void PairTerms<T>::forward(T* terms) {
  std::fill(terms, terms + options_.terms(), T(0));
  if (plan_.rows == 0) return;
  const TwoSided<T> nodes = node_forward();
  terms[0] = nodes.deleted;
  terms[1] = nodes.inserted;
  TwoSided<T> edges;
  if (options_.pair_align_features > 0) {
    const auto own = own_.forward(source_, target_, plan_, options_);
    edges = own.edges;
    terms[4] = own.apart;
  } else {
    edges = edge_forward();
  }
  terms[2] = edges.deleted;
  terms[3] = edges.inserted;
}

template <class T>
void PairTerms<T>::backward(const T* d_terms, GradientRows<T> d_source, GradientRows<T> d_target) {
  if (plan_.rows == 0) return;
  d_plan_values_.assign(plan_.rows * plan_.stride, T(0));
  d_plan_ = {plan_.rows, plan_.columns, plan_.stride, d_plan_values_.data()};
  node_backward({d_terms[0], d_terms[1]}, d_source, d_target);
  if (options_.pair_align_features > 0)
    own_.backward(source_, target_, plan_, options_, {d_terms[2], d_terms[3]}, d_terms[4], d_plan_, d_source, d_target);
  else
    edge_backward({d_terms[2], d_terms[3]}, d_source, d_target);
  align_backward(d_source, d_target);
}

namespace {

/// Adds gradients that lie as columns to the rows of a graph.
template <class T>
void add_to_rows(const std::vector<T>& d_columns, const Columns<T>& columns, std::size_t used, T* rows) {
  for (std::size_t i = 0; i < used; ++i)
    for (std::size_t f = 0; f < columns.features; ++f)
      rows[i * columns.features + f] += d_columns[f * columns.stride + i];
}

}  // namespace

template <class T>
void PairTerms<T>::align_backward(GradientRows<T> d_source, GradientRows<T> d_target) {
  const PackedGraph<T>&source = *source_.graph, &target = *target_.graph;
  const Columns<T>& columns = target.align_columns;
  scores_.resize(plan_.rows * plan_.stride);  // the scores are not needed any more
  sinkhorn_.backward(d_plan_values_.data(), source_.weights.data(), target_.weights.data(), scores_.data());
  const bool by_product = options_.align_by == AlignBy::product;
  const T sharpness = static_cast<T>((by_product ? 1 : -1) / options_.temperature);
  for (T& d_score : scores_) d_score *= sharpness;
  d_columns_.assign(columns.values.size(), T(0));
  for (std::size_t u = 0; u < plan_.rows; ++u) {
    T* d_row = d_source.align + u * source.align_features;
    const T* d_scores = scores_.data() + u * plan_.stride;
    if (by_product)
      add_product_gradients(source.align_row(u), columns, d_scores, d_row, d_columns_.data());
    else
      add_distance_gradients(source.align_row(u), columns, columns.stride, d_scores, d_row, d_columns_.data());
  }
  add_to_rows(d_columns_, columns, plan_.columns, d_target.align);
}

// Nodes.

/// sum_k plan[node, k] * weight[k] * (target node k), feature by feature.
template <class T>
const T* PairTerms<T>::carried_node(std::size_t node) {
  const Columns<T>& columns = target_.graph->node_columns;
  carried_.resize(columns.features);
  for (std::size_t f = 0; f < columns.features; ++f) {
    Lanes<T> sum{};
    const T* values = columns.values.data() + f * columns.stride;
    for (std::size_t k = 0; k < columns.stride; k += lane_count<T>)
      sum += load(plan_[node] + k) * load(target_.weights.data() + k) * load(values + k);
    carried_[f] = sum_of(sum);
  }
  return carried_.data();
}

template <class T>
void PairTerms<T>::find_counting_nodes() {
  zeros_.assign(source_.graph->node_features, T(0));
  if (options_.node_term == SetTerm::align_diff) return;
  with_real_ = with_padding_ = target_.weights;
  if (options_.node_term != SetTerm::xor_diff_align) return;
  std::fill(with_real_.begin(), with_real_.begin() + target_.graph->classes, T(0));
  with_padding_[target_.graph->classes] = 0;
}

template <class T>
TwoSided<T> PairTerms<T>::node_forward() {
  find_counting_nodes();
  const PackedGraph<T>& source = *source_.graph;
  const Columns<T>& columns = target_.graph->node_columns;
  T both = 0, surplus = 0;  // sums of |x| and of x: the sides are (|x| + x) / 2 and (|x| - x) / 2
  for (std::size_t u = 0; u < plan_.rows; ++u) {
    const T* node = source_.is_real(u) ? source.node_row(u) : zeros_.data();
    const T weight = source_.weights[u];
    if (options_.node_term == SetTerm::align_diff) {
      const T* carried = carried_node(u);
      for (std::size_t f = 0; f < columns.features; ++f) {
        both += weight * std::abs(node[f] - carried[f]);
        surplus += weight * (node[f] - carried[f]);
      }
      continue;
    }
    const std::vector<T>& counting = source_.is_real(u) ? with_real_ : with_padding_;
    Lanes<T> both_lanes{}, surplus_lanes{};
    T total = 0;
    for (std::size_t f = 0; f < columns.features; ++f) total += node[f];
    for (std::size_t k = 0; k < columns.stride; k += lane_count<T>) {
      const Lanes<T> aligned = load(plan_[u] + k) * load(counting.data() + k);
      both_lanes += aligned * distances(node, columns, k);
      surplus_lanes += aligned * (total - load(columns.sums.data() + k));
    }
    both += weight * sum_of(both_lanes);
    surplus += weight * sum_of(surplus_lanes);
  }
  return {(both + surplus) / 2, (both - surplus) / 2};
}

template <class T>
void PairTerms<T>::node_backward(Slopes<T> slopes, GradientRows<T> d_source, GradientRows<T> d_target) {
  find_counting_nodes();
  const PackedGraph<T>& source = *source_.graph;
  const Columns<T>& columns = target_.graph->node_columns;
  d_columns_.assign(columns.values.size(), T(0));
  weight_.resize(columns.stride);
  cost_.resize(columns.stride);
  for (std::size_t u = 0; u < plan_.rows; ++u) {
    const T* node = source_.is_real(u) ? source.node_row(u) : zeros_.data();
    T* d_node = d_source.node + u * source.node_features;
    const T weight = source_.weights[u];
    if (options_.node_term == SetTerm::align_diff) {
      const T* carried = carried_node(u);
      for (std::size_t f = 0; f < columns.features; ++f) {
        const T x = node[f] - carried[f];
        const T slope = weight * (x > 0 ? slopes.above : x < 0 ? -slopes.below : T(0));
        d_node[f] += slope;
        for (std::size_t k = 0; k < columns.stride; k += lane_count<T>) {
          const std::size_t at = f * columns.stride + k;
          const Lanes<T> weighted = slope * load(target_.weights.data() + k);
          store(d_columns_.data() + at, Lanes<T>(load(d_columns_.data() + at) - weighted * load(plan_[u] + k)));
          store(d_plan_[u] + k, Lanes<T>(load(d_plan_[u] + k) - weighted * load(columns.values.data() + at)));
        }
      }
      continue;
    }
    const std::vector<T>& counting = source_.is_real(u) ? with_real_ : with_padding_;
    for (std::size_t k = 0; k < columns.stride; k += lane_count<T>)
      store(weight_.data() + k, Lanes<T>(weight * load(counting.data() + k) * load(plan_[u] + k)));
    add_gradients(node, columns, columns.stride, slopes, weight_.data(), cost_.data(), d_node, d_columns_.data());
    for (std::size_t k = 0; k < columns.stride; k += lane_count<T>)
      store(d_plan_[u] + k,
            Lanes<T>(load(d_plan_[u] + k) + weight * load(counting.data() + k) * load(cost_.data() + k)));
  }
  add_to_rows(d_columns_, columns, target_.graph->classes, d_target.node);
}

// Edges.

template <class T>
TwoSided<T> PairTerms<T>::edge_forward() {
  if (options_.edge_term == SetTerm::align_diff) return transport_.forward(source_, target_, plan_);
  return comparison_forward();
}

template <class T>
void PairTerms<T>::edge_backward(Slopes<T> slopes, GradientRows<T> d_source, GradientRows<T> d_target) {
  if (options_.edge_term == SetTerm::align_diff)
    transport_.backward(source_, target_, plan_, slopes, d_plan_, d_source, d_target);
  else
    comparison_backward(slopes, d_source, d_target);
}

/// XOR: edges of the source against non-edges of the target, and the other way round. Maxima: edges of the source against
/// all of the target, and edges of the target against non-edges of the source; max(e, e') is e' and what e has more.
template <class T>
TwoSided<T> PairTerms<T>::comparison_forward() {
  const auto terms = comparison_.forward(source_, target_, plan_);
  if (options_.edge_term == SetTerm::diff_align) return {terms.more, terms.less};
  transpose_plan();
  const auto reverse = comparison_.forward(target_, source_, transposed_, PairComparison<T>::Those::no_edges);
  if (options_.edge_term == SetTerm::xor_diff_align) return {terms.more + reverse.less, terms.less + reverse.more};
  const T maxima = (terms.more + terms.columns) + (reverse.more + reverse.columns);
  return {maxima, maxima};
}

template <class T>
void PairTerms<T>::comparison_backward(Slopes<T> slopes, GradientRows<T> d_source, GradientRows<T> d_target) {
  using Sums = typename PairComparison<T>::Sums;
  const T of_maxima = slopes.above + slopes.below;
  const bool maxima = options_.edge_term == SetTerm::or_maximum;
  const Sums there = maxima ? Sums{of_maxima, 0, of_maxima} : Sums{slopes.above, slopes.below, 0};
  comparison_.backward(source_, target_, plan_, there, d_plan_, d_source, d_target);
  if (options_.edge_term == SetTerm::diff_align) return;
  transpose_plan();
  d_transposed_values_.assign(transposed_values_.size(), T(0));
  d_transposed_ = transposed_;
  d_transposed_.values = d_transposed_values_.data();
  const Sums back = maxima ? there : Sums{slopes.below, slopes.above, 0};
  comparison_.backward(target_, source_, transposed_, back, d_transposed_, d_target, d_source,
                       PairComparison<T>::Those::no_edges);
  for (std::size_t u = 0; u < plan_.rows; ++u)
    for (std::size_t k = 0; k < plan_.columns; ++k) d_plan_[u][k] += d_transposed_[k][u];
}

template struct Side<float>;
template struct Side<double>;
template class PairTerms<float>;
template class PairTerms<double>;

}  // namespace graphedx
