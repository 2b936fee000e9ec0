#include "graphedx/implicit_weights.hpp"

namespace graphedx {

ImplicitWeights::ImplicitWeights(const Savings& savings, const TypeBound& types)
    : savings_(savings), types_(types), extra_(types.weights.size()), even_(savings) {
  std::vector<int> row_degree(types.rows.size(), 0), column_degree(types.columns.size(), 0);
  for (int i = 0; i < savings.rows; ++i)
    row_degree[types.rows.type_of[i]] = std::max(row_degree[types.rows.type_of[i]], savings.a->degree(i));
  for (int j = 0; j < savings.columns; ++j)
    column_degree[types.columns.type_of[j]] = std::max(column_degree[types.columns.type_of[j]], savings.b->degree(j));
  for (int x = 0; x < types.rows.size(); ++x)
    for (int y = 0; y < types.columns.size(); ++y) {
      const Weight weight = types.weight(x, y);
      extra_[static_cast<std::size_t>(x) * types.columns.size() + y] =
          weight == Savings::kForbidden
              ? kUnlimited
              : (types.u[x] + types.v[y] - weight) / (2 * std::max(1, std::min(row_degree[x], column_degree[y])));
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
    return node + even_.exact(i, j) + extra(i, j) * std::min(rows, columns);
  large_.resize(rows, columns);
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t) large_.at(s, t) = std::max<Weight>(0, share(i, j, s, t));
  return node + large_.solve();
}

}  // namespace graphedx
