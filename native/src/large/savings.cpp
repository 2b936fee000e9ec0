#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "graphedx/large/savings.hpp"

namespace graphedx {

namespace {

constexpr Weight kMostTotal = Weight{1} << 55;  // no sum of weights comes near kForbidden
constexpr Weight kFineness = 32;                // the least edge saving can be split into twice this many parts

/// Classes that occur, numbered from 0 in order; returns the old number of each.
std::vector<int> compress(const Graph& graph, std::vector<int>& class_of) {
  std::vector<int> used;
  std::unordered_map<int, int> number;
  for (int i = 0; i < graph.size(); ++i) {
    const auto [where, fresh] = number.try_emplace(graph.node_class(i), static_cast<int>(used.size()));
    if (fresh) used.push_back(graph.node_class(i));
    class_of.push_back(where->second);
  }
  return used;
}

}  // namespace

Savings::Savings(const Graph& source, const Graph& target, const CostTables& costs, Problem::Ties ties,
                 Deadline& deadline)
    : tied(Problem::is_tied(source, target)),
      swapped(Problem::is_swapped(source, target, ties)),
      lattice(costs, Problem::range(source, target, costs, &deadline)) {
  a = swapped ? &target : &source;
  b = swapped ? &source : &target;
  rows = a->size();
  columns = b->size();
  column_kinds = static_cast<int>(b->kinds().size()) + 1;
  const std::vector<int> row_names = compress(*a, row_class), column_names = compress(*b, column_class);
  row_classes = static_cast<int>(row_names.size());
  column_classes = static_cast<int>(column_names.size());

  for (int i = 0; i < source.size(); ++i) base += lattice.multiple(costs.node_del[source.node_class(i)]);
  for (int j = 0; j < target.size(); ++j) base += lattice.multiple(costs.node_ins[target.node_class(j)]);
  for (const Edge& e : source.edges()) base += lattice.multiple(costs.edge_del[e.label_class]);
  for (const Edge& e : target.edges()) base += lattice.multiple(costs.edge_ins[e.label_class]);

  const double total = Problem::total_cost(source, target, costs);
  const auto saving = [&](double remove, double insert, double substitute) {
    return Problem::is_forbidden(substitute, total)
               ? kForbidden
               : lattice.multiple(remove) + lattice.multiple(insert) - lattice.multiple(substitute);
  };
  node.reserve(static_cast<std::size_t>(row_classes) * column_classes);
  for (int x = 0; x < row_classes; ++x) {
    if (deadline.expired()) return;
    for (int y = 0; y < column_classes; ++y) {
      const int p = swapped ? column_names[y] : row_names[x], q = swapped ? row_names[x] : column_names[y];
      node.push_back(saving(costs.node_del[p], costs.node_ins[q], costs.node_substitution(p, q)));
    }
  }
  const auto one_way = [&](int x, int y) -> Weight {
    if (x < 0 || y < 0) return 0;
    if (swapped) std::swap(x, y);
    // Where substituting is dearer than replacing, replace.
    return std::max<Weight>(0, saving(costs.edge_del[x], costs.edge_ins[y], costs.edge_substitution(x, y)));
  };
  edge.assign((a->kinds().size() + 1) * column_kinds, 0);
  for (std::size_t s = 0; s < a->kinds().size(); ++s) {
    if (deadline.expired()) return;
    for (int t = 0; t + 1 < column_kinds; ++t) {
      const Kind &x = a->kinds()[s], &y = b->kinds()[t];
      edge[(s + 1) * column_kinds + t + 1] = one_way(x.out, y.out) + (source.directed() ? one_way(x.in, y.in) : 0);
    }
  }
  shift_and_divide(deadline);
  if (deadline.expired()) return;
  choose_scale();
  complete = !deadline.expired();
}

/// As in Problem: row constants go into the base, and what remains is divided by its greatest common divisor.
void Savings::shift_and_divide(Deadline& deadline) {
  mandatory = std::all_of(node.begin(), node.end(), [](Weight s) { return s >= 0; });
  if (mandatory && columns > 0) {
    std::vector<Weight> least(row_classes);
    for (int x = 0; x < row_classes && !deadline.expired(); ++x) {
      const auto row = node.begin() + static_cast<std::ptrdiff_t>(x) * column_classes;
      least[x] = *std::min_element(row, row + column_classes);
      for (int y = 0; y < column_classes; ++y) row[y] -= least[x];
    }
    for (int i = 0; i < rows; ++i) base -= least[row_class[i]];
  }
  Weight common = 0;
  for (int x = 0; x < row_classes && !deadline.expired(); ++x)
    for (int y = 0; y < column_classes; ++y)
      if (class_weight(x, y) != kForbidden && class_weight(x, y) != common) common = std::gcd(common, class_weight(x, y));
  for (Weight saving : edge) common = std::gcd(common, saving);
  step = std::max<Weight>(common, 1);
  for (Weight& saving : node)
    if (saving != kForbidden) saving /= step;
  for (Weight& saving : edge) saving /= step;
}

void Savings::choose_scale() {
  std::vector<Weight> most_of(row_classes, 0);
  for (int x = 0; x < row_classes; ++x)
    for (int y = 0; y < column_classes; ++y)
      if (class_weight(x, y) != kForbidden) most_of[x] = std::max(most_of[x], std::abs(class_weight(x, y)));
  Weight most = 0, least_edge = 0, most_edge = 0;
  for (int i = 0; i < rows; ++i) most += most_of[row_class[i]];
  for (Weight saving : edge) {
    if (saving > 0 && (least_edge == 0 || saving < least_edge)) least_edge = saving;
    most_edge = std::max(most_edge, saving);
  }
  most += most_edge * static_cast<Weight>(std::min(a->edges().size(), b->edges().size()));
  const Weight preferred = least_edge == 0 ? 2 : 2 * std::max<Weight>(1, kFineness / least_edge);
  scale = most < kMostTotal / preferred ? preferred : 2;
  for (Weight& saving : node)
    if (saving != kForbidden) saving *= scale;
  for (Weight& saving : edge) saving *= scale;
}

Weight Savings::gain(int i, int j, const std::vector<int>& column_of, const std::vector<int>& row_of) const {
  Weight total = node_weight(i, j);
  if (a->degree(i) <= b->degree(j)) {
    const Neighbour* list = a->neighbours(i);
    for (int s = 0; s < a->degree(i); ++s)
      if (column_of[list[s].node] >= 0) total += edge_weight(list[s].kind, b->kind(j, column_of[list[s].node]));
  } else {
    const Neighbour* list = b->neighbours(j);
    for (int t = 0; t < b->degree(j); ++t)
      if (row_of[list[t].node] >= 0) total += edge_weight(a->kind(i, row_of[list[t].node]), list[t].kind);
  }
  return total;
}

Weight Savings::value_of(const std::vector<int>& column_of) const {
  Weight total = 0;
  for (int i = 0; i < rows; ++i) {
    if (column_of[i] < 0) continue;
    total += node_weight(i, column_of[i]);
    const Neighbour* list = a->neighbours(i);
    for (int s = 0; s < a->degree(i) && list[s].node < i; ++s)
      if (column_of[list[s].node] >= 0) total += edge_weight(list[s].kind, b->kind(column_of[i], column_of[list[s].node]));
  }
  return total;
}

std::vector<int> Savings::images(const std::vector<int>& column_of) const {
  return swapped ? inverted(column_of, columns) : column_of;
}

}  // namespace graphedx
