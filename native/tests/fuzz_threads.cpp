// Several callers with several threads each on shared graphs and one collection, to be run under the thread sanitizer:
// graphedx_fuzz_threads [rounds] [seed]. Every answer is compared with that of one thread.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "graphedx/collection/counts.hpp"
#include "graphedx/collection/looks.hpp"
#include "graphedx/collection/nearest.hpp"
#include "graphedx/methods.hpp"
#include "columns.hpp"
#include "large_pairs.hpp"

using namespace graphedx;

namespace {

constexpr int kGraphs = 4200;  // more than one task of every parallel loop but that of counts
constexpr int kCallers = 3;

bool equal(const Found& one, const Found& other) {
  return one.positions == other.positions && one.lower == other.lower && one.upper == other.upper &&
         one.complete == other.complete;
}

/// Runs the body in several threads at once; whether all of them return true.
bool at_once(const std::function<bool(int)>& body) {
  std::vector<char> good(kCallers, 0);
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) callers.emplace_back([&, c] { good[c] = body(c); });
  for (std::thread& caller : callers) caller.join();
  return std::accumulate(good.begin(), good.end(), 0) == kCallers;
}

/// What is wrong, or null. The random numbers are drawn before threads begin.
const char* fault_of_searches(const Collection& collection, const Graph& query, const CostTables& costs) {
  Wanted wanted{std::size_t(1 + below(5)), INFINITY, INFINITY, 1, nullptr, {}};
  Wanted hurried(wanted);
  hurried.patience = 1 + below(20);
  const Labels labels{true, true};
  const Found truth = nearest(collection, query, costs, labels, wanted);
  const Found guess = nearest(collection, query, costs, labels, hurried);
  const bool same = at_once([&](int caller) {
    Wanted own = wanted, own_hurried = hurried;
    own.threads = own_hurried.threads = 2 + caller;
    return equal(nearest(collection, query, costs, labels, own), truth) &&
           equal(nearest(collection, query, costs, labels, own_hurried), guess);
  });
  return same ? nullptr : "threads change what is found";
}

const char* fault_of_counts(const Collection& collection, const Graph& query) {
  const std::vector<Block> blocks{{true, true, 2, 16}};
  std::vector<std::int64_t> all(collection.size());
  std::iota(all.begin(), all.end(), 0);
  const auto counted = [&](int threads) {
    std::vector<float> sizes(2 * all.size());
    std::vector<std::uint8_t> counts(all.size() * width(blocks));
    count_colours(collection, all, blocks, threads, sizes.data(), counts.data());
    std::vector<std::uint8_t> own(width(blocks));
    count_colours(content_of(query), query.directed(), blocks, own.data());
    const SizeTable of_sizes{all.size(), sizes.data(), 2, 3, 0.5f, 0.25f, 0.25f, 0.5f};
    const std::vector<CountTable> tables{{counts.data(), own.data(), width(blocks), 1.0f}};
    return nearest_counts(of_sizes, tables, 10, threads).positions;
  };
  const auto truth = counted(1);
  return at_once([&](int caller) { return counted(2 + caller) == truth; }) ? nullptr : "threads change what is counted";
}

/// Methods that share two graphs, whose symmetries are found by whoever needs them first.
const char* fault_of_methods(const Graph& source, const Graph& target, const CostTables& costs) {
  const auto solved = [&] {
    Deadline deadline = Deadline::simulated(1, 0.001);
    return solve_auto(Task{source, target, costs}, deadline);
  };
  std::vector<Answer> answers(kCallers, Answer{0, 0, {}, Stop::kBound});
  at_once([&](int caller) { return answers[caller] = solved(), true; });
  for (const Answer& answer : answers)
    if (answer.lower != answers[0].lower || answer.images != answers[0].images) return "callers disturb each other";
  return nullptr;
}

const char* fault_of_round() {
  const bool directed = below(3) == 0;
  const Vocabulary labels{1 + below(3), 1 + below(2)};
  CollectionBuilder builder(directed);
  for (int g = 0; g < kGraphs; ++g) builder.add(content_of(random_graph(1 + below(8), directed, labels.nodes, labels.edges)));
  const Columns columns(builder);
  const Collection collection = columns.collection(directed);
  const Graph query = random_graph(3 + below(6), directed, labels.nodes, labels.edges);
  const CostTables costs = random_costs(labels.nodes, labels.edges);
  if (const char* what = fault_of_searches(collection, query, costs)) return what;
  if (const char* what = fault_of_counts(collection, query)) return what;
  const Graph source = random_draft(20 + below(40), directed, labels).graph();
  const Graph target = random_draft(20 + below(40), directed, labels).graph();
  return fault_of_methods(source, target, costs);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;
  for (int round = 0; round < rounds; ++round) {
    rng.seed(seed + round);
    if (const char* what = fault_of_round()) return std::printf("seed %u: %s\n", seed + round, what), 1;
  }
  std::printf("%d passed, 0 failed\n", rounds);
}
