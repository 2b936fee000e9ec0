#include "graphedx/mapping.hpp"

namespace graphedx {

namespace {

/// What joins one node to every other, looked up in O(1); set and cleared in O(degree).
class Marks {
 public:
  explicit Marks(const Graph& graph) : graph_(graph), kind_(graph.size(), 0) {}

  void set(int node) {
    for (int s = 0; s < graph_.degree(node); ++s) kind_[graph_.neighbours(node)[s].node] = graph_.neighbours(node)[s].kind;
  }
  void clear(int node) {
    for (int s = 0; s < graph_.degree(node); ++s) kind_[graph_.neighbours(node)[s].node] = 0;
  }
  /// Label class of the edge from the node that was set to this one; -1 if there is none.
  int label(int other) const { return kind_[other] == 0 ? -1 : graph_.kinds()[kind_[other] - 1].out; }

 private:
  const Graph& graph_;
  std::vector<int> kind_;
};

/// Calls visit(label, partner's label) for every edge of `one`, where `images` maps its nodes into `other`; the partner is
/// the edge between the images, -1 if there is none.
template <class Visit>
void for_each_edge(const Graph& one, const Graph& other, const std::vector<int>& images, Visit&& visit) {
  Marks marks(other);
  for (int i = 0; i < one.size(); ++i) {
    if (images[i] >= 0) marks.set(images[i]);
    for (int s = 0; s < one.degree(i); ++s) {
      const Neighbour& to = one.neighbours(i)[s];
      const int label = one.kinds()[to.kind - 1].out;
      if (label < 0 || (!one.directed() && to.node < i)) continue;  // comes in, or was seen from the other end
      visit(label, images[i] >= 0 && images[to.node] >= 0 ? marks.label(images[to.node]) : -1);
    }
    if (images[i] >= 0) marks.clear(images[i]);
  }
}

}  // namespace

double induced_cost(const Graph& source, const Graph& target, const CostTables& costs, const std::vector<int>& images) {
  ExactSum sum;
  std::vector<int> origins(target.size(), -1);
  for (int i = 0; i < source.size(); ++i) {
    if (images[i] < 0) {
      sum.add(costs.node_del[source.node_class(i)]);
    } else {
      origins[images[i]] = i;
      sum.add(costs.node_substitution(source.node_class(i), target.node_class(images[i])));
    }
  }
  for (int j = 0; j < target.size(); ++j)
    if (origins[j] < 0) sum.add(costs.node_ins[target.node_class(j)]);

  for_each_edge(source, target, images, [&](int label, int partner) {
    const double remove = costs.edge_del[label];
    if (partner < 0) return sum.add(remove);
    const double insert = costs.edge_ins[partner], substitute = costs.edge_substitution(label, partner);
    if (substitute <= remove + insert) return sum.add(substitute);
    sum.add(remove);
    sum.add(insert);
  });
  for_each_edge(target, source, origins, [&](int label, int partner) {
    if (partner < 0) sum.add(costs.edge_ins[label]);
  });
  return sum.total();
}

}  // namespace graphedx
