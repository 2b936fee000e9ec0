#include "graphedx/mapping.hpp"

namespace graphedx {

double induced_cost(const Graph& source, const Graph& target, const CostTables& costs, const std::vector<int>& images) {
  ExactSum sum;
  std::vector<char> used(target.size(), 0);
  for (int i = 0; i < source.size(); ++i) {
    if (images[i] < 0) {
      sum.add(costs.node_del[source.node_class(i)]);
    } else {
      used[images[i]] = 1;
      sum.add(costs.node_substitution(source.node_class(i), target.node_class(images[i])));
    }
  }
  for (int j = 0; j < target.size(); ++j)
    if (!used[j]) sum.add(costs.node_ins[target.node_class(j)]);

  std::vector<int> origin(target.size(), -1);
  for (int i = 0; i < source.size(); ++i)
    if (images[i] >= 0) origin[images[i]] = i;
  for (const Edge& e : source.edges()) {
    const int u = images[e.source], v = images[e.target];
    const int kind = u >= 0 && v >= 0 ? target.kind(u, v) : 0;
    const int other = kind > 0 ? target.kinds()[kind - 1].out : -1;
    const double remove = costs.edge_del[e.label_class];
    if (other < 0) {
      sum.add(remove);
      continue;
    }
    const double insert = costs.edge_ins[other], substitute = costs.edge_substitution(e.label_class, other);
    if (substitute <= remove + insert) {
      sum.add(substitute);
    } else {
      sum.add(remove);
      sum.add(insert);
    }
  }
  for (const Edge& e : target.edges()) {
    const int u = origin[e.source], v = origin[e.target];
    const int kind = u >= 0 && v >= 0 ? source.kind(u, v) : 0;
    if (kind == 0 || source.kinds()[kind - 1].out < 0) sum.add(costs.edge_ins[e.label_class]);
  }
  return sum.total();
}

}  // namespace graphedx
