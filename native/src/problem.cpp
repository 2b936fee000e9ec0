#include "graphedx/problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace graphedx {

namespace {

using Savings = std::vector<std::int64_t>;

double largest(const std::vector<double>& costs) {
  return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
}

/// Savings by class: what deleting a and inserting b costs more than substituting; may be negative.
Savings class_savings(const Lattice& lattice, double total, const std::vector<double>& del,
                      const std::vector<double>& ins, const std::vector<double>& sub) {
  Savings result(sub.size());
  for (std::size_t a = 0; a < del.size(); ++a)
    for (std::size_t b = 0; b < ins.size(); ++b) {
      const double cost = sub[a * ins.size() + b];
      result[a * ins.size() + b] =
          Problem::is_forbidden(cost, total) ? Problem::kForbidden
                             : lattice.multiple(del[a]) + lattice.multiple(ins[b]) - lattice.multiple(cost);
    }
  return result;
}

}  // namespace

double Problem::total_cost(const Graph& source, const Graph& target, const CostTables& costs) {
  double total = 0;
  for (int i = 0; i < source.size(); ++i) total += costs.node_del[source.node_class(i)];
  for (int j = 0; j < target.size(); ++j) total += costs.node_ins[target.node_class(j)];
  for (const Edge& e : source.edges()) total += costs.edge_del[e.label_class];
  for (const Edge& e : target.edges()) total += costs.edge_ins[e.label_class];
  return total;
}

bool Problem::is_forbidden(double substitution, double total) { return substitution > 1.5 * total; }

double Problem::range(const Graph& source, const Graph& target, const CostTables& costs, Deadline* deadline) {
  const double total = total_cost(source, target, costs);
  const double pairs = static_cast<double>(std::min(source.edges().size(), target.edges().size()));
  const double ways = source.directed() ? 2 : 1;  // edges that a pair of nodes may have
  const double any_node = std::max(largest(costs.node_del) + largest(costs.node_ins), largest(costs.node_sub));
  const double any_edge = largest(costs.edge_del) + largest(costs.edge_ins);
  if (2 * (std::max(source.size(), target.size()) * any_node + ways * pairs * any_edge) <= 4 * total) return 4 * total;

  std::map<int, double> own, others, own_edges, other_edges;  // how often each class is there
  for (int i = 0; i < source.size(); ++i) ++own[source.node_class(i)];
  for (int j = 0; j < target.size(); ++j) ++others[target.node_class(j)];
  for (const Edge& e : source.edges()) ++own_edges[e.label_class];
  for (const Edge& e : target.edges()) ++other_edges[e.label_class];

  double of_source = 0, edge = 0;
  std::map<int, double> most_of_other;
  for (const auto& [a, count] : own) {
    if (deadline && deadline->expired()) break;
    double most = 0;
    for (const auto& [b, other_count] : others) {
      const double substitution = costs.node_substitution(a, b);
      if (is_forbidden(substitution, total)) continue;
      const double saved = std::abs(costs.node_del[a] + costs.node_ins[b] - substitution);
      most = std::max(most, saved);
      double& most_of = most_of_other[b];
      most_of = std::max(most_of, saved);
    }
    of_source += count * most;
  }
  double of_target = 0;
  for (const auto& [b, most] : most_of_other) of_target += others[b] * most;
  for (const auto& [a, count] : own_edges) {
    if (deadline && deadline->expired()) break;
    for (const auto& [b, other_count] : other_edges)
      edge = std::max(edge, costs.edge_del[a] + costs.edge_ins[b] - costs.edge_substitution(a, b));
  }
  return std::max(4 * total, 2 * (std::max(of_source, of_target) + ways * pairs * edge));
}

bool Problem::is_tied(const Graph& source, const Graph& target) {
  return source.size() == target.size() && source.edges().size() == target.edges().size();
}

bool Problem::is_swapped(const Graph& source, const Graph& target, Ties ties) {
  if (is_tied(source, target)) return ties == Ties::kSwap;
  return source.size() != target.size() ? source.size() > target.size() : source.edges().size() > target.edges().size();
}

Problem::Problem(const Graph& source, const Graph& target, const CostTables& costs, Ties ties)
    : tied(is_tied(source, target)),
      swapped(is_swapped(source, target, ties)),
      lattice(costs, range(source, target, costs)) {
  row_graph = swapped ? &target : &source;
  column_graph = swapped ? &source : &target;
  rows = row_graph->size();
  columns = column_graph->size();
  column_kinds = static_cast<int>(column_graph->kinds().size()) + 1;

  for (int i = 0; i < source.size(); ++i) base += lattice.multiple(costs.node_del[source.node_class(i)]);
  for (int j = 0; j < target.size(); ++j) base += lattice.multiple(costs.node_ins[target.node_class(j)]);
  for (const Edge& e : source.edges()) base += lattice.multiple(costs.edge_del[e.label_class]);
  for (const Edge& e : target.edges()) base += lattice.multiple(costs.edge_ins[e.label_class]);

  const double total = total_cost(source, target, costs);
  const Savings node_class = class_savings(lattice, total, costs.node_del, costs.node_ins, costs.node_sub);
  const std::size_t node_stride = costs.node_ins.size();
  node_savings.resize(static_cast<std::size_t>(rows) * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const int a = row_graph->node_class(i), b = column_graph->node_class(j);
      node_savings[static_cast<std::size_t>(i) * columns + j] =
          swapped ? node_class[b * node_stride + a] : node_class[a * node_stride + b];
    }

  Savings edge_class = class_savings(lattice, total, costs.edge_del, costs.edge_ins, costs.edge_sub);
  for (auto& saving : edge_class) saving = std::max<std::int64_t>(saving, 0);  // dearer than replacing: replace
  const std::size_t edge_stride = costs.edge_ins.size();
  const auto edge = [&](int a, int b) -> std::int64_t {
    if (a < 0 || b < 0) return 0;
    return swapped ? edge_class[b * edge_stride + a] : edge_class[a * edge_stride + b];
  };
  edge_savings.assign((row_graph->kinds().size() + 1) * column_kinds, 0);
  for (std::size_t s = 0; s < row_graph->kinds().size(); ++s)
    for (int t = 0; t + 1 < column_kinds; ++t) {
      const Kind &x = row_graph->kinds()[s], &y = column_graph->kinds()[t];
      edge_savings[(s + 1) * column_kinds + t + 1] = edge(x.out, y.out) + (source.directed() ? edge(x.in, y.in) : 0);
    }

  mandatory = std::all_of(node_savings.begin(), node_savings.end(), [](std::int64_t s) { return s >= 0; });
  if (mandatory && columns > 0)
    for (int i = 0; i < rows; ++i) {
      const auto row = node_savings.begin() + static_cast<std::ptrdiff_t>(i) * columns;
      const std::int64_t least = *std::min_element(row, row + columns);
      base -= least;
      for (int j = 0; j < columns; ++j) row[j] -= least;
    }
  std::int64_t common = 0, last = 0;  // most are the same as the one before
  for (std::int64_t saving : node_savings) {
    if (saving == last || saving == kForbidden) continue;
    common = std::gcd(common, saving);
    last = saving;
  }
  for (std::int64_t saving : edge_savings) common = std::gcd(common, saving);
  step = std::max<std::int64_t>(common, 1);
  if (step > 1)
    for (auto& saving : node_savings)
      if (saving != kForbidden) saving /= step;
  for (auto& saving : edge_savings) saving /= step;
  find_most_savings();
}

void Problem::find_most_savings() {
  std::int64_t total = 0;
  for (int i = 0; i < rows; ++i) {
    std::int64_t most = 0;
    for (int j = 0; j < columns; ++j)
      if (node_saving(i, j) != kForbidden) most = std::max(most, std::abs(node_saving(i, j)));
    total += most;
  }
  const std::int64_t edge = edge_savings.empty() ? 0 : *std::max_element(edge_savings.begin(), edge_savings.end());
  const std::size_t common_edges = std::min(row_graph->edges().size(), column_graph->edges().size());
  most_savings_ = total + edge * static_cast<std::int64_t>(common_edges);
}

std::vector<int> Problem::columns_of(const std::vector<int>& images) const {
  return swapped ? inverted(images, rows) : images;
}

std::vector<int> Problem::fallback_columns() const {
  std::vector<int> column_of(rows, -1);
  if (mandatory) std::iota(column_of.begin(), column_of.end(), 0);
  return column_of;
}

std::vector<int> Problem::images(const std::vector<int>& column_of) const {
  return swapped ? inverted(column_of, columns) : column_of;
}

std::vector<int> inverted(const std::vector<int>& images, int size) {
  std::vector<int> result(size, -1);
  for (std::size_t i = 0; i < images.size(); ++i)
    if (images[i] >= 0) result[images[i]] = static_cast<int>(i);
  return result;
}

}  // namespace graphedx
