#include "graphedx/set_terms.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "graphedx/buffer.hpp"
#include "graphedx/parallel.hpp"
#include "graphedx/set_terms/pair_terms.hpp"

namespace graphedx {

namespace {

using Count = std::size_t;

constexpr Count most_nodes = 65535;           // so that places of node pairs fit in 32 bits
constexpr Count records_at_once = 32u << 20;  // bytes of gradients that wait to be summed
constexpr Count fewest_pairs_a_thread = 8;

void check(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

/// The same for what is checked often: the message is made where it is needed.
template <class Message>
void check_each(bool holds, const Message& message) {
  if (!holds) throw std::invalid_argument(message());
}

std::string text(std::int64_t number) { return std::to_string(number); }

void check_options(const SetTermOptions& options) {
  check(std::isfinite(options.temperature) && options.temperature > 0,
        "temperature must be finite and > 0, got " + std::to_string(options.temperature));
  check(options.iterations >= 1, "iterations must be at least 1, got " + text(options.iterations));
  check(options.threads >= 1, "threads must be at least 1, got " + text(options.threads));
  check(options.padded_nodes >= 0, "padded_nodes must not be negative, got " + text(options.padded_nodes));
  check(options.node_term != SetTerm::or_maximum, "nodes have no maxima; compare them by DiffAlign");
  const bool has_all_pairs = options.edge_term == SetTerm::align_diff || options.edge_term == SetTerm::diff_align;
  check(!options.edges_only || has_all_pairs, "edges alone are compared by AlignDiff or DiffAlign");
  check(options.pair_align_features == 0 || (options.edge_term != SetTerm::or_maximum && !options.edges_only),
        "pairs that are aligned by themselves are compared by AlignDiff, DiffAlign or XOR, and all of them are");
}

/// The graphs that pairs name, packed, and the size that each pair is padded to.
template <class T>
class Batch {
 public:
  Batch(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, Count count, const SetTermOptions& options)
      : options_(options), pairs_(pairs), packed_(graphs.graphs), needed_(graphs.graphs) {
    check_options(options);
    check(options.pair_align_features <= graphs.pair_features,
          "pairs are aligned by " + std::to_string(options.pair_align_features) + " features, but have only " +
              std::to_string(graphs.pair_features));
    graphs.check();
    for (Count i = 0; i < 2 * count; ++i) {
      check_each(pairs[i] >= 0 && static_cast<Count>(pairs[i]) < graphs.graphs, [&] {
        return "pair " + text(static_cast<std::int64_t>(i / 2)) + " names graph " + text(pairs[i]) +
               ", but there are " + text(static_cast<std::int64_t>(graphs.graphs)) + " graphs";
      });
      const std::int64_t nodes = graphs.offsets[pairs[i] + 1] - graphs.offsets[pairs[i]];
      check_each(options.padded_nodes == 0 || nodes <= options.padded_nodes, [&] {
        return "padded_nodes = " + text(options.padded_nodes) + " is too small for graph " + text(pairs[i]) +
               " with " + text(nodes) + " nodes";
      });
      needed_[pairs[i]] = 1;
    }
    std::vector<Count> first_pair(graphs.graphs + 1), first_real_pair(graphs.graphs + 1);
    for (Count g = 0; g < graphs.graphs; ++g) {
      const Count nodes = static_cast<Count>(graphs.offsets[g + 1] - graphs.offsets[g]);
      first_pair[g + 1] = first_pair[g] + nodes * (nodes + 1) / 2;
      first_real_pair[g + 1] = first_real_pair[g] + nodes * (nodes + 1) / 2 - nodes;
    }
    in_parallel(graphs.graphs, options.threads, fewest_pairs_a_thread, [&](Counter& next) {
      for (Count g; (g = next++) < graphs.graphs;)
        if (needed_[g]) packed_[g].pack(graphs, g, first_pair[g], first_real_pair[g], options);
    });
    first_pair_ = std::move(first_pair);
  }

  const PackedGraph<T>& graph(Count pair, int side) const { return packed_[pairs_[2 * pair + side]]; }
  const PackedGraph<T>& packed(Count graph) const { return packed_[graph]; }
  Count first_pair(Count graph) const { return first_pair_[graph]; }
  Count padded_nodes(Count pair) const {
    const Count larger = std::max(graph(pair, 0).nodes, graph(pair, 1).nodes);
    return options_.padded_nodes == 0 ? larger : static_cast<Count>(options_.padded_nodes);
  }
  void check_noise(const AlignmentNoise<T>& noise, Count count) const {
    for (Count k = 0; noise.values && k < count; ++k)
      check(noise.size >= padded_nodes(k), "noise of size " + std::to_string(noise.size) + " is too small for pair " +
                                               std::to_string(k) + ", padded to " + std::to_string(padded_nodes(k)));
  }

 private:
  SetTermOptions options_;
  const std::int32_t* pairs_;
  std::vector<PackedGraph<T>> packed_;
  std::vector<char> needed_;
  std::vector<Count> first_pair_;
};

template <class T>
void add(T* to, const T* from, Count count) {
  for (Count i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

template <class T>
void EncodedGraphs<T>::check() const {
  using graphedx::check;
  check(offsets[0] == 0, "offsets must begin with 0, got " + text(offsets[0]));
  Count all_pairs = 0;
  for (Count g = 0; g < graphs; ++g) {
    const std::int64_t size = offsets[g + 1] - offsets[g];
    check_each(offsets[g + 1] >= offsets[g] && offsets[g + 1] <= static_cast<std::int64_t>(nodes), [&] {
      return "offsets must rise from 0 to the number of nodes, " + text(static_cast<std::int64_t>(nodes));
    });
    check_each(size <= static_cast<std::int64_t>(most_nodes), [&] {
      return "a graph has " + text(size) + " nodes; at most " + text(most_nodes) + " are possible";
    });
    all_pairs += static_cast<Count>(size) * static_cast<Count>(size + 1) / 2;
  }
  const auto fits = [](const char* what, Count got, Count wanted) {
    check(got == wanted, std::string(what) + ": " + std::to_string(got) + " where the offsets ask for " +
                             std::to_string(wanted));
  };
  fits("rows of node vectors", nodes, static_cast<Count>(offsets[graphs]));
  fits("rows of node pair vectors", node_pairs, all_pairs);
  fits("bits of adjacency", real_pairs, all_pairs - nodes);
  for (Count g = 0; alike && g < graphs; ++g) {
    const std::int64_t* of_graph = alike + offsets[g];
    for (std::int64_t u = 0; u < offsets[g + 1] - offsets[g]; ++u)
      check_each(of_graph[u] >= 0 && of_graph[u] <= u && of_graph[of_graph[u]] == of_graph[u], [&] {
        return "alike must name the first of each class of nodes, got " + text(of_graph[u]) + " for node " + text(u);
      });
  }
}

template <class T>
void set_terms(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count,
               const SetTermOptions& options, T* terms, const AlignmentNoise<T>& noise) {
  const Batch<T> batch(noise.values ? graphs.node_by_node() : graphs, pairs, count, options);
  batch.check_noise(noise, count);
  in_parallel(count, options.threads, fewest_pairs_a_thread, [&](Counter& next) {
    PairTerms<T> pair_terms(options);
    for (Count k; (k = next++) < count;) {
      pair_terms.align(batch.graph(k, 0), batch.graph(k, 1), batch.padded_nodes(k), noise.of(k));
      pair_terms.forward(terms + options.terms() * k);
    }
  });
}

// Each pair writes the gradients of its two graphs to a record of its own; then each graph sums its records in the
// order of the pairs. So no sum depends on which thread was faster.
template <class T>
void set_terms_backward(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count,
                        const SetTermOptions& options, const T* d_terms, const EncodedGradients<T>& gradients,
                        const AlignmentNoise<T>& noise) {
  const Batch<T> batch(noise.values ? graphs.node_by_node() : graphs, pairs, count, options);
  batch.check_noise(noise, count);
  const Count d = graphs.node_features, m = graphs.align_features, width = graphs.pair_features;
  std::fill(gradients.node, gradients.node + graphs.nodes * d, T(0));
  std::fill(gradients.align, gradients.align + graphs.nodes * m, T(0));
  std::fill(gradients.pair, gradients.pair + graphs.node_pairs * width, T(0));
  std::vector<T> pads(graphs.graphs * (m + width));

  std::vector<Count> place;  // of the records of pairs `begin` to `end`
  std::vector<std::vector<Count>> records(graphs.graphs);
  for (Count begin = 0, end = 0; begin < count; begin = end) {
    place.assign(1, 0);
    for (std::vector<Count>& of_graph : records) of_graph.clear();
    for (; end < count && (end == begin || place.back() * sizeof(T) < records_at_once); ++end)
      for (int side = 0; side < 2; ++side) {
        records[pairs[2 * end + side]].push_back(place.back());
        place.push_back(place.back() + GradientRows<T>::size(batch.graph(end, side)));
      }
    Buffer<T> memory(place.back());
    in_parallel(end - begin, options.threads, fewest_pairs_a_thread, [&](Counter& next) {
      PairTerms<T> pair_terms(options);
      for (Count i; (i = next++) < end - begin;) {
        const PackedGraph<T>&source = batch.graph(begin + i, 0), &target = batch.graph(begin + i, 1);
        std::fill(memory.data() + place[2 * i], memory.data() + place[2 * i + 2], T(0));
        pair_terms.align(source, target, batch.padded_nodes(begin + i), noise.of(begin + i));
        pair_terms.backward(d_terms + options.terms() * (begin + i), GradientRows<T>(source, memory.data() + place[2 * i]),
                            GradientRows<T>(target, memory.data() + place[2 * i + 1]));
      }
    });
    in_parallel(graphs.graphs, options.threads, fewest_pairs_a_thread, [&](Counter& next) {
      for (Count g; (g = next++) < graphs.graphs;) {
        if (records[g].empty()) continue;
        const PackedGraph<T>& graph = batch.packed(g);
        T* sum = memory.data() + records[g][0];
        for (Count i = 1; i < records[g].size(); ++i)
          add(sum, memory.data() + records[g][i], GradientRows<T>::size(graph));
        const GradientRows<T> rows(graph, sum);
        for (Count c = 0; c < graph.classes; ++c) {
          const Count node = static_cast<Count>(graphs.offsets[g]) + graph.first_nodes[c];
          add(gradients.node + node * d, rows.node + c * d, d);
          add(gradients.align + node * m, rows.align + c * m, m);
        }
        for (Count type = 0; type < graph.first_pairs.size(); ++type)
          add(gradients.pair + (batch.first_pair(g) + graph.first_pairs[type]) * width, rows.pair + type * width,
              width);
        add(pads.data() + g * (m + width), rows.align + graph.classes * m, m);
        add(pads.data() + g * (m + width) + m, rows.pair + graph.first_pairs.size() * width, width);
      }
    });
  }
  std::fill(gradients.align_pad, gradients.align_pad + m, T(0));
  std::fill(gradients.pair_pad, gradients.pair_pad + width, T(0));
  for (Count g = 0; g < graphs.graphs; ++g) {
    add(gradients.align_pad, pads.data() + g * (m + width), m);
    add(gradients.pair_pad, pads.data() + g * (m + width) + m, width);
  }
}

template <class T>
std::size_t plan_size(const EncodedGraphs<T>& graphs, const std::int32_t* pair, const SetTermOptions& options) {
  return Batch<T>(graphs, pair, 1, options).padded_nodes(0);
}

template <class T>
void alignment_plan(const EncodedGraphs<T>& graphs, const std::int32_t* pair, const SetTermOptions& options, T* plan) {
  const Batch<T> batch(graphs.node_by_node(), pair, 1, options);
  const PackedGraph<T>&source = batch.graph(0, 0), &target = batch.graph(0, 1);
  const Count size = batch.padded_nodes(0);
  PairTerms<T> pair_terms(options);
  pair_terms.align(source, target, size);
  for (Count u = 0; u < size; ++u)
    for (Count v = 0; v < size; ++v)
      plan[u * size + v] = pair_terms.plan()[std::min(u, source.nodes)][std::min(v, target.nodes)];
}

#define GRAPHEDX_SET_TERMS(T)                                                                                   \
  template struct EncodedGraphs<T>;                                                                             \
  template void set_terms(const EncodedGraphs<T>&, const std::int32_t*, std::size_t, const SetTermOptions&, T*, \
                          const AlignmentNoise<T>&);                                                            \
  template void set_terms_backward(const EncodedGraphs<T>&, const std::int32_t*, std::size_t,                   \
                                   const SetTermOptions&, const T*, const EncodedGradients<T>&,                 \
                                   const AlignmentNoise<T>&);                                                   \
  template void alignment_plan(const EncodedGraphs<T>&, const std::int32_t*, const SetTermOptions&, T*);        \
  template std::size_t plan_size(const EncodedGraphs<T>&, const std::int32_t*, const SetTermOptions&);
GRAPHEDX_SET_TERMS(float)
GRAPHEDX_SET_TERMS(double)

}  // namespace graphedx
