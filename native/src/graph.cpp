#include "graphedx/graph.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "graphedx/symmetry.hpp"

namespace graphedx {

namespace {

void check(const std::vector<int>& node_classes, const std::vector<Edge>& edges) {
  const int n = static_cast<int>(node_classes.size());
  for (int c : node_classes)
    if (c < 0) throw std::invalid_argument("node classes must be >= 0");
  for (const Edge& e : edges) {
    if (e.source < 0 || e.source >= n || e.target < 0 || e.target >= n)
      throw std::invalid_argument("edge end point out of range");
    if (e.source == e.target) throw std::invalid_argument("self-loop at node " + std::to_string(e.source));
    if (e.label_class < 0) throw std::invalid_argument("edge classes must be >= 0");
  }
}

}  // namespace

Graph::Graph(std::vector<int> node_classes, const std::vector<Edge>& edges, bool directed)
    : node_classes_(std::move(node_classes)), edges_(edges), directed_(directed) {
  check(node_classes_, edges_);
  const int n = size();
  std::map<std::pair<int, int>, Kind> joined;  // ordered pair -> what it looks like from the first node
  for (const Edge& e : edges_) {
    Kind& forth = joined.try_emplace({e.source, e.target}, Kind{-1, -1}).first->second;
    Kind& back = joined.try_emplace({e.target, e.source}, Kind{-1, -1}).first->second;
    if (forth.out >= 0) throw std::invalid_argument("parallel edges at node " + std::to_string(e.source));
    forth.out = back.in = e.label_class;
    if (!directed_) forth.in = back.out = e.label_class;
  }
  std::map<std::pair<int, int>, int> number;
  kind_matrix_.assign(static_cast<std::size_t>(n) * n, 0);
  first_.assign(n + 1, 0);
  for (const auto& [pair, kind] : joined) {
    const auto [where, fresh] = number.try_emplace({kind.out, kind.in}, static_cast<int>(kinds_.size()) + 1);
    if (fresh) kinds_.push_back(kind);
    if (kinds_.size() > 65000) throw std::invalid_argument("more than 65,000 different edge labels in one graph");
    kind_matrix_[static_cast<std::size_t>(pair.first) * n + pair.second] = static_cast<std::uint16_t>(where->second);
    neighbours_.push_back({pair.second, where->second, 0});
    ++first_[pair.first + 1];
  }
  for (int i = 0; i < n; ++i) first_[i + 1] += first_[i];
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (int i = 0; i < n; ++i)  // lists are sorted, so visiting i in order fills each reverse position in order
    for (int a = first_[i]; a < first_[i + 1]; ++a) {
      const int k = neighbours_[a].node;
      neighbours_[next[k]].back = a - first_[i];
      ++next[k];
    }
  symmetry_ = std::make_unique<const Symmetry>(find_symmetry(*this));
}

Graph::~Graph() = default;

}  // namespace graphedx
