// The encoder of the GraphEdX model, forward and backward over whole batches of graphs: rounds of messages into a gated
// recurrent unit, and embeddings of all node pairs. Every result is the same bits for any number of threads. And which
// nodes no encoder of this kind can tell apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace graphedx {

/// Graphs one after the other: the nodes of graph g are offsets[g] ... offsets[g + 1] - 1.
struct NodeOffsets {
  std::size_t graphs;
  const std::int64_t* offsets;  // graphs + 1

  /// Throws std::invalid_argument unless they rise from 0 to the number of nodes.
  void check(std::size_t nodes) const;
  /// The graph of each node. Throws as check.
  std::vector<std::uint32_t> graph_of_nodes(std::size_t nodes) const;
};

/// Directed arcs; an edge is two of them. Both ends are nodes of the same graph.
struct Arcs {
  std::size_t count;
  const std::int64_t* sources;
  const std::int64_t* targets;

  /// Throws std::invalid_argument on arcs that do not stay in a graph, given the graph of each node.
  void check(const std::vector<std::uint32_t>& graph_of) const;
};

/// Of each node the first one of its graph, counted from 0, that colour refinement does not tell apart from it, given
/// classes of nodes (nodes) that differ where their features do. Whatever is computed of nodes by rounds of messages
/// along the arcs is the same for both. O(m log n) a graph. Throws std::invalid_argument on offsets or arcs that do not
/// fit.
std::vector<std::int64_t> alike_nodes(const NodeOffsets& graphs, const Arcs& arcs, const std::int32_t* classes,
                                      std::size_t nodes);

/// Which rows of a matrix have the same bits.
struct UniqueRows {
  std::vector<std::int64_t> first;  // the first row of each kind
  std::vector<std::int64_t> kind;   // of each row; kinds are numbered by their first rows
};
template <class T>
UniqueRows unique_rows(const T* values, std::size_t rows, std::size_t columns);

/// A round gives every node
///   i = input (sum of its in-neighbours' h; degree h; degree; 1),  j = hidden (h; 1),
///   r = sigmoid(i_r + j_r),  z = sigmoid(i_z + j_z),  n = tanh(i_n + r j_n),  h' = (1 - z) n + z h,
/// which is a gated recurrent unit whose input is a linear message summed over the in-neighbours.
template <class T>
struct GatedPropagation {
  std::size_t nodes, kinds, width;
  const std::int64_t* kind;  // nodes: the row of h that each node begins with
  const T* h;                // kinds x width
  const T* input;            // 3 width x (2 width + 2): the rows of r, z and n
  const T* hidden;           // 3 width x (width + 1)
  int steps;
  int threads;
};

/// Gradients in the layouts of GatedPropagation. That of a kind is the sum over its nodes.
template <class T>
struct GatedPropagationGradients {
  T* h;
  T* input;
  T* hidden;
};

/// All steps, forward and backward. Nodes that colour refinement does not tell apart after a step, be they of the same
/// graph or of several, have the same h: each step computes it once per colour. What the backward pass needs is kept if
/// `Keep::all`; the arrays of the constructor need not live on.
template <class T>
class GatedPropagationPass {
 public:
  enum class Keep { all, nothing };

  /// Throws std::invalid_argument on offsets, arcs, kinds or numbers that do not fit.
  GatedPropagationPass(const NodeOffsets& graphs, const Arcs& arcs, const GatedPropagation<T>& what,
                       Keep keep = Keep::all);
  ~GatedPropagationPass();
  GatedPropagationPass(const GatedPropagationPass&) = delete;
  GatedPropagationPass& operator=(const GatedPropagationPass&) = delete;

  std::size_t nodes() const;
  std::size_t kinds() const;
  std::size_t width() const;

  /// h after all steps, nodes x width.
  void forward(T* h);
  /// Gradients of sum(d_h * h); after forward, any number of times. Throws std::logic_error where nothing was kept.
  void backward(const T* d_h, const GatedPropagationGradients<T>& gradients) const;

 private:
  class Steps;
  std::unique_ptr<Steps> steps_;
};

/// The node pair u < v of a graph is row v (v - 1) / 2 + u of its n (n + 1) / 2 rows, where v = n stands for padding:
///   second (relu(a_u + b_v + j e) + relu(a_v + b_u + j e)) + offset,
/// j = 1 for edges and 0 else. Padding has a = pad, b = 0 and no edges.
template <class T>
struct PairEmbedding {
  std::size_t nodes, features, size, real_pairs;
  const T* ends;                  // nodes x (2 features): a, then b
  const T* pad;                   // features
  const T* edge;                  // features: e
  const T* second;                // size x features
  const T* offset;                // size
  const std::uint8_t* adjacency;  // real_pairs: j, graph by graph
  int threads;
};

template <class T>
struct PairEmbeddingGradients {
  T* ends;
  T* pad;
  T* edge;
  T* second;
  T* offset;
};

/// The number of rows. Throws std::invalid_argument on offsets or numbers that do not fit.
template <class T>
std::size_t pair_embedding_rows(const NodeOffsets& graphs, const PairEmbedding<T>& what);

/// rows x size.
template <class T>
void pair_embedding(const NodeOffsets& graphs, const PairEmbedding<T>& what, T* rows);

/// Gradients of sum(d_rows * rows).
template <class T>
void pair_embedding_backward(const NodeOffsets& graphs, const PairEmbedding<T>& what, const T* d_rows,
                             const PairEmbeddingGradients<T>& gradients);

}  // namespace graphedx
