// Random batches through the encoder: results are finite, the same bits for any number of threads, and the same up to
// rounding for nodes that are alike.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "graphedx/encoder.hpp"
#include "graphedx/encoder/activations.hpp"
#include "random_blocks.hpp"

using namespace graphedx;

namespace {

struct Batch {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> sources, targets;
  std::vector<std::uint8_t> adjacency;
  std::size_t rows = 0;

  Batch() {
    const std::size_t count = below(60), largest = below(4) ? 9 : 40;
    for (std::size_t g = 0; g < count; ++g) {
      const std::int64_t n = static_cast<std::int64_t>(below(largest)), first = offsets.back();
      for (std::int64_t v = 0; v < n; ++v)
        for (std::int64_t u = 0; u < v; ++u) {
          adjacency.push_back(below(3) == 0);
          if (!adjacency.back()) continue;
          sources.insert(sources.end(), {first + u, first + v});
          targets.insert(targets.end(), {first + v, first + u});
        }
      rows += static_cast<std::size_t>(n * (n + 1) / 2);
      offsets.push_back(first + n);
    }
    for (auto* part : {&offsets, &sources, &targets}) part->shrink_to_fit();
    adjacency.shrink_to_fit();
  }
  std::size_t nodes() const { return static_cast<std::size_t>(offsets.back()); }
  NodeOffsets graphs() const { return {offsets.size() - 1, offsets.data()}; }
};

/// Every node as a kind of its own: the same values, and gradients that are those of kinds in sum, up to rounding.
template <class T>
const char* kinds_fault(const NodeOffsets& graphs, const Arcs& arcs, GatedPropagation<T> what, const Block<T>& d_result,
                        const std::vector<Block<T>>& together) {
  if (sizeof(T) < sizeof(double)) return nullptr;
  const std::size_t nodes = what.nodes, width = what.width;
  const Block<std::int64_t> kind(nodes);
  const Block<T> h(nodes * width), found(nodes * width), d_h(nodes * width), in_sum(what.kinds * width);
  const Block<T> d_input(together[2].size), d_hidden(together[3].size);
  for (std::size_t u = 0; u < nodes; ++u) {
    kind[u] = static_cast<std::int64_t>(u);
    std::copy(what.h + what.kind[u] * width, what.h + (what.kind[u] + 1) * width, h + u * width);
  }
  const std::int64_t* kinds = what.kind;
  what.kinds = nodes, what.kind = kind, what.h = h;
  GatedPropagationPass<T> pass(graphs, arcs, what);
  pass.forward(found);
  pass.backward(d_result, {d_h, d_input, d_hidden});
  for (std::size_t i = 0; i < nodes * width; ++i) in_sum[kinds[i / width] * width + i % width] += d_h[i];
  const auto near = [](const Block<T>& one, const Block<T>& other) {
    double size = 1;
    for (std::size_t i = 0; i < one.size; ++i) size = std::max(size, std::abs(static_cast<double>(one[i])));
    for (std::size_t i = 0; i < one.size; ++i)
      if (std::abs(one[i] - other[i]) > 1e-8 * size) return false;
    return true;
  };
  if (!near(found, together[0])) return "nodes of one colour differ from each for itself";
  if (!near(in_sum, together[1]) || !near(d_input, together[2]) || !near(d_hidden, together[3]))
    return "nodes of one colour have other gradients than each for itself";
  return nullptr;
}

template <class T>
const char* propagation_fault(const Batch& batch) {
  const std::size_t nodes = batch.nodes(), width = below(14);
  const std::size_t kinds = 1 + (below(2) ? below(4) : nodes);
  const Block<std::int64_t> kind(nodes);
  for (std::size_t u = 0; u < nodes; ++u) kind[u] = static_cast<std::int64_t>(below(kinds));
  const Block<T> h(kinds * width, 1), input(3 * width * (2 * width + 2), below(2) ? 0.2 : 20);
  const Block<T> hidden(3 * width * (width + 1), 0.3), d_result(nodes * width, 1);
  GatedPropagation<T> what{nodes, kinds, width, kind, h, input, hidden, static_cast<int>(below(6)), 1};
  const Arcs arcs{batch.sources.size(), batch.sources.data(), batch.targets.data()};
  const auto run = [&] {
    std::vector<Block<T>> found;
    for (const std::size_t size : {d_result.size, h.size, input.size, hidden.size, d_result.size})
      found.emplace_back(size);
    GatedPropagationPass<T> pass(batch.graphs(), arcs, what);
    pass.forward(found[0]);
    pass.backward(d_result, {found[1], found[2], found[3]});
    using Pass = GatedPropagationPass<T>;
    Pass(batch.graphs(), arcs, what, Pass::Keep::nothing).forward(found[4]);
    return found;
  };
  const std::vector<Block<T>> alone = run();
  what.threads = static_cast<int>(2 + below(3));
  const std::vector<Block<T>> together = run();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (!alone[i].finite()) return "propagation is not finite";
    if (!alone[i].same_bits(together[i])) return "threads change the propagation";
  }
  if (!alone[0].same_bits(alone[4])) return "keeping values changes the propagation";
  return kinds_fault(batch.graphs(), arcs, what, d_result, alone);
}

/// Of two kinds of nodes, those that are alike look the same after any number of rounds.
const char* alike_fault(const Batch& batch) {
  const std::size_t nodes = batch.nodes(), width = 3;
  const Block<std::int32_t> classes(nodes);
  const Block<double> h(2 * width), result(nodes * width), input(3 * width * (2 * width + 2), 0.2), hidden(3 * width * (width + 1), 0.3);
  const Block<std::int64_t> kind(nodes);
  for (std::size_t u = 0; u < nodes; ++u) kind[u] = classes[u] = below(8) == 0;
  h[width] = 1;
  const Arcs arcs{batch.sources.size(), batch.sources.data(), batch.targets.data()};
  const std::vector<std::int64_t> alike = alike_nodes(batch.graphs(), arcs, classes, nodes);
  const Block<double>& found = result;
  GatedPropagationPass<double>(batch.graphs(), arcs, {nodes, 2, width, kind, h, input, hidden, 5, 1}).forward(found);
  for (std::size_t g = 0; g + 1 < batch.offsets.size(); ++g)
    for (std::int64_t u = batch.offsets[g]; u < batch.offsets[g + 1]; ++u)
      for (std::size_t f = 0; f < width; ++f) {
        const std::int64_t first = batch.offsets[g] + alike[u];
        if (first > u || std::abs(found[u * width + f] - found[first * width + f]) > 1e-12)
          return "alike nodes are told apart";
      }
  return nullptr;
}

template <class T>
const char* pairs_fault(const Batch& batch) {
  const std::size_t nodes = batch.nodes(), features = below(21), size = below(21);
  const Block<T> ends(2 * nodes * features, 1), pad(features, 1), edge(features, 1), second(size * features, 1);
  const Block<T> offset(size, 1), d_rows(batch.rows * size, 1);
  PairEmbedding<T> what{nodes, features, size, batch.adjacency.size(), ends, pad, edge, second, offset,
                        batch.adjacency.data(), 1};
  const auto run = [&] {
    std::vector<Block<T>> found;
    for (const std::size_t count : {d_rows.size, ends.size, pad.size, edge.size, second.size, offset.size})
      found.emplace_back(count);
    pair_embedding<T>(batch.graphs(), what, found[0]);
    pair_embedding_backward<T>(batch.graphs(), what, d_rows, {found[1], found[2], found[3], found[4], found[5]});
    return found;
  };
  const std::vector<Block<T>> alone = run();
  what.threads = static_cast<int>(2 + below(3));
  const std::vector<Block<T>> together = run();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (!alone[i].finite()) return "pair embeddings are not finite";
    if (!alone[i].same_bits(together[i])) return "threads change the pair embeddings";
  }
  return nullptr;
}

/// How many floats lie between what was found and what double precision says.
double ulps(float found, double exact) {
  const float near = static_cast<float>(exact);
  return std::abs(found - exact) / (std::nextafter(std::abs(near), INFINITY) - std::abs(near));
}

/// The errors that lanes.hpp and activations.hpp state.
const char* activations_fault() {
  std::uniform_real_distribution<float> wide(-87.3F, 88.0F), usual(-17.0F, 17.0F);
  for (int round = 0; round < 100'000; ++round) {
    FloatLanes of_exp{}, of_gates{};
    for (int i = 0; i < 8; ++i) {
      of_exp[i] = wide(rng);
      of_gates[i] = round % 2 ? usual(rng) : usual(rng) / 20;
    }
    const FloatLanes e = exp_of(of_exp), s = sigmoid_of(of_gates), t = tanh_of(of_gates);
    for (int i = 0; i < 8; ++i) {
      const double gate = of_gates[i];
      if (ulps(e[i], std::exp(static_cast<double>(of_exp[i]))) > 2) return "exp is more than 2 ulp off";
      if (ulps(s[i], 1 / (1 + std::exp(-gate))) > 3) return "sigmoid is more than 3 ulp off";
      if (ulps(t[i], std::tanh(gate)) > 3) return "tanh is more than 3 ulp off";
    }
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const int batches = argc > 1 ? std::atoi(argv[1]) : 1000;
  rng.seed(static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 0));
  if (const char* what = activations_fault()) return std::printf("%s\n", what), 1;
  for (int b = 0; b < batches; ++b) {
    const Batch batch;
    const char* what = b % 2 ? propagation_fault<float>(batch) : propagation_fault<double>(batch);
    if (!what) what = b % 2 ? pairs_fault<float>(batch) : pairs_fault<double>(batch);
    if (!what) what = alike_fault(batch);
    if (what) return std::printf("batch %d: %s\n", b, what), 1;
  }
  std::printf("%d passed, 0 failed\n", batches);
}
