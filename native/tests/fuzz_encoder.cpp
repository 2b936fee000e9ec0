// Random batches through the encoder: results are finite, the same bits for any number of threads, and the same up to
// rounding for nodes that are alike.
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

template <class T>
const char* propagation_fault(const Batch& batch) {
  const std::size_t nodes = batch.nodes(), width = below(14);
  const Block<T> h(nodes * width, 1), input(3 * width * (2 * width + 2), below(2) ? 0.2 : 20);
  const Block<T> hidden(3 * width * (width + 1), 0.3), d_result(nodes * width, 1);
  GatedPropagation<T> what{nodes, width, h, input, hidden, static_cast<int>(below(6)), 1};
  const Arcs arcs{batch.sources.size(), batch.sources.data(), batch.targets.data()};
  const auto run = [&] {
    std::vector<Block<T>> found;
    for (const std::size_t size : {h.size, h.size, input.size, hidden.size}) found.emplace_back(size);
    gated_propagation<T>(batch.graphs(), arcs, what, found[0]);
    gated_propagation_backward<T>(batch.graphs(), arcs, what, d_result, {found[1], found[2], found[3]});
    return found;
  };
  const std::vector<Block<T>> alone = run();
  what.threads = static_cast<int>(2 + below(3));
  const std::vector<Block<T>> together = run();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (!alone[i].finite()) return "propagation is not finite";
    if (!alone[i].same_bits(together[i])) return "threads change the propagation";
  }
  return nullptr;
}

/// Of two kinds of nodes, those that are alike look the same after any number of rounds.
const char* alike_fault(const Batch& batch) {
  const std::size_t nodes = batch.nodes(), width = 3;
  const Block<std::int32_t> classes(nodes);
  const Block<double> h(nodes * width), input(3 * width * (2 * width + 2), 0.2), hidden(3 * width * (width + 1), 0.3);
  for (std::size_t u = 0; u < nodes; ++u) {
    classes[u] = below(8) == 0;
    h[u * width] = classes[u];
  }
  const Arcs arcs{batch.sources.size(), batch.sources.data(), batch.targets.data()};
  const std::vector<std::int64_t> alike = alike_nodes(batch.graphs(), arcs, classes, nodes);
  const Block<double> found(h.size);
  gated_propagation<double>(batch.graphs(), arcs, {nodes, width, h, input, hidden, 5, 1}, found);
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
