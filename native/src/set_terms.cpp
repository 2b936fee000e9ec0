#include "graphedx/set_terms.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
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
constexpr Count kept_at_once = 256u << 20;    // bytes of alignments that wait for their backward pass
constexpr Count kept_for_next = 32u << 20;    // bytes of a workspace that waits for the next pass
constexpr Count most_workspaces = 2;
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

/// The memory of a pass. Training takes one pass after the other of about the same size: it is used again.
template <class T>
struct Workspace {
  std::vector<PackedGraph<T>> packed;
  std::vector<AlignmentState<T>> kept;
};

template <class T>
class WorkspacePool {
 public:
  static std::unique_ptr<Workspace<T>> take() {
    Shared& shared = the_shared();
    std::lock_guard<std::mutex> lock(shared.mutex);
    if (shared.idle.empty()) return std::make_unique<Workspace<T>>();
    std::unique_ptr<Workspace<T>> last = std::move(shared.idle.back());
    shared.idle.pop_back();
    return last;
  }
  static void give_back(std::unique_ptr<Workspace<T>> workspace) {
    Shared& shared = the_shared();
    std::lock_guard<std::mutex> lock(shared.mutex);
    if (shared.idle.size() < most_workspaces) shared.idle.push_back(std::move(workspace));
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::vector<std::unique_ptr<Workspace<T>>> idle;
  };
  static Shared& the_shared() {
    static Shared* const shared = new Shared;  // never destroyed: a pass may end after static objects have
    return *shared;
  }
};

/// The graphs that pairs name, packed, and the size that each pair is padded to.
template <class T>
class Batch {
 public:
  Batch(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, Count count, const SetTermOptions& options,
        std::vector<PackedGraph<T>>& packed)
      : options_(options), pairs_(pairs, pairs + 2 * count), packed_(packed), needed_(graphs.graphs) {
    if (packed.size() < graphs.graphs) packed.resize(graphs.graphs);
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

  Count graph_number(Count pair, int side) const { return static_cast<Count>(pairs_[2 * pair + side]); }
  const PackedGraph<T>& graph(Count pair, int side) const { return packed_[graph_number(pair, side)]; }
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
  std::vector<std::int32_t> pairs_;
  std::vector<PackedGraph<T>>& packed_;
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
class SetTermsPass<T>::Work {
 public:
  Work(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, Count count, const SetTermOptions& options,
       const AlignmentNoise<T>& noise, Keep keep)
      : graphs_(noise.values ? graphs.node_by_node() : graphs),
        options_(options),
        noise_(noise),
        count_(count),
        workspace_(WorkspacePool<T>::take()),
        batch_(graphs_, pairs, count, options, workspace_->packed) {
    batch_.check_noise(noise, count);
    bytes_ = 3 * sizeof(T) * graphs.node_pairs * graphs.pair_features;
    if (keep == Keep::all) choose_kept();
  }
  ~Work() {
    if (workspace_ && bytes_ <= kept_for_next) WorkspacePool<T>::give_back(std::move(workspace_));
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  Count count() const { return count_; }
  const EncodedGraphs<T>& graphs() const { return graphs_; }
  Count terms() const { return options_.terms(); }

  void forward(T* terms) {
    in_parallel(count_, options_.threads, fewest_pairs_a_thread, [&](Counter& next) {
      PairTerms<T> pair_terms(options_);
      for (Count k; (k = next++) < count_;) {
        if (k < kept_)
          pair_terms.keep_in(workspace_->kept[k]);
        else
          pair_terms.keep_none();
        align(pair_terms, k);
        pair_terms.forward(terms + options_.terms() * k);
      }
    });
    is_aligned_ = true;
  }

  void backward(const T* d_terms, const EncodedGradients<T>& gradients) {
    const Count d = graphs_.node_features, m = graphs_.align_features, width = graphs_.pair_features;
    std::fill(gradients.node, gradients.node + graphs_.nodes * d, T(0));
    std::fill(gradients.align, gradients.align + graphs_.nodes * m, T(0));
    std::fill(gradients.pair, gradients.pair + graphs_.node_pairs * width, T(0));
    std::vector<T> pads(graphs_.graphs * (m + width));
    for (Count begin = 0, end = 0; begin < count_; begin = end) {
      Records records(batch_, graphs_.graphs, begin, count_);
      end = records.end;
      pairs_backward(d_terms, begin, records);
      sum_records(records, gradients, pads.data());
    }
    std::fill(gradients.align_pad, gradients.align_pad + m, T(0));
    std::fill(gradients.pair_pad, gradients.pair_pad + width, T(0));
    for (Count g = 0; g < graphs_.graphs; ++g) {
      add(gradients.align_pad, pads.data() + g * (m + width), m);
      add(gradients.pair_pad, pads.data() + g * (m + width) + m, width);
    }
  }

 private:
  /// Each pair writes the gradients of its two graphs to a record of its own; then each graph sums its records in the
  /// order of the pairs. So no sum depends on which thread was faster.
  struct Records {
    Records(const Batch<T>& batch, Count graphs, Count begin, Count count)
        : end(begin), place{0}, of_graph(graphs), memory(places(batch, count)) {}

    Count end;                // of the pairs that have records here
    std::vector<Count> place;  // of the records of each pair
    std::vector<std::vector<Count>> of_graph;
    Buffer<T> memory;

   private:
    Count places(const Batch<T>& batch, Count count) {
      const Count begin = end;
      for (; end < count && (end == begin || place.back() * sizeof(T) < records_at_once); ++end)
        for (int side = 0; side < 2; ++side) {
          of_graph[batch.graph_number(end, side)].push_back(place.back());
          place.push_back(place.back() + GradientRows<T>::size(batch.graph(end, side)));
        }
      return place.back();
    }
  };

  void align(PairTerms<T>& pair_terms, Count k) const {
    pair_terms.align(batch_.graph(k, 0), batch_.graph(k, 1), batch_.padded_nodes(k), noise_.of(k));
  }

  /// As many of the first pairs as fit in memory.
  void choose_kept() {
    Count bytes = 0;
    for (; kept_ < count_; ++kept_) {
      const PackedGraph<T>&source = batch_.graph(kept_, 0), &target = batch_.graph(kept_, 1);
      bytes += AlignmentState<T>::bytes({source.classes + 1, target.classes + 1, source.stride, target.stride},
                                        options_.iterations);
      if (bytes > kept_at_once) break;
    }
    bytes_ += bytes;
    if (workspace_->kept.size() < kept_) workspace_->kept.resize(kept_);
  }

  void pairs_backward(const T* d_terms, Count begin, Records& records) {
    const Count count = records.end - begin;
    T* memory = records.memory.data();
    const std::vector<Count>& place = records.place;
    in_parallel(count, options_.threads, fewest_pairs_a_thread, [&](Counter& next) {
      PairTerms<T> pair_terms(options_);
      for (Count i; (i = next++) < count;) {
        const Count k = begin + i;
        const PackedGraph<T>&source = batch_.graph(k, 0), &target = batch_.graph(k, 1);
        std::fill(memory + place[2 * i], memory + place[2 * i + 2], T(0));
        if (is_aligned_ && k < kept_) {
          pair_terms.resume(source, target, batch_.padded_nodes(k), workspace_->kept[k]);
        } else {
          pair_terms.keep_none();
          align(pair_terms, k);
        }
        pair_terms.backward(d_terms + options_.terms() * k, GradientRows<T>(source, memory + place[2 * i]),
                            GradientRows<T>(target, memory + place[2 * i + 1]));
      }
    });
  }

  void sum_records(Records& records, const EncodedGradients<T>& gradients, T* pads) const {
    const Count d = graphs_.node_features, m = graphs_.align_features, width = graphs_.pair_features;
    in_parallel(graphs_.graphs, options_.threads, fewest_pairs_a_thread, [&](Counter& next) {
      for (Count g; (g = next++) < graphs_.graphs;) {
        const std::vector<Count>& own = records.of_graph[g];
        if (own.empty()) continue;
        const PackedGraph<T>& graph = batch_.packed(g);
        T* sum = records.memory.data() + own[0];
        for (Count i = 1; i < own.size(); ++i) add(sum, records.memory.data() + own[i], GradientRows<T>::size(graph));
        const GradientRows<T> rows(graph, sum);
        for (Count c = 0; c < graph.classes; ++c) {
          const Count node = static_cast<Count>(graphs_.offsets[g]) + graph.first_nodes[c];
          add(gradients.node + node * d, rows.node + c * d, d);
          add(gradients.align + node * m, rows.align + c * m, m);
        }
        for (Count type = 0; type < graph.first_pairs.size(); ++type)
          add(gradients.pair + (batch_.first_pair(g) + graph.first_pairs[type]) * width, rows.pair + type * width,
              width);
        add(pads + g * (m + width), rows.align + graph.classes * m, m);
        add(pads + g * (m + width) + m, rows.pair + graph.first_pairs.size() * width, width);
      }
    });
  }

  EncodedGraphs<T> graphs_;
  SetTermOptions options_;
  AlignmentNoise<T> noise_;
  Count count_;
  std::unique_ptr<Workspace<T>> workspace_;
  Batch<T> batch_;
  Count kept_ = 0;   // pairs whose alignment is kept
  Count bytes_ = 0;  // of the workspace, roughly
  bool is_aligned_ = false;
};

template <class T>
SetTermsPass<T>::SetTermsPass(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count,
                              const SetTermOptions& options, const AlignmentNoise<T>& noise, Keep keep)
    : work_(std::make_unique<Work>(graphs, pairs, count, options, noise, keep)) {}
template <class T>
SetTermsPass<T>::~SetTermsPass() = default;
template <class T>
void SetTermsPass<T>::forward(T* terms) {
  work_->forward(terms);
}
template <class T>
void SetTermsPass<T>::backward(const T* d_terms, const EncodedGradients<T>& gradients) {
  work_->backward(d_terms, gradients);
}
template <class T>
const EncodedGraphs<T>& SetTermsPass<T>::graphs() const {
  return work_->graphs();
}
template <class T>
std::size_t SetTermsPass<T>::count() const {
  return work_->count();
}
template <class T>
std::size_t SetTermsPass<T>::terms() const {
  return work_->terms();
}

template <class T>
void set_terms(const EncodedGraphs<T>& graphs, const std::int32_t* pairs, std::size_t count,
               const SetTermOptions& options, T* terms, const AlignmentNoise<T>& noise) {
  SetTermsPass<T>(graphs, pairs, count, options, noise, SetTermsPass<T>::Keep::nothing).forward(terms);
}

template <class T>
std::size_t plan_size(const EncodedGraphs<T>& graphs, const std::int32_t* pair, const SetTermOptions& options) {
  std::vector<PackedGraph<T>> packed;
  return Batch<T>(graphs, pair, 1, options, packed).padded_nodes(0);
}

template <class T>
void alignment_plan(const EncodedGraphs<T>& graphs, const std::int32_t* pair, const SetTermOptions& options, T* plan) {
  std::vector<PackedGraph<T>> packed;
  const Batch<T> batch(graphs.node_by_node(), pair, 1, options, packed);
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
  template class SetTermsPass<T>;                                                                               \
  template void alignment_plan(const EncodedGraphs<T>&, const std::int32_t*, const SetTermOptions&, T*);        \
  template std::size_t plan_size(const EncodedGraphs<T>&, const std::int32_t*, const SetTermOptions&);
GRAPHEDX_SET_TERMS(float)
GRAPHEDX_SET_TERMS(double)

}  // namespace graphedx
