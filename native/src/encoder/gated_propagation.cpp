#include <algorithm>
#include <stdexcept>
#include <string>

#include "graphedx/buffer.hpp"
#include "graphedx/encoder.hpp"
#include "graphedx/encoder/activations.hpp"
#include "graphedx/encoder/colour_levels.hpp"
#include "graphedx/encoder/products.hpp"
#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

using Count = std::size_t;

constexpr Count columns_at_once = 256;  // whole lanes; their values fit in the cache

void check(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

struct ColourArc {
  std::uint32_t source;  // colour of the level before
  std::uint32_t target;  // column of the block
};

/// Some colours of a level, side by side as columns of matrices. First comes an arc to each column that has any, then a
/// second one to each that has more, and so on: adding along them needs no loop of an unforeseeable length, and no
/// addition waits for the one before. Those to one column are in the order of hashes, which is the same in every batch:
/// so are the sums, bit for bit.
struct ColumnBlock {
  Count begin, count, stride;  // columns of the level, and with whole lanes
  Count memory;                // where the kept values of the block begin
  std::vector<std::uint32_t> parent, degree;
  std::vector<ColourArc> arcs;
};

ColumnBlock column_block(const InNeighbours& graph, const ColourLevel& before, const ColourLevel& level, Count begin) {
  ColumnBlock block{begin, std::min(columns_at_once, level.colours - begin), 0, 0, {}, {}, {}};
  std::vector<std::uint32_t> sources, first;
  Count most = 0;
  for (Count c = 0; c < block.count; ++c) {
    const std::uint32_t node = level.representative[begin + c];
    block.parent.push_back(before.colour[node]);
    block.degree.push_back(static_cast<std::uint32_t>(graph.degree(node)));
    most = std::max<Count>(most, block.degree.back());
    first.push_back(static_cast<std::uint32_t>(sources.size()));
    for (std::uint32_t i = graph.begin[node]; i < graph.begin[node + 1]; ++i)
      sources.push_back(before.colour[graph.sources[i]]);
    std::sort(sources.begin() + first.back(), sources.end(),
              [&](std::uint32_t a, std::uint32_t b) { return before.hash[a] < before.hash[b]; });
  }
  block.arcs.reserve(sources.size());
  for (Count rank = 0; rank < most; ++rank)
    for (Count c = 0; c < block.count; ++c)
      if (rank < block.degree[c]) block.arcs.push_back({sources[first[c] + rank], static_cast<std::uint32_t>(c)});
  return block;
}

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

/// The matrices of a block: own values and a row of ones; inputs; n, r, z, and the hidden part of n.
template <class T>
struct BlockValues {
  T *own, *x, *gates;

  static Count rows(Count width) { return (width + 1) + (2 * width + 2) + 4 * width; }
  BlockValues(T* memory, Count width, Count stride)
      : own(memory), x(own + (width + 1) * stride), gates(x + (2 * width + 2) * stride) {}
};

/// One step for the columns of a block.
template <class T>
class BlockStep {
 public:
  BlockStep(const Weights<T>& weights, const ColumnBlock& block, T* memory)
      : weights_(weights), block_(block), width_(weights.width), stride_(block.stride), at_(memory, width_, stride_) {}

  /// Reads h of the level before (feature by feature, before_stride apart) and writes the columns of the next one.
  void forward(const T* before, Count before_stride, T* next, Count next_stride) const {
    gather(before, before_stride);
    T* gates = at_.gates;
    const Count w = width_ * stride_;
    multiply_columns(3 * width_, weights_.inputs, weights_.input.data(), at_.x, nullptr, gates);
    multiply_columns(2 * width_, width_ + 1, weights_.hidden.data(), at_.own, gates + w, gates + w);
    multiply_columns(width_, width_ + 1, weights_.hidden.data() + 2 * width_ * (width_ + 1), at_.own, nullptr,
                     gates + 3 * w);
    for (Count i = w; i < 3 * w; i += lane_count<T>)  // r and z by themselves: n waits for r
      store(gates + i, Lanes<T>(sigmoid_of(load(gates + i))));
    for (Count f = 0; f < width_; ++f)
      for (Count j = 0; j < stride_; j += lane_count<T>) {
        T* gate = gates + f * stride_ + j;
        const Lanes<T> n = tanh_of(Lanes<T>(load(gate) + load(gate + w) * load(gate + 3 * w)));
        store(gate, n);
        store(next + f * next_stride + block_.begin + j,
              Lanes<T>(n + load(gate + 2 * w) * (load(at_.own + f * stride_ + j) - n)));
      }
  }

  /// From d_next, of the next level, to the gradients of the columns' own values and of the sums over in-neighbours (all
  /// level-wide matrices), and of the weights as if there were no other blocks.
  void backward(const T* d_next, Count next_stride, T* d_own, T* d_sums, T* d_input, T* d_hidden,
                std::vector<T>& scratch) const {
    const Count w = width_ * stride_, block = width_ * weights_.inputs;
    scratch.resize(7 * w);
    T *d_gates = scratch.data(), *d_x = d_gates + 4 * w, *d_h = d_x + 2 * w;
    gates_back(d_next + block_.begin, next_stride, d_gates, d_h);
    multiply_columns(2 * width_, 3 * width_, weights_.input_back.data(), d_gates, nullptr, d_x);
    multiply_columns(width_, 3 * width_, weights_.hidden_back.data(), d_gates + w, d_h, d_h);
    const T* degree = at_.x + 2 * w;
    for (Count f = 0; f < width_; ++f)
      for (Count j = 0; j < stride_; j += lane_count<T>) {
        const Count from = f * stride_ + j, to = f * next_stride + block_.begin + j;
        store(d_own + to, Lanes<T>(load(d_h + from) + load(degree + j) * load(d_x + w + from)));
        store(d_sums + to, load(d_x + from));
      }
    inner_products(2 * width_, weights_.inputs, stride_, d_gates + w, stride_, at_.x, stride_, d_input);
    inner_products(width_, weights_.inputs, stride_, d_gates, stride_, at_.x, stride_, d_input + 2 * block);
    inner_products(3 * width_, width_ + 1, stride_, d_gates + w, stride_, at_.own, stride_, d_hidden);
  }

 private:
  /// to = start + weights * right.
  void multiply_columns(Count rows, Count depth, const T* weights, const T* right, const T* start, T* to) const {
    multiply<Lanes<T>>(Product<T>{rows, depth, weights, depth, 1, right, stride_, start, stride_, to, stride_}, stride_);
  }

  /// Columns beyond the last have zeros everywhere.
  void gather(const T* before, Count before_stride) const {
    const Count w = width_ * stride_;
    T *degree = at_.x + 2 * w, *one = degree + stride_;
    std::fill(at_.own, at_.own + w, T(0));
    std::fill(at_.own + w, at_.own + w + stride_, T(1));
    std::fill(at_.x, at_.x + w, T(0));
    std::fill(degree, one, T(0));
    std::fill(one, one + stride_, T(1));
    for (Count c = 0; c < block_.count; ++c) degree[c] = static_cast<T>(block_.degree[c]);
    for (Count f = 0; f < width_; ++f) {
      const T* from = before + f * before_stride;
      T *own = at_.own + f * stride_, *sums = at_.x + f * stride_, *scaled = at_.x + w + f * stride_;
      for (Count c = 0; c < block_.count; ++c) own[c] = from[block_.parent[c]];
      for (const ColourArc& arc : block_.arcs) sums[arc.target] += from[arc.source];
      for (Count j = 0; j < stride_; j += lane_count<T>)
        store(scaled + j, Lanes<T>(load(degree + j) * load(own + j)));
    }
  }

  /// The gradients of the gates, and the part of h' that is z h.
  void gates_back(const T* d_next, Count next_stride, T* d_gates, T* d_h) const {
    const Count w = width_ * stride_;
    for (Count f = 0; f < width_; ++f)
      for (Count j = 0; j < stride_; j += lane_count<T>) {
        const Count at = f * stride_ + j;
        const T* gate = at_.gates + at;
        const Lanes<T> n = load(gate), r = load(gate + w), z = load(gate + 2 * w), hidden = load(gate + 3 * w);
        const Lanes<T> d = load(d_next + f * next_stride + j), d_n = d * (T(1) - z) * (T(1) - n * n);
        store(d_gates + at, d_n);
        store(d_gates + at + w, Lanes<T>(d_n * hidden * r * (T(1) - r)));
        store(d_gates + at + 2 * w, Lanes<T>(d * (load(at_.own + at) - n) * z * (T(1) - z)));
        store(d_gates + at + 3 * w, Lanes<T>(d_n * r));
        store(d_h + at, Lanes<T>(d * z));
      }
  }

  const Weights<T>& weights_;
  const ColumnBlock& block_;
  Count width_, stride_;
  BlockValues<T> at_;
};

template <class T>
void check_numbers(const GatedPropagation<T>& what) {
  check(what.steps >= 0, "steps must not be negative, got " + std::to_string(what.steps));
  check(what.threads >= 1, "threads must be at least 1, got " + std::to_string(what.threads));
  check(what.nodes < (std::uint64_t(1) << 31), "there are too many nodes: " + std::to_string(what.nodes));
  check(what.kinds < (std::uint64_t(1) << 31), "there are too many kinds: " + std::to_string(what.kinds));
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

/// Level t of h is a matrix of `width` rows, feature by feature, with a column for each colour.
template <class T>
class GatedPropagationPass<T>::Steps {
 public:
  Steps(const NodeOffsets& graphs, const Arcs& arcs, const GatedPropagation<T>& what, Keep keep)
      : weights_(what), kinds_(what.kinds), threads_(what.threads), keep_(keep) {
    check_numbers(what);
    arcs.check(graphs.graph_of_nodes(what.nodes));
    const InNeighbours neighbours(arcs, what.nodes);
    std::vector<std::uint64_t> hash(what.kinds);
    for (Count kind = 0; kind < what.kinds; ++kind)
      hash[kind] = hash_of(what.h + kind * what.width, what.width * sizeof(T));
    std::vector<ColourLevel> levels =
        colour_levels(neighbours, what.kind, what.nodes, std::move(hash), static_cast<Count>(what.steps));
    first_.resize(what.kinds * weights_.width);
    std::copy(what.h, what.h + first_.size(), first_.begin());
    blocks_.resize(levels.size());
    Count memory = 0;
    for (Count t = 0; t < levels.size(); ++t) {
      strides_.push_back(whole_lanes<T>(levels[t].colours));
      for (Count begin = 0; t > 0 && begin < levels[t].colours; begin += columns_at_once) {
        ColumnBlock block = column_block(neighbours, levels[t - 1], levels[t], begin);
        block.stride = whole_lanes<T>(block.count);
        block.memory = memory;
        if (keep == Keep::all) memory += BlockValues<T>::rows(weights_.width) * block.stride;
        blocks_[t].push_back(std::move(block));
      }
    }
    colour_ = std::move(levels.back().colour);
    kept_ = std::make_unique<Buffer<T>>(memory);
  }

  Count nodes() const { return colour_.size(); }
  Count kinds() const { return kinds_; }
  Count width() const { return weights_.width; }

  void forward(T* h) {
    const Count width = weights_.width;
    std::vector<T> before(width * strides_[0]), next;
    for (Count kind = 0; kind < kinds_; ++kind)
      for (Count f = 0; f < width; ++f) before[f * strides_[0] + kind] = first_[kind * width + f];
    for (Count t = 1; t < strides_.size(); ++t) {
      next.resize(width * strides_[t]);
      in_parallel(blocks_[t].size(), threads_, 2, [&](Counter& counter) {
        std::vector<T> scratch;
        for (Count i; (i = counter++) < blocks_[t].size();) {
          const ColumnBlock& block = blocks_[t][i];
          BlockStep<T>(weights_, block, memory_of(block, scratch))
              .forward(before.data(), strides_[t - 1], next.data(), strides_[t]);
        }
      });
      before.swap(next);
    }
    for (Count u = 0; u < nodes(); ++u)
      for (Count f = 0; f < width; ++f) h[u * width + f] = before[f * strides_.back() + colour_[u]];
  }

  void backward(const T* d_h, const GatedPropagationGradients<T>& gradients) const {
    if (keep_ != Keep::all) throw std::logic_error("the pass has kept nothing for its backward pass");
    const Count width = weights_.width;
    std::fill(gradients.input, gradients.input + weights_.input.size(), T(0));
    std::fill(gradients.hidden, gradients.hidden + weights_.hidden.size(), T(0));
    std::vector<T> d_level(width * strides_.back()), d_own, d_sums;
    for (Count u = 0; u < nodes(); ++u)
      for (Count f = 0; f < width; ++f) d_level[f * strides_.back() + colour_[u]] += d_h[u * width + f];
    for (Count t = strides_.size(); t-- > 1;) {
      d_own.resize(width * strides_[t]);
      d_sums.resize(width * strides_[t]);
      blocks_back(t, d_level.data(), d_own.data(), d_sums.data(), gradients);
      d_level.assign(width * strides_[t - 1], T(0));
      in_parallel(width, threads_, 4, [&](Counter& counter) {
        for (Count f; (f = counter++) < width;)
          scatter(t, d_own.data() + f * strides_[t], d_sums.data() + f * strides_[t],
                  d_level.data() + f * strides_[t - 1]);
      });
    }
    for (Count kind = 0; kind < kinds_; ++kind)
      for (Count f = 0; f < width; ++f) gradients.h[kind * width + f] = d_level[f * strides_[0] + kind];
  }

 private:
  T* memory_of(const ColumnBlock& block, std::vector<T>& scratch) const {
    if (keep_ == Keep::all) return kept_->data() + block.memory;
    scratch.resize(BlockValues<T>::rows(weights_.width) * block.stride);
    return scratch.data();
  }

  /// One feature of the columns' gradients, to the colours of the level before that they were computed from.
  void scatter(Count t, const T* d_own, const T* d_sums, T* d_before) const {
    for (const ColumnBlock& block : blocks_[t]) {
      for (Count c = 0; c < block.count; ++c) d_before[block.parent[c]] += d_own[block.begin + c];
      for (const ColourArc& arc : block.arcs) d_before[arc.source] += d_sums[block.begin + arc.target];
    }
  }

  /// All blocks of a level; the gradients of weights are added in the order of the blocks, whichever thread was faster.
  void blocks_back(Count t, const T* d_level, T* d_own, T* d_sums, const GatedPropagationGradients<T>& gradients) const {
    const std::vector<ColumnBlock>& blocks = blocks_[t];
    const Count inputs = weights_.input.size(), hiddens = weights_.hidden.size();
    std::vector<T> d_weights(blocks.size() * (inputs + hiddens));
    in_parallel(blocks.size(), threads_, 2, [&](Counter& counter) {
      std::vector<T> scratch;
      for (Count i; (i = counter++) < blocks.size();) {
        T* own = d_weights.data() + i * (inputs + hiddens);
        BlockStep<T>(weights_, blocks[i], kept_->data() + blocks[i].memory)
            .backward(d_level, strides_[t], d_own, d_sums, own, own + inputs, scratch);
      }
    });
    for (Count i = 0; i < blocks.size(); ++i) {
      const T* own = d_weights.data() + i * (inputs + hiddens);
      for (Count k = 0; k < inputs; ++k) gradients.input[k] += own[k];
      for (Count k = 0; k < hiddens; ++k) gradients.hidden[k] += own[inputs + k];
    }
  }

  Weights<T> weights_;
  Count kinds_;
  int threads_;
  Keep keep_;
  std::vector<T> first_;
  std::vector<Count> strides_;                    // of each level
  std::vector<std::vector<ColumnBlock>> blocks_;  // of each level but the first
  std::vector<std::uint32_t> colour_;             // of each node after all steps
  std::unique_ptr<Buffer<T>> kept_;
};

template <class T>
GatedPropagationPass<T>::GatedPropagationPass(const NodeOffsets& graphs, const Arcs& arcs,
                                              const GatedPropagation<T>& what, Keep keep)
    : steps_(std::make_unique<Steps>(graphs, arcs, what, keep)) {}
template <class T>
GatedPropagationPass<T>::~GatedPropagationPass() = default;
template <class T>
std::size_t GatedPropagationPass<T>::nodes() const {
  return steps_->nodes();
}
template <class T>
std::size_t GatedPropagationPass<T>::kinds() const {
  return steps_->kinds();
}
template <class T>
std::size_t GatedPropagationPass<T>::width() const {
  return steps_->width();
}
template <class T>
void GatedPropagationPass<T>::forward(T* h) {
  steps_->forward(h);
}
template <class T>
void GatedPropagationPass<T>::backward(const T* d_h, const GatedPropagationGradients<T>& gradients) const {
  steps_->backward(d_h, gradients);
}

template class GatedPropagationPass<float>;
template class GatedPropagationPass<double>;

}  // namespace graphedx
