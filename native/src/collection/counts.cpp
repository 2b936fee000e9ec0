#include "graphedx/collection/counts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kGraphsATask = 2048;
constexpr std::size_t kSampled = 4096;
constexpr std::size_t kFirst = 4;  // times as many as are wanted are measured first, those of about the query's size

/// Compilers know this loop: it becomes one instruction for 16 or 32 bytes.
inline int difference(const std::uint8_t* x, const std::uint8_t* y, std::size_t count) {
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::abs(static_cast<int>(x[i]) - static_cast<int>(y[i]));
  return sum;
}

class Scan {
 public:
  Scan(const SizeTable& sizes, const std::vector<CountTable>& tables, int threads)
      : tables_(tables), threads_(threads), by_size_(sizes.graphs), distances_(sizes.graphs, INFINITY) {
    for (std::size_t g = 0; g < sizes.graphs; ++g) {
      const float nodes = sizes.sizes[2 * g] - sizes.nodes, edges = sizes.sizes[2 * g + 1] - sizes.edges;
      const float total = sizes.node_weight * std::abs(nodes) + sizes.edge_weight * std::abs(edges) +
                          sizes.node_growth * nodes + sizes.edge_growth * edges;
      by_size_[g] = std::isfinite(total) ? total : INFINITY;  // a damaged file may have any sizes
    }
  }

  NearCounts nearest(std::size_t count) {
    count = std::min(count, by_size_.size());
    if (count == 0) return {};
    // Those of the most likely sizes first: how far the last of them is rules out most others.
    const float likely = likely_size(kFirst * count);
    measure(-INFINITY, likely, INFINITY);
    std::vector<float> some;
    for (std::size_t g = 0; g < by_size_.size(); ++g)
      if (by_size_[g] <= likely) some.push_back(distances_[g]);
    const float most = some.size() < count ? INFINITY : of_rank(std::move(some), count);
    measure(likely, most, most);

    std::vector<std::int64_t> order;
    for (std::size_t g = 0; g < by_size_.size(); ++g)
      if (distances_[g] <= most && by_size_[g] <= std::max(likely, most)) order.push_back(static_cast<std::int64_t>(g));
    const auto nearer = [&](std::int64_t x, std::int64_t y) {
      return distances_[x] != distances_[y] ? distances_[x] < distances_[y] : x < y;
    };
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(order.begin(), end - 1, order.end(), nearer);
    order.erase(end, order.end());
    std::sort(order.begin(), order.end(), nearer);
    NearCounts found{std::move(order), {}};
    for (std::int64_t g : found.positions) found.distances.push_back(distances_[g]);
    return found;
  }

 private:
  /// About so many graphs are not above it: few enough are looked at to find it that it takes no time.
  float likely_size(std::size_t count) const {
    const std::size_t every = std::max<std::size_t>(1, by_size_.size() / kSampled);
    std::vector<float> some;
    for (std::size_t g = 0; g < by_size_.size(); g += every) some.push_back(by_size_[g]);
    return of_rank(std::move(some), 1 + count / every);
  }

  /// The least value that so many are not above, or all.
  static float of_rank(std::vector<float> values, std::size_t count) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size()) - 1);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  /// Of the graphs whose size alone puts them so far away: beyond the one, not beyond the other.
  void measure(float beyond, float until, float most) {
    const std::size_t graphs = by_size_.size(), tasks = (graphs + kGraphsATask - 1) / kGraphsATask;
    in_parallel(tasks, threads_, 1, [&](Counter& next) {
      for (std::size_t task; (task = next++) < tasks;)
        for (std::size_t g = task * kGraphsATask; g < std::min(graphs, (task + 1) * kGraphsATask); ++g)
          if (by_size_[g] > beyond && by_size_[g] <= until) distances_[g] = distance(g, most);
    });
  }

  /// Infinite if it is more than `most`.
  float distance(std::size_t g, float most) const {
    float total = by_size_[g];
    for (const CountTable& table : tables_) {
      if (total > most) return INFINITY;
      total += table.weight * static_cast<float>(difference(table.counts + g * table.width, table.own, table.width));
    }
    return total;
  }

  const std::vector<CountTable>& tables_;
  int threads_;
  std::vector<float> by_size_, distances_;
};

}  // namespace

NearCounts nearest_counts(const SizeTable& sizes, const std::vector<CountTable>& tables, std::size_t count, int threads) {
  for (const CountTable& table : tables)
    if (!(table.weight >= 0)) throw std::invalid_argument("a count must weigh 0 or more");
  return Scan(sizes, tables, threads).nearest(count);
}

}  // namespace graphedx
