// Random batches through the set terms, random scores through Sinkhorn's plans, random vectors through surpluses: results
// are finite, the same bits for any number of threads, and a plan's columns sum to 1.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "graphedx/set_terms.hpp"
#include "graphedx/set_terms/plans.hpp"
#include "graphedx/set_terms/surpluses.hpp"
#include "random_blocks.hpp"

using namespace graphedx;

namespace {

template <class T>
struct Results {
  Results(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count, const SetTermOptions& options,
          const T* d_terms)
      : terms(4 * count),
        node(graphs.nodes * graphs.node_features),
        align(graphs.nodes * graphs.align_features),
        align_pad(graphs.align_features),
        pair(graphs.node_pairs * graphs.pair_features),
        pair_pad(graphs.pair_features) {
    set_terms<T>(graphs, pairs, count, options, terms);
    set_terms_backward<T>(graphs, pairs, count, options, d_terms, {node, align, align_pad, pair, pair_pad});
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
  const Block<T> d_terms(4 * pair_count, 1);
  const EncodedGraphs<T> graphs{count, offsets.data(), nodes, d, m, node_pairs, width, node_pairs - nodes,
                                node, align, align_pad, pair, pair_pad, adjacency};
  SetTermOptions options{static_cast<SetTerm>(below(3)), static_cast<SetTerm>(below(3)), 0.01,
                         static_cast<int>(1 + below(60)), 0, 1, static_cast<AlignBy>(below(2))};
  if (below(2)) options.padded_nodes = static_cast<std::int64_t>(most + below(3));
  const Results<T> alone(graphs, pairs, pair_count, options, d_terms);
  if (!alone.finite()) return "not finite";
  options.threads = static_cast<int>(2 + below(3));
  if (!alone.same_bits(Results<T>(graphs, pairs, pair_count, options, d_terms))) return "threads change the result";
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

template <class T>
struct Surpluses {
  Surpluses(const VectorSets<T>& sets, int threads, const T* d_more, const T* d_less)
      : more(sets.count * sets.rows * sets.columns),
        less(more.size),
        d_a(sets.count * sets.rows * sets.features),
        d_b(sets.count * sets.columns * sets.features) {
    surpluses<T>(sets, threads, more, less);
    surpluses_backward<T>(sets, threads, d_more, d_less, d_a, d_b);
  }

  Block<T> more, less, d_a, d_b;
};

template <class T>
const char* fault_of_surpluses() {
  const std::size_t count = below(8), rows = below(20), columns = below(20), features = below(23);
  const Block<T> a(count * rows * features, 1), b(count * columns * features, 1);
  const Block<T> d_more(count * rows * columns, 1), d_less(d_more.size, 1);
  const VectorSets<T> sets{count, rows, columns, features, a, b};
  const Surpluses<T> alone(sets, 1, d_more, d_less), shared(sets, 3, d_more, d_less);
  if (!alone.more.same_bits(shared.more) || !alone.less.same_bits(shared.less) || !alone.d_a.same_bits(shared.d_a) ||
      !alone.d_b.same_bits(shared.d_b))
    return "threads change a surplus";
  for (std::size_t i = 0; i < alone.more.size; ++i)
    if (alone.more[i] < T(-1e-5) || alone.less[i] < T(-1e-5)) return "a surplus below 0";
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
    if (const char* what = b % 2 ? fault_of_surpluses<float>() : fault_of_surpluses<double>())
      return std::printf("sets %d: %s\n", b, what), 1;
  }
  std::printf("%d passed, 0 failed\n", batches);
}
