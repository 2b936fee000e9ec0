#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "graphedx/large/node_types.hpp"

namespace graphedx {

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Names for the rows and columns of a table of savings, the same where each is the other's best partner.
void name_together(int rows, int columns, const std::vector<Weight>& table, int first, int stride,
                   std::vector<int>& row_names, std::vector<int>& column_names, Deadline& deadline) {
  const auto at = [&](int x, int y) { return table[static_cast<std::size_t>(x + first) * stride + y + first]; };
  std::vector<int> best_row(columns, -1);
  for (int x = 0; x < rows && !deadline.expired(); ++x)
    for (int y = 0; y < columns; ++y)
      if (best_row[y] < 0 || at(x, y) > at(best_row[y], y)) best_row[y] = x;
  row_names.resize(rows);
  column_names.resize(columns);
  std::iota(column_names.begin(), column_names.end(), rows);
  for (int x = 0; x < rows; ++x) {
    row_names[x] = x;
    if (deadline.expired()) continue;
    int best = -1;
    for (int y = 0; y < columns; ++y)
      if (best_row[y] == x && (best < 0 || at(x, y) > at(x, best))) best = y;
    for (int y = 0; y < columns && best >= 0; ++y)
      if (at(x, y) > at(x, best)) best = -1;
    if (best >= 0) column_names[best] = x;
  }
}

/// Nodes with equal keys have one type; types are numbered in the order of their keys.
NodeTypes partition(const std::vector<std::vector<int>>& keys) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return keys[x] < keys[y]; });
  NodeTypes types;
  types.type_of.resize(keys.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at == 0 || keys[order[at]] != keys[order[at - 1]]) types.members.emplace_back();
    types.type_of[order[at]] = types.size() - 1;
    types.members.back().push_back(order[at]);
  }
  return types;
}

}  // namespace

NodeTypes types_of(const Savings& savings, bool rows, Detail detail) {
  const Graph& graph = rows ? *savings.a : *savings.b;
  const std::vector<int>& classes = rows ? savings.row_class : savings.column_class;
  std::vector<std::vector<int>> keys(graph.size());
  for (int i = 0; i < graph.size(); ++i) {
    if (detail == Detail::kKinds) {
      for (int s = 0; s < graph.degree(i); ++s) keys[i].push_back(graph.neighbours(i)[s].kind);
      std::sort(keys[i].begin(), keys[i].end());
    } else if (detail == Detail::kDegree) {
      keys[i].push_back(graph.degree(i));
    }
    keys[i].push_back(classes[i]);
  }
  return partition(keys);
}

std::uint64_t branch_look(const Savings& savings, const Colours& colours, bool rows, int node, int from, int depth) {
  constexpr int kMostJoined = 16;  // of a hub within a branch only its being one counts: its degree may well be edited
  const Graph& graph = rows ? *savings.a : *savings.b;
  const std::vector<int>& kinds = rows ? colours.row_kinds : colours.column_kinds;
  std::uint64_t look = mixed(static_cast<std::uint64_t>((rows ? colours.of_rows : colours.of_columns)[0][node]) + 1);
  if (depth == 0) return look;
  if (graph.degree(node) > kMostJoined) return mixed(look + kMostJoined);
  for (int s = 0; s < graph.degree(node); ++s) {
    const Neighbour& to = graph.neighbours(node)[s];
    if (to.node == from) continue;
    look += mixed(mixed(static_cast<std::uint64_t>(kinds[to.kind - 1]) + 7) +
                  branch_look(savings, colours, rows, to.node, node, depth - 1));
  }
  return mixed(look);
}

Colours refine_together(const Savings& savings, int most_depth, Deadline& deadline) {
  std::vector<int> row_names, column_names;
  Colours colours;
  name_together(savings.row_classes, savings.column_classes, savings.node, 0, savings.column_classes, row_names,
                column_names, deadline);
  name_together(static_cast<int>(savings.a->kinds().size()), savings.column_kinds - 1, savings.edge, 1,
                savings.column_kinds, colours.row_kinds, colours.column_kinds, deadline);
  colours.of_rows.emplace_back(savings.rows);
  colours.of_columns.emplace_back(savings.columns);
  for (int i = 0; i < savings.rows; ++i) colours.of_rows[0][i] = row_names[savings.row_class[i]];
  for (int j = 0; j < savings.columns; ++j) colours.of_columns[0][j] = column_names[savings.column_class[j]];
  std::size_t before = 0;
  for (int d = 1; d <= most_depth; ++d) {
    std::unordered_map<std::uint64_t, int> number;
    bool expired = false;
    const auto refine = [&](const Graph& graph, const std::vector<int>& old, const std::vector<int>& kind_names) {
      std::vector<int> fresh(graph.size());
      for (int i = 0; i < graph.size() && !expired; ++i) {
        if (i % 256 == 0 && deadline.expired()) expired = true;
        std::uint64_t around = 0;  // a sum, so that the order of neighbours does not matter
        for (int s = 0; s < graph.degree(i); ++s) {
          const Neighbour& to = graph.neighbours(i)[s];
          around += mixed(mixed(static_cast<std::uint64_t>(kind_names[to.kind - 1]) + 0x9E3779B97F4A7C15u) +
                          static_cast<std::uint64_t>(old[to.node]));
        }
        const std::uint64_t key = mixed(around + mixed(static_cast<std::uint64_t>(old[i]) + 1));
        fresh[i] = number.emplace(key, static_cast<int>(number.size())).first->second;
      }
      return fresh;
    };
    std::vector<int> row_colours = refine(*savings.a, colours.of_rows.back(), colours.row_kinds);
    std::vector<int> column_colours = refine(*savings.b, colours.of_columns.back(), colours.column_kinds);
    if (expired || number.size() == before) break;
    before = number.size();
    colours.of_rows.push_back(std::move(row_colours));
    colours.of_columns.push_back(std::move(column_colours));
  }
  return colours;
}

}  // namespace graphedx
