#include "graphedx/large/implicit_weights.hpp"

namespace graphedx {

ImplicitWeights::ImplicitWeights(const Savings& savings, const TypeBound& types)
    : savings_(savings), types_(types), extra_(types.weights.size()), even_(savings) {
  const auto most_joined = [](const Graph& graph, const NodeTypes& types) {
    std::vector<int> degree(types.size(), 1);
    for (int i = 0; i < graph.size(); ++i)
      degree[types.type_of[i]] = std::max(degree[types.type_of[i]], graph.degree(i));
    return degree;
  };
  const std::vector<int> row_degree = most_joined(*savings_.a, types_.rows);
  const std::vector<int> column_degree = most_joined(*savings_.b, types_.columns);
  for (int x = 0; x < types_.rows.size(); ++x)
    for (int y = 0; y < types_.columns.size(); ++y) {
      const Weight weight = types_.weight(x, y);
      extra_[static_cast<std::size_t>(x) * types_.columns.size() + y] =
          weight == Savings::kForbidden
              ? kUnlimited
              : (types_.u[x] + types_.v[y] - weight) / (2 * std::min(row_degree[x], column_degree[y]));
    }
}

Weight ImplicitWeights::weight(int i, int j) {
  const Weight node = savings_.node_weight(i, j);
  if (node == Savings::kForbidden) return node;
  const int rows = savings_.a->degree(i), columns = savings_.b->degree(j);
  if (rows == 0 || columns == 0) return node;
  if (rows <= 4 && columns <= 4) {
    SmallStar<Weight> star{};
    for (int s = 0; s < rows; ++s)
      for (int t = 0; t < columns; ++t) star.row[s][t] = std::max<Weight>(0, share(i, j, s, t));
    return node + star.best_matching();
  }
  if (std::min(rows, columns) > 12 || rows * columns > 400)
    return node + even_.best(i, j) + extra(i, j) * std::min(rows, columns);
  large_.resize(rows, columns);
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t) large_.at(s, t) = std::max<Weight>(0, share(i, j, s, t));
  return node + large_.solve();
}

}  // namespace graphedx
