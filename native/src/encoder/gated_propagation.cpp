#include <stdexcept>
#include <string>

#include "graphedx/encoder.hpp"
#include "graphedx/encoder/activations.hpp"
#include "graphedx/encoder/products.hpp"
#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

using Count = std::size_t;

constexpr Count nodes_at_once = 96;  // whole graphs together have at least as many; their values fit in the cache

void check(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

/// Runs of whole graphs that are worked on together, and their arcs. The nodes of an arc are counted from the first one
/// of its run. First comes an arc to each node that has any, then a second one to each that has more, and so on: adding
/// along them needs no loop of an unforeseeable length, and no addition waits for the one before.
struct Neighbourhoods {
  struct Arc {
    std::uint32_t source, target;
  };
  std::vector<Count> first_node, first_arc;  // of each run, and the end of the last one
  std::vector<Arc> arcs;
  std::vector<std::uint32_t> degree;  // in-neighbours of each node

  Neighbourhoods(const NodeOffsets& graphs, const Arcs& given, Count nodes)
      : first_node{0}, arcs(given.count), degree(nodes) {
    given.check(graphs.graph_of_nodes(nodes));
    std::vector<std::uint32_t> run_of(nodes);
    for (Count g = 0; g < graphs.graphs; ++g) {
      const Count begin = static_cast<Count>(graphs.offsets[g]), end = static_cast<Count>(graphs.offsets[g + 1]);
      if (begin - first_node.back() >= nodes_at_once) first_node.push_back(begin);
      std::fill(run_of.begin() + begin, run_of.begin() + end, static_cast<std::uint32_t>(first_node.size() - 1));
    }
    if (first_node.back() < nodes) first_node.push_back(nodes);
    std::vector<std::uint32_t> rank(given.count);  // among the arcs to the same node
    std::vector<std::vector<Count>> places(count());
    for (Count i = 0; i < given.count; ++i) {
      const std::int64_t to = given.targets[i];
      rank[i] = degree[to]++;
      std::vector<Count>& of_run = places[run_of[to]];
      if (of_run.size() <= rank[i]) of_run.push_back(0);
      ++of_run[rank[i]];
    }
    Count place = 0;
    for (std::vector<Count>& of_run : places) {
      first_arc.push_back(place);
      for (Count& of_rank : of_run) {
        const Count many = of_rank;
        of_rank = place;
        place += many;
      }
    }
    first_arc.push_back(place);
    for (Count i = 0; i < given.count; ++i) {
      const std::uint32_t run = run_of[given.targets[i]], shift = static_cast<std::uint32_t>(first_node[run]);
      arcs[places[run][rank[i]]++] = {static_cast<std::uint32_t>(given.sources[i]) - shift,
                                      static_cast<std::uint32_t>(given.targets[i]) - shift};
    }
  }
  Count count() const { return first_node.size() - 1; }
};

/// The weights, as they are multiplied and transposed. The gates are in the order n, r, z of the input's rows and r, z,
/// n of the hidden ones: then four blocks of rows hold both, and r and z once.
template <class T>
struct Weights {
  Count width, inputs;
  std::vector<T> input, hidden, input_back, hidden_back;

  Weights(const GatedPropagation<T>& what)
      : width(what.width), inputs(2 * width + 2), hidden(what.hidden, what.hidden + 3 * width * (width + 1)) {
    input.reserve(3 * width * inputs);
    for (const Count gate : {Count(2), Count(0), Count(1)})
      input.insert(input.end(), what.input + gate * width * inputs, what.input + (gate + 1) * width * inputs);
    input_back.resize(2 * width * 3 * width);
    hidden_back.resize(width * 3 * width);
    for (Count o = 0; o < 3 * width; ++o) {
      for (Count k = 0; k < 2 * width; ++k) input_back[k * 3 * width + o] = input[o * inputs + k];
      for (Count k = 0; k < width; ++k) hidden_back[k * 3 * width + o] = hidden[o * (width + 1) + k];
    }
  }
};

/// A run of graphs. Nodes lie side by side in the rows of every matrix, the steps one after the other.
template <class T>
class Run {
 public:
  Run(const Neighbourhoods& graphs, const Weights<T>& weights, Count steps)
      : graphs_(graphs), weights_(weights), width_(weights.width), steps_(steps) {}

  void forward(Count run, const T* h) {
    begin_ = graphs_.first_node[run];
    nodes_ = graphs_.first_node[run + 1] - begin_;
    arcs_ = graphs_.arcs.data() + graphs_.first_arc[run];
    arcs_end_ = graphs_.arcs.data() + graphs_.first_arc[run + 1];
    stride_ = whole_lanes<T>(nodes_);
    all_ = stride_ * (steps_ + 1);
    x_.resize(weights_.inputs * all_);
    h_.assign((width_ + 1) * all_, T(0));
    gates_.resize(4 * width_ * all_);
    T *degree = x_.data() + 2 * width_ * all_, *one = degree + all_;
    std::fill(degree, one, T(0));
    std::fill(one, one + all_, T(1));
    std::fill(h_.begin() + width_ * all_, h_.end(), T(1));
    for (Count t = 0; t < steps_; ++t)
      for (Count u = 0; u < nodes_; ++u)
        degree[t * stride_ + u] = static_cast<T>(graphs_.degree[begin_ + u]);
    for (Count u = 0; u < nodes_; ++u)
      for (Count f = 0; f < width_; ++f) h_[f * all_ + u] = h[(begin_ + u) * width_ + f];
    for (Count t = 0; t < steps_; ++t) step(t * stride_);
  }

  void result(T* h) const {
    const T* last = h_.data() + steps_ * stride_;
    for (Count u = 0; u < nodes_; ++u)
      for (Count f = 0; f < width_; ++f) h[(begin_ + u) * width_ + f] = last[f * all_ + u];
  }

  /// After forward. Writes the gradients of the run's nodes, and those of the weights as if there were no other runs.
  void backward(const T* d_result, T* d_h0, T* d_input, T* d_hidden) {
    d_h_.assign(width_ * stride_, T(0));
    d_x_.resize(2 * width_ * stride_);
    for (Count u = 0; u < nodes_; ++u)
      for (Count f = 0; f < width_; ++f) d_h_[f * stride_ + u] = d_result[(begin_ + u) * width_ + f];
    for (Count t = steps_; t-- > 0;) step_back(t * stride_);
    for (Count u = 0; u < nodes_; ++u)
      for (Count f = 0; f < width_; ++f) d_h0[(begin_ + u) * width_ + f] = d_h_[f * stride_ + u];

    const Count depth = steps_ * stride_, block = width_ * weights_.inputs;
    const T* gates = gates_.data();
    inner_products(2 * width_, weights_.inputs, depth, gates + width_ * all_, all_, x_.data(), all_, d_input);
    inner_products(width_, weights_.inputs, depth, gates, all_, x_.data(), all_, d_input + 2 * block);
    inner_products(3 * width_, width_ + 1, depth, gates + width_ * all_, all_, h_.data(), all_, d_hidden);
  }

 private:
  using Arc = Neighbourhoods::Arc;

  /// to = start + weights * right.
  void multiply_nodes(Count rows, Count depth, const T* weights, const T* right, Count right_stride, const T* start,
                      T* to, Count to_stride) const {
    multiply<Lanes<T>>(Product<T>{rows, depth, weights, depth, 1, right, right_stride, start, to_stride, to, to_stride},
                       stride_);
  }

  /// Adds the values at one end of every arc to those at the other.
  template <std::uint32_t Arc::*From, std::uint32_t Arc::*To>
  void add_along(const T* from, Count from_stride, T* to, Count to_stride) const {
    constexpr Count block = 5;  // features that share an arc's numbers
    Count f = 0;
    for (; f + block <= width_; f += block, from += block * from_stride, to += block * to_stride)
      for (const Arc* arc = arcs_; arc != arcs_end_; ++arc)
        for (Count i = 0; i < block; ++i) to[i * to_stride + arc->*To] += from[i * from_stride + arc->*From];
    for (; f < width_; ++f, from += from_stride, to += to_stride)
      for (const Arc* arc = arcs_; arc != arcs_end_; ++arc) to[arc->*To] += from[arc->*From];
  }

  void step(Count at) {
    T *h = h_.data() + at, *x = x_.data() + at, *gates = gates_.data() + at;
    const T* degree = x + 2 * width_ * all_;
    for (Count f = 0; f < width_; ++f) {
      const T* from = h + f * all_;
      T *sums = x + f * all_, *own = x + (width_ + f) * all_;
      std::fill(sums, sums + stride_, T(0));
      for (Count j = 0; j < stride_; j += lane_count<T>)
        store(own + j, Lanes<T>(load(degree + j) * load(from + j)));
    }
    add_along<&Arc::source, &Arc::target>(h, all_, x, all_);
    const Count w = width_ * all_;
    multiply_nodes(3 * width_, weights_.inputs, weights_.input.data(), x, all_, nullptr, gates, all_);
    multiply_nodes(2 * width_, width_ + 1, weights_.hidden.data(), h, all_, gates + w, gates + w, all_);
    multiply_nodes(width_, width_ + 1, weights_.hidden.data() + 2 * width_ * (width_ + 1), h, all_, nullptr,
                   gates + 3 * w, all_);
    for (Count f = width_; f < 3 * width_; ++f)  // r and z by themselves: n waits for r
      for (Count j = 0; j < stride_; j += lane_count<T>) {
        T* gate = gates + f * all_ + j;
        store(gate, Lanes<T>(sigmoid_of(load(gate))));
      }
    for (Count f = 0; f < width_; ++f)
      for (Count j = 0; j < stride_; j += lane_count<T>) {
        T *gate = gates + f * all_ + j, *old = h + f * all_ + j;
        const Lanes<T> n = tanh_of(Lanes<T>(load(gate) + load(gate + w) * load(gate + 3 * w)));
        store(gate, n);
        store(old + stride_, Lanes<T>(n + load(gate + 2 * w) * (load(old) - n)));
      }
  }

  /// The gates become their gradients; d_h_, of the step's result, becomes that of what it began with.
  void step_back(Count at) {
    const T *h = h_.data() + at, *degree = x_.data() + at + 2 * width_ * all_;
    T* gates = gates_.data() + at;
    const Count w = width_ * all_;
    for (Count f = 0; f < width_; ++f)
      for (Count j = 0; j < stride_; j += lane_count<T>) {
        T *gate = gates + f * all_ + j, *d_h = d_h_.data() + f * stride_ + j;
        const Lanes<T> n = load(gate), r = load(gate + w), z = load(gate + 2 * w), hidden = load(gate + 3 * w);
        const Lanes<T> d = load(d_h), d_n = d * (T(1) - z) * (T(1) - n * n);
        store(gate, d_n);
        store(gate + w, Lanes<T>(d_n * hidden * r * (T(1) - r)));
        store(gate + 2 * w, Lanes<T>(d * (load(h + f * all_ + j) - n) * z * (T(1) - z)));
        store(gate + 3 * w, Lanes<T>(d_n * r));
        store(d_h, Lanes<T>(d * z));
      }
    T* d_h = d_h_.data();
    multiply_nodes(2 * width_, 3 * width_, weights_.input_back.data(), gates, all_, nullptr, d_x_.data(), stride_);
    multiply_nodes(width_, 3 * width_, weights_.hidden_back.data(), gates + w, all_, d_h, d_h, stride_);
    for (Count f = 0; f < width_; ++f) {
      T* to = d_h + f * stride_;
      const T* d_own = d_x_.data() + (width_ + f) * stride_;
      for (Count j = 0; j < stride_; j += lane_count<T>)
        store(to + j, Lanes<T>(load(to + j) + load(degree + j) * load(d_own + j)));
    }
    add_along<&Arc::target, &Arc::source>(d_x_.data(), stride_, d_h, stride_);
  }

  const Neighbourhoods& graphs_;
  const Weights<T>& weights_;
  Count width_, steps_;
  const Arc *arcs_ = nullptr, *arcs_end_ = nullptr;
  Count begin_ = 0, nodes_ = 0, stride_ = 0, all_ = 0;  // stride_ is of one step, all_ of all of them and the result
  std::vector<T> x_, h_, gates_;  // inputs, hidden values and a row of ones; n, r, z, and the hidden part of n
  std::vector<T> d_h_, d_x_;
};

template <class T>
void check_numbers(const GatedPropagation<T>& what) {
  check(what.steps >= 0, "steps must not be negative, got " + std::to_string(what.steps));
  check(what.threads >= 1, "threads must be at least 1, got " + std::to_string(what.threads));
  check(what.nodes < (std::uint64_t(1) << 32), "there are too many nodes: " + std::to_string(what.nodes));
}

}  // namespace

void NodeOffsets::check(std::size_t nodes) const {
  using graphedx::check;
  check(offsets[0] == 0, "offsets must begin with 0, got " + std::to_string(offsets[0]));
  for (Count g = 0; g < graphs; ++g)
    if (offsets[g] > offsets[g + 1] || offsets[g + 1] > static_cast<std::int64_t>(nodes))
      throw std::invalid_argument("offsets must rise from 0 to the number of nodes, " + std::to_string(nodes));
  check(static_cast<Count>(offsets[graphs]) == nodes,
        "offsets must end with the number of nodes, " + std::to_string(nodes) + ", got " +
            std::to_string(offsets[graphs]));
}

std::vector<std::uint32_t> NodeOffsets::graph_of_nodes(std::size_t nodes) const {
  check(nodes);
  std::vector<std::uint32_t> found(nodes);
  for (Count g = 0; g < graphs; ++g)
    std::fill(found.begin() + offsets[g], found.begin() + offsets[g + 1], static_cast<std::uint32_t>(g));
  return found;
}

void Arcs::check(const std::vector<std::uint32_t>& graph_of) const {
  const auto is_node = [&](std::int64_t u) { return u >= 0 && static_cast<Count>(u) < graph_of.size(); };
  for (Count i = 0; i < count; ++i)
    if (!is_node(sources[i]) || !is_node(targets[i]) || graph_of[sources[i]] != graph_of[targets[i]])
      throw std::invalid_argument("arc " + std::to_string(i) + " from node " + std::to_string(sources[i]) +
                                  " to node " + std::to_string(targets[i]) +
                                  " does not stay in one of the graphs, which have " +
                                  std::to_string(graph_of.size()) + " nodes");
}

template <class T>
void gated_propagation(const NodeOffsets& graphs, const Arcs& arcs, const GatedPropagation<T>& what, T* h) {
  check_numbers(what);
  const Neighbourhoods neighbourhoods(graphs, arcs, what.nodes);
  const Weights<T> weights(what);
  const Count runs = neighbourhoods.count();
  in_parallel(runs, what.threads, 2, [&](Counter& next) {
    Run<T> run(neighbourhoods, weights, static_cast<Count>(what.steps));
    for (Count i; (i = next++) < runs;) {
      run.forward(i, what.h);
      run.result(h);
    }
  });
}

template <class T>
void gated_propagation_backward(const NodeOffsets& graphs, const Arcs& arcs, const GatedPropagation<T>& what,
                                const T* d_h, const GatedPropagationGradients<T>& gradients) {
  check_numbers(what);
  const Neighbourhoods neighbourhoods(graphs, arcs, what.nodes);
  const Weights<T> weights(what);
  const Count runs = neighbourhoods.count();
  const Count inputs = weights.input.size(), hiddens = weights.hidden.size();
  std::vector<T> d_weights(runs * (inputs + hiddens));
  in_parallel(runs, what.threads, 2, [&](Counter& next) {
    Run<T> run(neighbourhoods, weights, static_cast<Count>(what.steps));
    for (Count i; (i = next++) < runs;) {
      T* own = d_weights.data() + i * (inputs + hiddens);
      run.forward(i, what.h);
      run.backward(d_h, gradients.h, own, own + inputs);
    }
  });
  std::fill(gradients.input, gradients.input + inputs, T(0));
  std::fill(gradients.hidden, gradients.hidden + hiddens, T(0));
  for (Count i = 0; i < runs; ++i) {  // in one order, whoever was faster
    const T* own = d_weights.data() + i * (inputs + hiddens);
    for (Count k = 0; k < inputs; ++k) gradients.input[k] += own[k];
    for (Count k = 0; k < hiddens; ++k) gradients.hidden[k] += own[inputs + k];
  }
}

#define GRAPHEDX_GATED_PROPAGATION(T)                                                                              \
  template void gated_propagation(const NodeOffsets&, const Arcs&, const GatedPropagation<T>&, T*);                \
  template void gated_propagation_backward(const NodeOffsets&, const Arcs&, const GatedPropagation<T>&, const T*, \
                                           const GatedPropagationGradients<T>&);
GRAPHEDX_GATED_PROPAGATION(float)
GRAPHEDX_GATED_PROPAGATION(double)

}  // namespace graphedx
