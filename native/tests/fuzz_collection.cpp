// Searches in random collections against every distance by itself, and in collections whose bytes were damaged; to be
// run under the sanitizers: graphedx_fuzz_collection [collections] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "graphedx/collection/counts.hpp"
#include "graphedx/collection/edge_budget.hpp"
#include "graphedx/collection/looks.hpp"
#include "graphedx/collection/nearest.hpp"
#include "graphedx/collection/remnants.hpp"
#include "graphedx/methods.hpp"
#include "columns.hpp"
#include "random_pairs.hpp"

using namespace graphedx;

namespace {

constexpr double kRounding = 1e-12;

void fail(const char* what, unsigned seed, int round) {
  std::printf("%s (seed %u, collection %d)\n", what, seed, round);
  std::exit(1);
}

/// The nearest rows of random tables, against all distances sorted.
void check_counts(unsigned seed, int round) {
  const std::size_t graphs = below(60), count = below(70);
  std::vector<float> sizes(2 * graphs);
  for (float& size : sizes) size = static_cast<float>(below(5));
  std::vector<std::vector<std::uint8_t>> values;
  std::vector<CountTable> tables;
  for (int table = below(4); table > 0; --table) {
    const std::size_t width = below(40);
    values.emplace_back((graphs + 1) * width);
    for (std::uint8_t& value : values.back()) value = static_cast<std::uint8_t>(below(4));
    const std::uint8_t* first = values.back().data();
    tables.push_back({first, first + graphs * width, width, 0.25f * static_cast<float>(below(5))});
  }
  const SizeTable of_sizes{graphs, sizes.data(), 2, 3, 0.5f, 0.25f, 0.25f, -0.5f};
  std::vector<std::pair<float, std::int64_t>> wanted;
  for (std::size_t g = 0; g < graphs; ++g) {
    const float nodes = sizes[2 * g] - 2, edges = sizes[2 * g + 1] - 3;
    float total = 0.5f * std::abs(nodes) + 0.25f * std::abs(edges) + 0.25f * nodes - 0.5f * edges;
    for (const CountTable& table : tables)
      for (std::size_t i = 0; i < table.width; ++i)
        total += table.weight * static_cast<float>(std::abs(table.counts[g * table.width + i] - table.own[i]));
    wanted.emplace_back(total, static_cast<std::int64_t>(g));  // multiples of a quarter: sums are exact
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.resize(std::min(count, graphs));
  const NearCounts found = nearest_counts(of_sizes, tables, count, 1 + below(3));
  if (found.positions.size() != wanted.size()) fail("too many or too few counts are found", seed, round);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (found.distances[k] != wanted[k].first || found.positions[k] != wanted[k].second)
      fail("not the nearest counts are found", seed, round);
}

/// How often two graphs were said to have edges in common, and how often that was wrong.
struct Told {
  int in_common = 0, wrongly = 0;
};

/// What two graphs can keep of each other, by trying all ways to lose edges, against the most that they have in common. It
/// must never be denied; a ring of six and two of three have the same colours, so that it is said wrongly now and then.
void check_remnants(unsigned seed, int round, Told& told) {
  const CostTables by_edges{{1}, {1}, {0}, {1}, {1}, {0}};
  const Graph query = random_graph(below(8), false, 1, 1), graph = random_graph(below(8), false, 1, 1);
  Deadline never(INFINITY, nullptr, nullptr);
  const double distance = solve_exact(Task{query, graph, by_edges}, never).upper;
  const int own = static_cast<int>(query.edges().size()), others = static_cast<int>(graph.edges().size());
  const int common = (own + others + std::abs(query.size() - graph.size()) - static_cast<int>(distance)) / 2;
  const Remnants remnants(query.size(), query.edges());
  for (int kept = std::min(own, others); kept >= 0; --kept) {
    if (std::max(own, others) - kept > Remnants::kMostLost) break;
    for (const bool gains : {false, true}) {
      if (gains && others == kept) continue;
      const bool may_match = remnants.may_match(graph.size(), graph.edges(), {own - kept, gains}, others - kept - gains);
      if (!may_match && kept <= common) fail("common edges are missed", seed, round);
      told.in_common += may_match;
      told.wrongly += may_match && kept > common;
    }
  }
}

/// What a budget of edges rules out, for somebody who asks so often that gaining an edge has become worth it, against the
/// distance.
void check_budget(unsigned seed, int round) {
  const int node_classes = 1 + below(3), edge_classes = 1 + below(3);
  const CostTables costs = random_costs(node_classes, edge_classes);
  const Graph query = random_graph(below(8), false, node_classes, edge_classes);
  const Graph graph = random_graph(below(8), false, node_classes, edge_classes);
  Deadline never(INFINITY, nullptr, nullptr);
  const double distance = solve_exact(Task{query, graph, costs}, never).upper;
  EdgeBudget budget(query, costs, true);
  for (int times = 0; times < 60; ++times) {
    const double cutoff = distance * (times % 4 == 0 ? 1 : below(100) / 90.0);
    const auto demand = budget.demand(content_of(graph), cutoff);
    if (!demand || budget.can_be_met(*demand, content_of(graph))) continue;
    if (distance <= cutoff) fail("a budget rules out what is near", seed, round);
    if (distance < demand->beyond * (1 - kRounding)) fail("a budget rules out too much", seed, round);
  }
}

/// A search that runs out of time: what it reports must hold nevertheless.
void check_limited(const Collection& collection, const Graph& query, const CostTables& costs,
                   const std::vector<double>& distances, Wanted wanted, unsigned seed, int round) {
  wanted.seconds = below(3) ? std::pow(10.0, -3 - below(40) / 10.0) : 0;
  if (below(4) == 0) wanted.k.reset(), wanted.radius = distances.empty() ? 1 : distances[below(static_cast<int>(distances.size()))];
  const Found found = nearest(collection, query, costs, {true, true}, wanted);
  std::vector<char> listed(distances.size(), 0);
  for (std::size_t hit = 0; hit < found.positions.size(); ++hit) {
    const std::int64_t g = found.positions[hit];
    if (g < 0 || g >= static_cast<std::int64_t>(distances.size()) || listed[g]++) fail("no graph, or one twice", seed, round);
    const double distance = distances[g], margin = kRounding * distance;
    if (!(0 <= found.lower[hit] && found.lower[hit] <= distance + margin && distance - margin <= found.upper[hit]))
      fail("a bound found out of time is wrong", seed, round);
    if (hit > 0 && found.upper[hit] < found.upper[hit - 1]) fail("hits out of order", seed, round);
  }
  for (std::size_t g = 0; g < distances.size(); ++g)
    if (!listed[g] && found.unseen > distances[g] * (1 + kRounding)) fail("a nearer graph is not listed", seed, round);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  rng.seed(seed);
  Told told;
  for (int round = 0; round < rounds; ++round) {
    check_counts(seed, round);
    check_remnants(seed, round, told);
    check_budget(seed, round);
    const bool directed = below(2) == 1;
    const int node_classes = 1 + below(3), edge_classes = 1 + below(3), size = below(9);
    const CostTables costs = random_costs(node_classes, edge_classes);
    const Graph query = random_graph(below(6), directed, node_classes, edge_classes);
    std::vector<std::unique_ptr<Graph>> graphs;
    CollectionBuilder builder(directed);
    for (int g = 0; g < size; ++g) {
      graphs.emplace_back(new Graph(random_graph(below(6), directed, node_classes, edge_classes)));
      builder.add(content_of(*graphs.back()));
    }
    Columns columns(builder);
    const Collection collection = columns.collection(directed);
    collection.check();

    std::vector<double> distances;
    for (const auto& graph : graphs) {
      Deadline never(INFINITY, nullptr, nullptr);
      distances.push_back(solve_exact(Task{query, *graph, costs}, never).upper);
    }
    const Screen screen(collection, query, costs, {true, true}, 1, Deadline(INFINITY, nullptr, nullptr));
    for (int g = 0; g < size; ++g)
      if (screen.lower()[g] > distances[g] || screen.tighter(g) > distances[g]) fail("a bound is too high", seed, round);

    Wanted wanted{1 + below(4), INFINITY, INFINITY, 1 + below(3), nullptr};
    const Found found = nearest(collection, query, costs, {true, true}, wanted);
    std::vector<double> sorted(distances);
    std::sort(sorted.begin(), sorted.end());
    const double last = sorted.empty() ? 0 : sorted[std::min<std::size_t>(*wanted.k, sorted.size()) - 1];
    // Two best mappings may add up to sums that differ in the last digit, so the last of the nearest has a margin.
    const auto within = [&](double limit) { return std::upper_bound(sorted.begin(), sorted.end(), limit) - sorted.begin(); };
    const auto count = static_cast<std::ptrdiff_t>(found.positions.size());
    if (!found.complete || count < within(last * (1 - kRounding)) || count > within(last * (1 + kRounding)))
      fail("not the nearest are found", seed, round);
    if (count < std::min<std::ptrdiff_t>(*wanted.k, size)) fail("too few are found", seed, round);
    for (std::size_t hit = 0; hit < found.positions.size(); ++hit)
      if (std::abs(found.upper[hit] - distances[found.positions[hit]]) > kRounding * distances[found.positions[hit]])
        fail("a distance is wrong", seed, round);

    check_limited(collection, query, costs, distances, wanted, seed, round);

    // In a hurry, which may miss some of them: but what it says holds, and is the same for any number of threads.
    Wanted hurried(wanted);
    hurried.patience = 1 + below(20);
    hurried.unit = below(2) ? 1 : 0.01;
    std::vector<Look> looks;
    for (int look = below(4); look > 0; --look)
      looks.push_back({below(2) == 1, below(2) == 1, below(4), 0.25 * below(4)});
    const Likeness likeness(content_of(query), directed, looks);
    std::vector<std::int64_t> all(size);
    std::iota(all.begin(), all.end(), 0);
    if (below(4)) hurried.guessed = likeness.distances(collection, all, 1 + below(3), INFINITY);
    if (size > 0 && !hurried.guessed.empty() && below(4) == 0) hurried.guessed[below(size)] = INFINITY;
    const Found near = nearest(collection, query, costs, {true, true}, hurried);
    hurried.threads = 4 - hurried.threads;
    const Found again = nearest(collection, query, costs, {true, true}, hurried);
    if (near.positions.size() != std::min<std::size_t>(*wanted.k, size)) fail("too few are found in a hurry", seed, round);
    if (near.positions != again.positions || near.lower != again.lower || near.upper != again.upper)
      fail("threads change what is found in a hurry", seed, round);
    for (std::size_t hit = 0; hit < near.positions.size(); ++hit) {
      const double distance = distances[near.positions[hit]], margin = kRounding * distance;
      if (near.lower[hit] > distance + margin || near.upper[hit] < distance - margin)
        fail("a bound found in a hurry is wrong", seed, round);
    }

    std::vector<Block> blocks;
    for (const Look& look : looks) blocks.push_back({look.nodes, look.edges, look.rounds, 1 + below(20)});
    std::vector<float> sizes(2 * static_cast<std::size_t>(size));
    std::vector<std::uint8_t> counts(size * width(blocks)), own(width(blocks));
    count_colours(collection, all, blocks, 1 + below(3), sizes.data(), counts.data());
    for (int g = 0; g < size; ++g) {
      count_colours(collection.content(g), directed, blocks, own.data());
      if (!std::equal(own.begin(), own.end(), counts.begin() + static_cast<std::ptrdiff_t>(g * own.size())))
        fail("colours are counted in two ways", seed, round);
    }

    columns.damage();
    if (below(2)) wanted = hurried;
    try {
      const Collection damaged = columns.collection(directed);
      damaged.check();
      wanted.seconds = below(2) ? 0.05 : 0;
      likeness.distances(damaged, all, 1, INFINITY);
      count_colours(damaged, all, blocks, 1, sizes.data(), counts.data());
      nearest(damaged, query, costs, {true, true}, wanted);
    } catch (const std::invalid_argument&) {
    } catch (const TooLarge&) {
    }
  }
  if (told.wrongly > 3 + told.in_common / 200) fail("common edges are often told wrongly", seed, rounds);
  std::printf("%d collections: all as by every distance\n", rounds);
}
