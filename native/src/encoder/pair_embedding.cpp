#include <stdexcept>
#include <string>

#include "graphedx/encoder.hpp"
#include "graphedx/encoder/products.hpp"
#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

using Count = std::size_t;

constexpr Count rows_at_once = 64;     // at least, where there are as many: their hidden layer fits in the cache
constexpr Count rows_of_a_run = 1024;  // at least: whole graphs whose gradients of weights are summed first
constexpr Count most_nodes = 65535;

Count pairs_below(Count node) { return node * (node - 1) / 2; }

/// Runs of whole graphs, and where each graph's rows begin.
struct Runs {
  std::vector<Count> first_row, first_graph;

  explicit Runs(const NodeOffsets& graphs) : first_row{0}, first_graph{0} {
    for (Count g = 0; g < graphs.graphs; ++g) {
      if (first_row[g] - first_row[first_graph.back()] >= rows_of_a_run) first_graph.push_back(g);
      const Count nodes = static_cast<Count>(graphs.offsets[g + 1] - graphs.offsets[g]);
      first_row.push_back(first_row[g] + pairs_below(nodes + 1));
    }
    if (first_graph.back() < graphs.graphs) first_graph.push_back(graphs.graphs);
  }
  Count count() const { return first_graph.size() - 1; }
};

/// What a run adds to the gradients that all graphs share; rows lie apart, see Cut.
template <class T>
struct SharedGradients {
  std::vector<T> pad, edge, second, offset;
};

/// The rows of one graph after the other. V is a register, or a number where vectors are shorter than registers.
template <class T, class V>
class Rows {
 public:
  Rows(const NodeOffsets& graphs, const Runs& runs, const PairEmbedding<T>& what, const std::vector<T>& transposed)
      : graphs_(graphs),
        runs_(runs),
        what_(what),
        transposed_(transposed),
        hidden_cut_(what.features, sizeof(V) / sizeof(T)),
        size_cut_(what.size, sizeof(V) / sizeof(T)),
        pad_(what.pad, what.pad + what.features) {
    pad_.resize(2 * what.features);
  }

  void forward(Count graph, T* rows) {
    begin(graph);
    T* to = rows + runs_.first_row[graph] * what_.size;
    in_parts([&](Count first, Count last, Count count) {
      for (Count v = first, row = 0; v < last; row += v++) hidden_rows(v, row);
      multiply<V>(Product<T>{count, what_.features, hidden_.data(), what_.features, 1, transposed_.data(), what_.size,
                             what_.offset, 0, to + pairs_below(first) * what_.size, what_.size},
                  size_cut_.at, size_cut_.at);
    });
  }

  void begin_gradients(SharedGradients<T>& shared) {
    shared.pad.assign(hidden_cut_.size, T(0));
    shared.edge.assign(hidden_cut_.size, T(0));
    shared.second.assign(what_.size * hidden_cut_.size, T(0));
    shared.offset.assign(size_cut_.size, T(0));
  }

  void backward(Count graph, const T* d_rows, T* d_ends, SharedGradients<T>& shared) {
    begin(graph);
    d_ends_.assign((nodes_ + 1) * 2 * hidden_cut_.size, T(0));
    const T* from = d_rows + runs_.first_row[graph] * what_.size;
    const Count features = what_.features, size = what_.size;
    in_parts([&](Count first, Count last, Count count) {
      const T* d_out = from + pairs_below(first) * size;
      d_hidden_.resize(count * features);
      ones_.assign(count, T(1));
      multiply<V>(Product<T>{count, size, d_out, size, 1, what_.second, features, nullptr, 0, d_hidden_.data(),
                             features},
                  hidden_cut_.at, hidden_cut_.at);
      for (Count v = first, row = 0; v < last; row += v++) hidden_rows_back(v, row, shared.edge.data());
      T *second = shared.second.data(), *offset = shared.offset.data();
      multiply<V>(Product<T>{size, count, d_out, 1, size, hidden_.data(), features, second, hidden_cut_.size, second,
                             hidden_cut_.size},
                  hidden_cut_.at, hidden_cut_.apart);
      multiply<V>(Product<T>{1, count, ones_.data(), 0, 1, d_out, size, offset, 0, offset, 0}, size_cut_.at,
                  size_cut_.apart);
    });
    T* own = d_ends + static_cast<Count>(graphs_.offsets[graph]) * 2 * features;
    std::fill(own, own + nodes_ * 2 * features, T(0));
    for (Count i = 0; i < 2 * nodes_; ++i)
      hidden_cut_.join(d_ends_.data() + i * hidden_cut_.size, own + i * features, features);
    for (Count i = 0; i < hidden_cut_.size; ++i) shared.pad[i] += d_ends_[2 * nodes_ * hidden_cut_.size + i];
  }

  /// Adds what a run has found to the gradients.
  void add(const SharedGradients<T>& shared, const PairEmbeddingGradients<T>& to) const {
    hidden_cut_.join(shared.pad.data(), to.pad, what_.features);
    hidden_cut_.join(shared.edge.data(), to.edge, what_.features);
    for (Count o = 0; o < what_.size; ++o)
      hidden_cut_.join(shared.second.data() + o * hidden_cut_.size, to.second + o * what_.features, what_.features);
    size_cut_.join(shared.offset.data(), to.offset, what_.size);
  }

 private:
  void begin(Count graph) {
    const Count first = static_cast<Count>(graphs_.offsets[graph]);
    nodes_ = static_cast<Count>(graphs_.offsets[graph + 1]) - first;
    ends_ = what_.ends + first * 2 * what_.features;
    adjacency_ = what_.adjacency + (runs_.first_row[graph] - first);  // graphs before have n rows more than bits
  }

  /// Calls part(first, last, count) for nodes `first` to `last` - 1 as higher ends, which have `count` rows together.
  template <class Part>
  void in_parts(const Part& part) {
    for (Count first = 1, last = 1; first <= nodes_; first = last) {
      while (last <= nodes_ && pairs_below(last) - pairs_below(first) < rows_at_once) ++last;
      const Count count = pairs_below(last) - pairs_below(first);
      hidden_.resize(count * what_.features);
      joined_.assign(count, T(0));
      const Count bits = std::min(count, pairs_below(nodes_) - std::min(pairs_below(nodes_), pairs_below(first)));
      for (Count i = 0; i < bits; ++i) joined_[i] = adjacency_[pairs_below(first) + i] ? T(1) : T(0);
      part(first, last, count);
    }
  }

  const T* ends_of(Count node) const { return node < nodes_ ? ends_ + node * 2 * what_.features : pad_.data(); }

  /// The hidden layer of node v with all below, from this row of hidden_ on.
  void hidden_rows(Count v, Count row) {
    const Count features = what_.features;
    const T* high = ends_of(v);
    for (const Count at : hidden_cut_.at) {
      const V a = read<V>(high + at), b = read<V>(high + features + at), edge = read<V>(what_.edge + at), none{};
      const T* low = ends_ + at;
      T* to = hidden_.data() + row * features + at;
      for (Count u = 0; u < v; ++u, low += 2 * features, to += features) {
        const V bond = joined_[row + u] * edge;
        const V up = read<V>(low) + b + bond, down = a + read<V>(low + features) + bond;
        write(to, V((up > 0 ? up : none) + (down > 0 ? down : none)));
      }
    }
  }

  /// The same again, and what d_hidden_ means for the ends.
  void hidden_rows_back(Count v, Count row, T* d_edge) {
    const Count features = what_.features, size = hidden_cut_.size;
    const T* high = ends_of(v);
    for (Count i = 0; i < hidden_cut_.count(); ++i) {
      const Count at = hidden_cut_.at[i], apart = hidden_cut_.apart[i];
      const V a = read<V>(high + at), b = read<V>(high + features + at), edge = read<V>(what_.edge + at), none{};
      V d_a{}, d_b{}, d_bond = read<V>(d_edge + apart);
      const T *low = ends_ + at, *d_hidden = d_hidden_.data() + row * features + at;
      T *to = hidden_.data() + row * features + at, *d_low = d_ends_.data() + apart;
      for (Count u = 0; u < v; ++u, low += 2 * features, to += features, d_hidden += features, d_low += 2 * size) {
        const T joined = joined_[row + u];
        const V bond = joined * edge, d = read<V>(d_hidden);
        const V up = read<V>(low) + b + bond, down = a + read<V>(low + features) + bond;
        write(to, V((up > 0 ? up : none) + (down > 0 ? down : none)));
        const V d_up = up > 0 ? d : none, d_down = down > 0 ? d : none;
        write(d_low, V(read<V>(d_low) + d_up));
        write(d_low + size, V(read<V>(d_low + size) + d_down));
        d_a += d_down;
        d_b += d_up;
        d_bond += joined * (d_up + d_down);
      }
      T* d_high = d_ends_.data() + v * 2 * size + apart;
      write(d_high, V(read<V>(d_high) + d_a));
      write(d_high + size, V(read<V>(d_high + size) + d_b));
      write(d_edge + apart, d_bond);
    }
  }

  const NodeOffsets& graphs_;
  const Runs& runs_;
  const PairEmbedding<T>& what_;
  const std::vector<T>& transposed_;
  Cut hidden_cut_, size_cut_;
  std::vector<T> pad_;  // as the ends of a node
  Count nodes_ = 0;
  const T* ends_ = nullptr;
  const std::uint8_t* adjacency_ = nullptr;
  std::vector<T> hidden_, joined_, d_hidden_, d_ends_, ones_;
};

template <class T>
bool fills_registers(const PairEmbedding<T>& what) {
  return what.features >= lane_count<T> && what.size >= lane_count<T>;
}

template <class V, class T>
void forward(const NodeOffsets& graphs, const PairEmbedding<T>& what, T* rows) {
  const Runs runs(graphs);
  std::vector<T> transposed(what.features * what.size);
  for (Count o = 0; o < what.size; ++o)
    for (Count f = 0; f < what.features; ++f) transposed[f * what.size + o] = what.second[o * what.features + f];
  in_parallel(runs.count(), what.threads, 2, [&](Counter& next) {
    Rows<T, V> worker(graphs, runs, what, transposed);
    for (Count i; (i = next++) < runs.count();)
      for (Count g = runs.first_graph[i]; g < runs.first_graph[i + 1]; ++g) worker.forward(g, rows);
  });
}

template <class V, class T>
void backward(const NodeOffsets& graphs, const PairEmbedding<T>& what, const T* d_rows,
              const PairEmbeddingGradients<T>& gradients) {
  const Runs runs(graphs);
  const std::vector<T> nothing;
  std::vector<SharedGradients<T>> shared(runs.count());
  in_parallel(runs.count(), what.threads, 2, [&](Counter& next) {
    Rows<T, V> worker(graphs, runs, what, nothing);
    for (Count i; (i = next++) < runs.count();) {
      worker.begin_gradients(shared[i]);
      for (Count g = runs.first_graph[i]; g < runs.first_graph[i + 1]; ++g)
        worker.backward(g, d_rows, gradients.ends, shared[i]);
    }
  });
  std::fill(gradients.pad, gradients.pad + what.features, T(0));
  std::fill(gradients.edge, gradients.edge + what.features, T(0));
  std::fill(gradients.second, gradients.second + what.size * what.features, T(0));
  std::fill(gradients.offset, gradients.offset + what.size, T(0));
  const Rows<T, V> adder(graphs, runs, what, nothing);
  for (const SharedGradients<T>& of_run : shared) adder.add(of_run, gradients);  // in one order, whoever was faster
}

}  // namespace

template <class T>
std::size_t pair_embedding_rows(const NodeOffsets& graphs, const PairEmbedding<T>& what) {
  graphs.check(what.nodes);
  const auto check = [](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
  };
  check(what.threads >= 1, "threads must be at least 1, got " + std::to_string(what.threads));
  Count rows = 0;
  for (Count g = 0; g < graphs.graphs; ++g) {
    const Count size = static_cast<Count>(graphs.offsets[g + 1] - graphs.offsets[g]);
    if (size > most_nodes)
      throw std::invalid_argument("a graph has " + std::to_string(size) + " nodes; at most " +
                                  std::to_string(most_nodes) + " are possible");
    rows += pairs_below(size + 1);
  }
  check(what.real_pairs == rows - what.nodes, "bits of adjacency: " + std::to_string(what.real_pairs) +
                                                  " where the offsets ask for " + std::to_string(rows - what.nodes));
  return rows;
}

template <class T>
void pair_embedding(const NodeOffsets& graphs, const PairEmbedding<T>& what, T* rows) {
  pair_embedding_rows(graphs, what);
  fills_registers(what) ? forward<Lanes<T>>(graphs, what, rows) : forward<T>(graphs, what, rows);
}

template <class T>
void pair_embedding_backward(const NodeOffsets& graphs, const PairEmbedding<T>& what, const T* d_rows,
                             const PairEmbeddingGradients<T>& gradients) {
  pair_embedding_rows(graphs, what);
  fills_registers(what) ? backward<Lanes<T>>(graphs, what, d_rows, gradients)
                        : backward<T>(graphs, what, d_rows, gradients);
}

#define GRAPHEDX_PAIR_EMBEDDING(T)                                                                   \
  template std::size_t pair_embedding_rows(const NodeOffsets&, const PairEmbedding<T>&);             \
  template void pair_embedding(const NodeOffsets&, const PairEmbedding<T>&, T*);                     \
  template void pair_embedding_backward(const NodeOffsets&, const PairEmbedding<T>&, const T*,       \
                                        const PairEmbeddingGradients<T>&);
GRAPHEDX_PAIR_EMBEDDING(float)
GRAPHEDX_PAIR_EMBEDDING(double)

}  // namespace graphedx
