// The heart of the GraphEdX model: a soft alignment of two encoded graphs by Sinkhorn iterations, and set divergences
// of their nodes and node pairs under it, with gradients. Graphs are padded to the same number of nodes N. Nodes that are
// alike are one class that counts several times, and so are the node pairs between two classes, edges and others apart;
// all padding nodes of a graph are alike, so nothing grows with N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace graphedx {

/// What two sets are compared by. The last is for node pairs only: the sum of S[e, e'] max(e, e') where e or e' is an edge.
enum class SetTerm { align_diff, diff_align, xor_diff_align, or_maximum };

/// What is high where two nodes are to be aligned: minus the L1 distance of their `align` vectors, or the product.
enum class AlignBy { distance, product };

/// Graphs that an encoder has turned into vectors, one after the other. A node pair u < v is at v (v - 1) / 2 + u of
/// its graph, where v = (number of nodes) stands for padding: a graph of n nodes has n (n + 1) / 2 pairs, of which
/// the first n (n - 1) / 2 are of real nodes.
template <class T>
struct EncodedGraphs {
  std::size_t graphs;
  const std::int64_t* offsets;  // graphs + 1: the nodes of graph g are offsets[g] ... offsets[g + 1] - 1
  std::size_t nodes, node_features, align_features, node_pairs, pair_features, real_pairs;
  const T* node;                  // nodes x node_features; padding has zeros
  const T* align;                 // nodes x align_features
  const T* align_pad;             // align_features
  const T* pair;                  // node_pairs x pair_features
  const T* pair_pad;              // pair_features: of two padding nodes
  const std::uint8_t* adjacency;  // real_pairs: whether the pair is an edge

  /// nodes: the first node of the graph, counted from 0, that each is alike; or null, where none are. The caller sees to
  /// it that alike nodes have the same vectors, and so have pairs of alike nodes that are both edges or both not: what
  /// is read are the vectors of the first ones.
  const std::int64_t* alike = nullptr;

  /// Throws std::invalid_argument if the sizes do not fit the offsets, or alike is no partition.
  void check() const;
  EncodedGraphs node_by_node() const {
    EncodedGraphs same = *this;
    same.alike = nullptr;
    return same;
  }
};

struct SetTermOptions {
  SetTerm node_term;
  SetTerm edge_term;
  double temperature;
  int iterations;
  std::int64_t padded_nodes;  // N; 0: the larger graph of each pair
  int threads;
  AlignBy align_by = AlignBy::distance;
  bool edges_only = false;  // node pairs that are no edges have no part in AlignDiff and DiffAlign

  /// If there are any, node pairs have an alignment S of their own, by so many of the last features of their vectors,
  /// whose rest is compared: AlignDiff, DiffAlign or XOR. There is a fifth term then: how far S is from the one that
  /// follows from the nodes' alignment, in the L1 norm.
  std::size_t pair_align_features = 0;

  std::size_t terms() const { return pair_align_features > 0 ? 5 : 4; }
};

/// What is added to scores before the temperature divides it: count x size x size, where row n and column n' of a pair
/// of graphs of n and n' nodes are of padding. Size is at least what pairs are padded to; there may be none. Where there
/// is some, no two nodes are alike.
template <class T>
struct AlignmentNoise {
  const T* values = nullptr;
  std::size_t size = 0;

  AlignmentNoise of(std::size_t pair) const { return {values ? values + pair * size * size : nullptr, size}; }
};

/// Gradients, in the layouts of EncodedGraphs. Every number is written. The first of alike nodes, or pairs, has the sum
/// of what all of them would have, and the others have 0: as they are one function of whatever vectors depend on, that
/// is the same gradient for it.
template <class T>
struct EncodedGradients {
  T* node;
  T* align;
  T* align_pad;
  T* pair;
  T* pair_pad;
};

/// The terms of pairs of graphs and their gradients. Both passes have the same bits for any number of threads. The arrays
/// of the graphs, and the noise, have to live on; pairs and options are copied.
template <class T>
class SetTermsPass {
 public:
  enum class Keep { all, nothing };

  /// Pairs are count x 2. With `Keep::all` the forward pass keeps alignments for the backward pass, as many as fit in 256
  /// MB; the others are computed again. What follows from an alignment always is: it fits in the cache while a pair is at
  /// work, and would not afterwards. Throws std::invalid_argument on pairs, sizes or options that do not fit.
  SetTermsPass(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count,
               const SetTermOptions& options, const AlignmentNoise<T>& noise = {}, Keep keep = Keep::all);
  ~SetTermsPass();
  SetTermsPass(const SetTermsPass&) = delete;
  SetTermsPass& operator=(const SetTermsPass&) = delete;

  const EncodedGraphs<T>& graphs() const;
  std::size_t count() const;
  std::size_t terms() const;

  /// count x options.terms(): nodes deleted, nodes inserted, edges deleted, edges inserted; of maxima both of these are
  /// the same sum.
  void forward(T* terms);
  /// Gradients of sum(d_terms * terms); any number of times.
  void backward(const T* d_terms, const EncodedGradients<T>& gradients);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// The forward pass alone.
template <class T>
void set_terms(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count,
               const SetTermOptions& options, T* terms, const AlignmentNoise<T>& noise = {});

/// The alignment of one pair, N x N, padding nodes last, where N = plan_size(...).
template <class T>
void alignment_plan(const EncodedGraphs<T>& graphs, const std::int32_t* pair, const SetTermOptions& options, T* plan);
template <class T>
std::size_t plan_size(const EncodedGraphs<T>& graphs, const std::int32_t* pair, const SetTermOptions& options);

}  // namespace graphedx
