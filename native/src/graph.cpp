#include "graphedx/graph.hpp"

#include <algorithm>
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

std::vector<Joint> joints_of(const std::vector<int>& node_classes, const std::vector<Edge>& edges, bool directed) {
  check(node_classes, edges);
  std::vector<Joint> joints;
  joints.reserve(2 * edges.size());
  for (const Edge& e : edges) {
    joints.push_back({e.source, e.target, {e.label_class, directed ? -1 : e.label_class}});
    joints.push_back({e.target, e.source, {directed ? -1 : e.label_class, e.label_class}});
  }
  std::sort(joints.begin(), joints.end(),
            [](const Joint& x, const Joint& y) { return x.node != y.node ? x.node < y.node : x.other < y.other; });
  std::size_t kept = 0;
  for (std::size_t at = 0; at < joints.size(); ++at) {
    if (kept == 0 || joints[kept - 1].node != joints[at].node || joints[kept - 1].other != joints[at].other) {
      joints[kept++] = joints[at];
      continue;
    }
    Kind &have = joints[kept - 1].kind, more = joints[at].kind;
    if ((have.out >= 0 && more.out >= 0) || (have.in >= 0 && more.in >= 0))
      throw std::invalid_argument("parallel edges at node " + std::to_string(joints[at].node));
    have = {std::max(have.out, more.out), std::max(have.in, more.in)};
  }
  joints.resize(kept);
  return joints;
}

Graph::Graph(std::vector<int> node_classes, const std::vector<Edge>& edges, bool directed)
    : node_classes_(std::move(node_classes)), edges_(edges), directed_(directed) {
  const std::vector<Joint> joints = joints_of(node_classes_, edges_, directed_);
  const int n = size();
  std::map<std::pair<int, int>, int> number;
  if (n <= kMostInMatrix) kind_matrix_.assign(static_cast<std::size_t>(n) * n, 0);
  first_.assign(n + 1, 0);
  for (const Joint& joint : joints) {
    const auto [where, fresh] = number.try_emplace({joint.kind.out, joint.kind.in}, static_cast<int>(kinds_.size()) + 1);
    if (fresh) kinds_.push_back(joint.kind);
    if (kinds_.size() > 65000) throw std::invalid_argument("more than 65,000 different edge labels in one graph");
    if (!kind_matrix_.empty())
      kind_matrix_[static_cast<std::size_t>(joint.node) * n + joint.other] = static_cast<std::uint16_t>(where->second);
    neighbours_.push_back({joint.other, where->second, 0});
    ++first_[joint.node + 1];
  }
  for (int i = 0; i < n; ++i) first_[i + 1] += first_[i];
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (int i = 0; i < n; ++i)  // lists are sorted, so visiting i in order fills each reverse position in order
    for (int a = first_[i]; a < first_[i + 1]; ++a) {
      const int k = neighbours_[a].node;
      neighbours_[next[k]].back = a - first_[i];
      ++next[k];
    }
}

const Symmetry& Graph::symmetry() const {
  std::call_once(symmetry_is_known_, [&] { symmetry_ = std::make_unique<const Symmetry>(find_symmetry(*this)); });
  return *symmetry_;
}

Graph::~Graph() = default;

int Graph::listed_kind(int node, int other) const {
  const Neighbour *begin = neighbours(node), *end = begin + degree(node);
  const Neighbour* found = std::lower_bound(begin, end, other, [](const Neighbour& n, int id) { return n.node < id; });
  return found != end && found->node == other ? found->kind : 0;
}

}  // namespace graphedx
