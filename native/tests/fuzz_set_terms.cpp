// Random batches through the set terms, random scores through Sinkhorn's plans: results are finite, the same bits for any
// number of threads, a plan's columns sum to 1, and nodes that are alike may count as one or each for itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "graphedx/set_terms.hpp"
#include "graphedx/set_terms/plans.hpp"
#include "random_blocks.hpp"

using namespace graphedx;

namespace {

template <class T>
struct Results {
  Results(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count, const SetTermOptions& options,
          const T* d_terms)
      : terms(options.terms() * count),
        node(graphs.nodes * graphs.node_features),
        align(graphs.nodes * graphs.align_features),
        align_pad(graphs.align_features),
        pair(graphs.node_pairs * graphs.pair_features),
        pair_pad(graphs.pair_features) {
    SetTermsPass<T> pass(graphs, pairs, count, options);
    pass.forward(terms);
    pass.backward(d_terms, {node, align, align_pad, pair, pair_pad});
  }
  bool finite() const {
    return terms.finite() && node.finite() && align.finite() && align_pad.finite() && pair.finite() && pair_pad.finite();
  }
  bool same_bits(const Results& other) const {
    return terms.same_bits(other.terms) && node.same_bits(other.node) && align.same_bits(other.align) &&
           align_pad.same_bits(other.align_pad) && pair.same_bits(other.pair) && pair_pad.same_bits(other.pair_pad);
  }

  Block<T> terms, node, align, align_pad, pair, pair_pad;
};

/// Says of some nodes of each graph that they are alike, and gives them and their pairs the same vectors.
template <class T>
void make_alike(const std::vector<std::int64_t>& offsets, const Block<std::uint8_t>& adjacency, std::size_t d,
                std::size_t m, std::size_t width, const Block<std::int64_t>& alike, const Block<T>& node,
                const Block<T>& align, const Block<T>& pair) {
  const auto copy = [](const Block<T>& block, std::size_t from, std::size_t to, std::size_t size) {
    std::copy(block + from * size, block + (from + 1) * size, block + to * size);
  };
  std::size_t first_pair = 0;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const std::size_t first = static_cast<std::size_t>(offsets[g]), n = static_cast<std::size_t>(offsets[g + 1]) - first;
    const std::int64_t* of_graph = alike + first;
    for (std::size_t u = 0; u < n; ++u) {
      alike[first + u] = u > 0 && below(2) ? of_graph[below(u)] : static_cast<std::int64_t>(u);
      copy(node, first + static_cast<std::size_t>(of_graph[u]), first + u, d);
      copy(align, first + static_cast<std::size_t>(of_graph[u]), first + u, m);
    }
    std::map<std::array<std::int64_t, 3>, std::size_t> seen;
    for (std::size_t v = 1, place = first_pair; v <= n; ++v)
      for (std::size_t u = 0; u < v; ++u, ++place) {
        const std::int64_t high = v < n ? of_graph[v] : static_cast<std::int64_t>(n), low = of_graph[u];
        const std::int64_t is_edge = v < n ? adjacency[place - first] : 0;
        copy(pair, seen.emplace(std::array{std::min(low, high), std::max(low, high), is_edge}, place).first->second,
             place, width);
      }
    first_pair += n * (n + 1) / 2;
  }
}

/// Whether results are the same up to rounding, where the gradients of alike nodes and pairs may lie with the first of them.
template <class T>
bool near_in_sum(const Block<T>& one, const Block<T>& other, std::size_t features) {
  for (std::size_t f = 0; f < features; ++f) {
    double sum = 0, size = 1;
    for (std::size_t i = f; i < one.size; i += features) {
      sum += one[i] - other[i];
      size += std::abs(one[i]);
    }
    if (std::abs(sum) > 1e-9 * size) return false;
  }
  return true;
}

/// Alike nodes as one and each for itself.
template <class T>
const char* fault_of_classes(const EncodedGraphs<T>& graphs, const Block<std::int32_t>& pairs,
                             const SetTermOptions& options, const Block<T>& d_terms) {
  // A graph with itself lies on the kinks of AlignDiff, where rounding decides what the gradients are.
  if (graphs.graphs == 1) return nullptr;
  for (std::size_t i = 0; i < pairs.size; i += 2)
    if (pairs[i] == pairs[i + 1]) pairs[i + 1] = (pairs[i] + 1) % static_cast<std::int32_t>(graphs.graphs);
  const Results<T> together(graphs, pairs, pairs.size / 2, options, d_terms);
  const Results<T> each(graphs.node_by_node(), pairs, pairs.size / 2, options, d_terms);
  if (!near_in_sum(together.terms, each.terms, options.terms())) return "alike nodes count otherwise than each for itself";
  if (!near_in_sum(together.node, each.node, graphs.node_features) ||
      !near_in_sum(together.align, each.align, graphs.align_features) ||
      !near_in_sum(together.align_pad, each.align_pad, graphs.align_features) ||
      !near_in_sum(together.pair, each.pair, graphs.pair_features) ||
      !near_in_sum(together.pair_pad, each.pair_pad, graphs.pair_features))
    return "alike nodes have other gradients than each for itself";
  return nullptr;
}

/// Terms without a backward pass, gradients of a pass that has kept nothing, and gradients taken twice: the same bits.
template <class T>
const char* fault_of_keeping(const EncodedGraphs<T>& graphs, const Block<std::int32_t>& pairs,
                             const SetTermOptions& options, const Block<T>& d_terms, const Results<T>& wanted) {
  const std::size_t count = pairs.size / 2;
  Results<T> again(graphs, pairs, count, options, d_terms);
  set_terms<T>(graphs, pairs, count, options, again.terms);
  SetTermsPass<T> bare(graphs, pairs, count, options, {}, SetTermsPass<T>::Keep::nothing);
  bare.backward(d_terms, {again.node, again.align, again.align_pad, again.pair, again.pair_pad});
  if (!again.same_bits(wanted)) return "what a pass keeps changes the result";
  SetTermsPass<T> pass(graphs, pairs, count, options);
  pass.forward(again.terms);
  for (int round = 0; round < 2; ++round) {
    pass.backward(d_terms, {again.node, again.align, again.align_pad, again.pair, again.pair_pad});
    if (!again.same_bits(wanted)) return "a backward pass changes what a pass has kept";
  }
  return nullptr;
}

template <class T>
const char* fault() {
  const std::size_t count = 1 + below(5), largest = below(4) ? 9 : 20;
  std::vector<std::int64_t> offsets{0};
  std::size_t node_pairs = 0, most = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t n = below(largest);
    most = std::max(most, n);
    node_pairs += n * (n + 1) / 2;
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(n));
  }
  const std::size_t nodes = static_cast<std::size_t>(offsets.back()), d = below(11), m = below(10), width = below(21);
  const Block<T> node(nodes * d, 1), align(nodes * m, below(3) ? 0.1 : 3), align_pad(m, 0.1), pair(node_pairs * width, 1);
  const Block<T> pair_pad(width, 1);
  Block<std::uint8_t> adjacency(node_pairs - nodes);
  for (std::size_t i = 0; i < adjacency.size; ++i) adjacency[i] = static_cast<std::uint8_t>(below(2));
  const std::size_t pair_count = below(40);
  Block<std::int32_t> pairs(2 * pair_count);
  for (std::size_t i = 0; i < pairs.size; ++i) pairs[i] = static_cast<std::int32_t>(below(count));
  const Block<std::int64_t> alike(nodes);
  make_alike(offsets, adjacency, d, m, width, alike, node, align, pair);
  const EncodedGraphs<T> graphs{count, offsets.data(), nodes, d, m, node_pairs, width, node_pairs - nodes,
                                node, align, align_pad, pair, pair_pad, adjacency, alike};
  SetTermOptions options{static_cast<SetTerm>(below(3)), static_cast<SetTerm>(below(3)), 0.01,
                         static_cast<int>(1 + below(60)), 0, 1, static_cast<AlignBy>(below(2))};
  if (below(2)) options.padded_nodes = static_cast<std::int64_t>(most + below(3));
  if (const std::size_t what = below(6); what == 0)
    options.edge_term = SetTerm::or_maximum;
  else if (what == 1 && options.edge_term != SetTerm::xor_diff_align)
    options.edges_only = true;
  else if (what == 2)
    options.pair_align_features = below(width + 1);
  const Block<T> d_terms(options.terms() * pair_count, 1);
  const Results<T> alone(graphs, pairs, pair_count, options, d_terms);
  if (!alone.finite()) return "not finite";
  if (const char* what = fault_of_keeping(graphs, pairs, options, d_terms, alone)) return what;
  options.threads = static_cast<int>(2 + below(3));
  if (!alone.same_bits(Results<T>(graphs, pairs, pair_count, options, d_terms))) return "threads change the result";
  if (const char* what = sizeof(T) == sizeof(double) ? fault_of_classes(graphs, pairs, options, d_terms) : nullptr)
    return what;
  if (pair_count == 0) return nullptr;
  const std::size_t size = plan_size(graphs, pairs, options);
  const Block<T> plan(size * size);
  alignment_plan<T>(graphs, pairs, options, plan);
  for (std::size_t v = 0; v < size; ++v) {
    double sum = 0;
    for (std::size_t u = 0; u < size; ++u) sum += plan[u * size + v];
    if (std::abs(sum - 1) > 1e-4) return "a column does not sum to 1";
  }
  return nullptr;
}

template <class T>
struct Plans {
  Plans(const Scores<T>& scores, int iterations, int threads, const T* d_plans)
      : plans(scores.count * scores.rows * scores.columns), gradients(plans.size) {
    sinkhorn_plans<T>(scores, iterations, threads, plans);
    sinkhorn_plans_backward<T>(scores, iterations, threads, d_plans, gradients);
  }

  Block<T> plans, gradients;
};

template <class T>
const char* fault_of_plans() {
  const std::size_t count = below(12), rows = below(20), columns = below(20);
  const Block<T> values(count * rows * columns, below(2) ? 1 : 300), d_plans(values.size, 1);
  Block<T> row_weights(count * rows), column_weights(count * columns);
  for (std::size_t i = 0; i < row_weights.size; ++i) row_weights[i] = static_cast<T>(below(3));
  for (std::size_t j = 0; j < column_weights.size; ++j) column_weights[j] = static_cast<T>(below(3));
  const Scores<T> scores{count, rows, columns, values, row_weights, column_weights};
  const int iterations = static_cast<int>(1 + below(30));
  const Plans<T> alone(scores, iterations, 1, d_plans), shared(scores, iterations, 3, d_plans);
  if (!alone.plans.finite() || !alone.gradients.finite()) return "a plan or its gradient is not finite";
  if (!alone.plans.same_bits(shared.plans) || !alone.gradients.same_bits(shared.gradients))
    return "threads change a plan";
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0, any = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        sum += row_weights[k * rows + i] * alone.plans[(k * rows + i) * columns + j];
        any += row_weights[k * rows + i];
      }
      const double wanted = any > 0 && column_weights[k * columns + j] > 0 ? 1 : 0;
      if (std::abs(sum - wanted) > 1e-4) return "a column of a plan does not sum to 1, or to 0 where it is not there";
    }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const int batches = argc > 1 ? std::atoi(argv[1]) : 2000;
  rng.seed(static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 0));
  for (int b = 0; b < batches; ++b) {
    if (const char* what = b % 2 ? fault<float>() : fault<double>()) return std::printf("batch %d: %s\n", b, what), 1;
    if (const char* what = b % 2 ? fault_of_plans<float>() : fault_of_plans<double>())
      return std::printf("scores %d: %s\n", b, what), 1;
  }
  std::printf("%d passed, 0 failed\n", batches);
}
