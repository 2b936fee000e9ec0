// The four terms of one pair of packed graphs, and their gradients.
#pragma once

#include <vector>

#include "graphedx/set_terms/packed_graph.hpp"
#include "graphedx/set_terms/sinkhorn.hpp"

namespace graphedx {

/// What has to be deleted from the source and inserted into it.
template <class T>
struct TwoSided {
  T deleted = 0, inserted = 0;
};

/// One graph of a pair: the classes of its real nodes and, if there are any, its padding nodes as one more.
template <class T>
struct Side {
  const PackedGraph<T>* graph = nullptr;
  std::size_t classes = 0;
  T pads = 0;
  std::vector<T> weights;  // how many nodes each class stands for; zero up to the graph's stride

  void set(const PackedGraph<T>& packed, std::size_t padded_nodes);
  bool padded() const { return pads > 0; }
  bool is_real(std::size_t c) const { return c < graph->classes; }
  /// How many unordered node pairs the type stands for.
  T multiplicity(const PairType& type) const {
    if (is_real(type.high)) return static_cast<T>(type.count);
    return is_real(type.low) ? weights[type.low] * pads : pads * (pads - 1) / 2;
  }
};

/// A matrix of classes of one side by classes of the other; zero beyond them.
template <class T>
struct Plan {
  std::size_t rows, columns, stride;
  T* values;
  T* operator[](std::size_t row) const { return values + row * stride; }
};

/// The alignment of node pairs that follows from that of nodes, for all types of `columns`:
/// S[(u, v), (a, b)] = P[u, a] P[v, b] + P[u, b] P[v, a]. With P gathered at both ends of every column beforehand, a row
/// of S is a product of whole vectors.
template <class T>
class PlanAtEnds {
 public:
  void gather(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan);
  std::size_t used() const { return used_; }
  std::size_t stride() const { return stride_; }

  /// Of a pair of classes of rows, and the columns from `first` on.
  Lanes<T> at(const PairType& row, std::size_t first) const {
    const std::size_t u = row.low * stride_ + first, v = row.high * stride_ + first;
    return load(low_.data() + u) * load(high_.data() + v) + load(high_.data() + u) * load(low_.data() + v);
  }
  void forget_gradients();
  void add_gradients(const PairType& row, std::size_t first, const Lanes<T>& d_aligned) {
    const std::size_t u = row.low * stride_ + first, v = row.high * stride_ + first;
    const auto add = [&](std::vector<T>& to, std::size_t at, const std::vector<T>& by, std::size_t by_at) {
      store(to.data() + at, Lanes<T>(load(to.data() + at) + d_aligned * load(by.data() + by_at)));
    };
    add(d_low_, u, high_, v);
    add(d_high_, v, low_, u);
    add(d_high_, u, low_, v);
    add(d_low_, v, high_, u);
  }
  /// What was added, to the plan.
  void scatter(const Side<T>& rows, const Side<T>& columns, const Plan<T>& d_plan) const;

 private:
  std::size_t used_ = 0, stride_ = 0;  // columns, and with whole lanes
  std::vector<T> low_, high_;          // the plan at both ends of each column, for every class of rows
  std::vector<T> d_low_, d_high_;
};

/// Terms of node pairs that compare every type of one list with every type of another: DiffAlign, one half of XOR, and
/// maxima.
template <class T>
class PairComparison {
 public:
  /// Sums over rows e and columns e' of S[e, e'] times what e has more than e', what it has less, and e' itself, over all
  /// features. Slopes of these are what gradients are of.
  struct Sums {
    T more = 0, less = 0, columns = 0;
  };
  /// Which columns count.
  enum class Those { all, no_edges };

  Sums forward(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan, Those those = Those::all);
  void backward(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan, Sums slopes, const Plan<T>& d_plan,
                GradientRows<T> d_rows, GradientRows<T> d_columns, Those those = Those::all);

 private:
  void gather(const Side<T>& rows, const Side<T>& columns, const Plan<T>& plan, Those those);

  PlanAtEnds<T> ends_;
  std::vector<T> multiplicity_, weight_, cost_, d_values_;
};

/// Terms of node pairs that have an alignment of their own, all types with all others.
template <class T>
class OwnAlignment {
 public:
  struct Sums {
    TwoSided<T> edges;
    T apart = 0;  // from the alignment that follows from that of nodes
  };

  Sums forward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan, const SetTermOptions& options);
  void backward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan, const SetTermOptions& options,
                Slopes<T> slopes, T d_apart, const Plan<T>& d_plan, GradientRows<T> d_source,
                GradientRows<T> d_target);

 private:
  void align(const Side<T>& source, const Side<T>& target, const Plan<T>& plan, const SetTermOptions& options);
  void carry(const PackedGraph<T>& target);
  void carry_back(const PackedGraph<T>& source, const PackedGraph<T>& target, Slopes<T> slopes, T* d_source);
  void compare_back(const PackedGraph<T>& source, const PackedGraph<T>& target, Slopes<T> slopes, T* d_source);
  struct Counting {
    const T* weights;
    std::size_t begin, end;  // whole lanes
  };
  Counting counting(bool is_edge) const;

  SetTerm term_ = SetTerm::align_diff;
  std::size_t rows_ = 0, columns_ = 0, stride_ = 0;  // types of both sides, and those of the target with whole lanes
  PlanAtEnds<T> ends_;
  Sinkhorn<T> sinkhorn_;
  std::vector<T> row_weights_, column_weights_;  // how many node pairs each type stands for
  std::vector<T> of_edges_, of_others_;          // the same of columns that are edges, and of those that are none
  std::size_t edges_ = 0;                        // columns
  std::vector<T> scores_, own_, d_own_;
  std::vector<T> weight_, cost_, weighted_, carried_, d_carried_, d_products_, d_values_, d_by_;
};

/// AlignDiff of node pairs: the other graph's pair vectors are carried over by the plan from both sides, P R' P^T. That
/// is symmetric, as both graphs are undirected: half of it is enough.
template <class T>
class PairTransport {
 public:
  TwoSided<T> forward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan);
  void backward(const Side<T>& source, const Side<T>& target, const Plan<T>& plan, Slopes<T> slopes,
                const Plan<T>& d_plan, GradientRows<T> d_source, GradientRows<T> d_target);

 private:
  void carry(const Side<T>& target, const Plan<T>& plan);
  void carry_back(const Side<T>& target, const Plan<T>& plan, const Plan<T>& d_plan);
  std::size_t cell(const PairType& type) const { return (type.low * rows_ + type.high) * width_; }

  std::size_t rows_ = 0, columns_ = 0, width_ = 0;  // classes of both sides, and features with whole lanes
  std::vector<T> weighted_;                         // the plan times the weights of its columns
  std::vector<T> half_way_;                         // [source class][target class][feature]
  std::vector<T> carried_;                          // [source class][source class][feature], the later class second
  std::vector<T> d_near_, d_far_, d_half_way_, d_carried_, d_square_, d_vector_;
};

/// What the backward pass needs of a pair's alignment.
template <class T>
using AlignmentState = typename Sinkhorn<T>::State;

/// Everything about one pair; keeps its memory for the next one.
template <class T>
class PairTerms {
 public:
  explicit PairTerms(const SetTermOptions& options) : options_(options) {}

  /// Aligns the graphs; the other calls are about this pair.
  void align(const PackedGraph<T>& source, const PackedGraph<T>& target, std::size_t padded_nodes,
             const AlignmentNoise<T>& noise = {});
  /// Where alignments are kept from now on; by default in memory that the next alignment overwrites.
  void keep_in(AlignmentState<T>& state) { sinkhorn_.use(state); }
  void keep_none() { sinkhorn_.use_own(); }
  /// Takes up a pair that was aligned and kept, instead of `align`.
  void resume(const PackedGraph<T>& source, const PackedGraph<T>& target, std::size_t padded_nodes,
              AlignmentState<T>& state);
  const Plan<T>& plan() const { return plan_; }
  void forward(T* terms);  // options.terms() of them
  /// Adds to the gradients of both graphs.
  void backward(const T* d_terms, GradientRows<T> d_source, GradientRows<T> d_target);

 private:
  void set_sides(const PackedGraph<T>& source, const PackedGraph<T>& target, std::size_t padded_nodes);
  TwoSided<T> node_forward();
  void node_backward(Slopes<T> slopes, GradientRows<T> d_source, GradientRows<T> d_target);
  TwoSided<T> edge_forward();
  TwoSided<T> comparison_forward();
  void comparison_backward(Slopes<T> slopes, GradientRows<T> d_source, GradientRows<T> d_target);
  void edge_backward(Slopes<T> slopes, GradientRows<T> d_source, GradientRows<T> d_target);
  void align_backward(GradientRows<T> d_source, GradientRows<T> d_target);
  void transpose_plan();
  const T* carried_node(std::size_t node);
  void find_counting_nodes();

  SetTermOptions options_;
  Side<T> source_, target_;
  Sinkhorn<T> sinkhorn_;
  Plan<T> plan_{}, d_plan_{}, transposed_{}, d_transposed_{};
  std::vector<T> scores_, d_plan_values_, transposed_values_, d_transposed_values_;
  std::vector<T> zeros_, carried_, weight_, cost_, d_columns_;
  std::vector<T> with_real_, with_padding_;  // weights of target classes that count with a real one or with padding
  PairComparison<T> comparison_;
  PairTransport<T> transport_;
  OwnAlignment<T> own_;
};

}  // namespace graphedx
