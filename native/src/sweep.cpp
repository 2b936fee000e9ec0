#include "graphedx/sweep.hpp"

#include <algorithm>
#include <numeric>

namespace graphedx {

namespace {

// Measured on molecules; others nearby are about as good.
constexpr double kKept = 0.25;  // by the row, of what an edge to a later neighbour gets
constexpr int kPartOfEarlier = Sweep::kWhole / 8;

std::vector<int> breadth_first(const Graph& graph) {
  std::vector<int> starts(graph.size()), order;
  std::iota(starts.begin(), starts.end(), 0);
  std::stable_sort(starts.begin(), starts.end(), [&](int x, int y) { return graph.degree(x) > graph.degree(y); });
  order.reserve(graph.size());
  std::vector<char> seen(graph.size(), 0);
  const auto visit = [&](int node) {
    if (!seen[node]) seen[node] = 1, order.push_back(node);
  };
  std::size_t head = 0;
  for (int start : starts)
    for (visit(start); head < order.size(); ++head)
      for (int s = 0; s < graph.degree(order[head]); ++s) visit(graph.neighbours(order[head])[s].node);
  return order;
}

}  // namespace

Sweep::Sweep(const Graph& graph)
    : order_(breadth_first(graph)), forwards_(graph.first(graph.size())), backwards_(forwards_.size()) {
  std::vector<int> place(graph.size());
  for (int at = 0; at < graph.size(); ++at) place[order_[at]] = at;
  for (int i = 0; i < graph.size(); ++i)
    for (bool backwards : {false, true}) {
      int left = 0;  // later neighbours from here on
      for (int s = graph.degree(i) - 1; s >= 0; --s) {
        const bool is_later = (place[graph.neighbours(i)[s].node] > place[i]) != backwards;
        left += is_later;
        (backwards ? backwards_ : forwards_)[graph.first(i) + s] =
            is_later ? static_cast<int>(kWhole / (left + kKept)) : kPartOfEarlier;
      }
    }
}

}  // namespace graphedx
