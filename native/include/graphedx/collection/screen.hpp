// Lower bounds on the distances of a query to all graphs of a collection at once, for any costs.
//
// What a mapping saves is at most the best assignment of stars to stars: s(a, b) for a node of the query that has star a
// and one of the graph that has star b. By duality, for any prices u(a) >= 0 of the query's stars,
//
//   savings <= sum of u over the query's nodes + sum over the graph's nodes of v(b),  v(b) = max(0, max_a s(a, b) - u(a)),
//
// which is linear in how often the graph has each star. Prices that are the best for one graph are good for those like
// it: a few of them, each tried on all graphs, come close to an assignment for each graph, at the price of reading its
// counts of stars.
#pragma once

#include <vector>

#include "graphedx/collection/collection.hpp"
#include "graphedx/costs.hpp"

namespace graphedx {

/// Which labels costs can tell apart; others are read as if they were all the same.
struct Sight {
  bool nodes, edges;
};

class Screen {
 public:
  /// Takes time in proportion to the counted stars of all graphs, and to the pairs of different stars.
  Screen(const Collection& collection, const Graph& query, const CostTables& costs, Sight sight, int threads);

  /// No distance of the query to a graph is below this.
  const std::vector<double>& lower() const { return lower_; }

 private:
  using Prices = std::vector<double>;  // one for each star of the query

  void fill_savings(const std::vector<Star>& of_query, const CostTables& costs, Sight sight);
  void raise(const Prices& prices);
  Prices prices_for(std::size_t graph) const;
  std::size_t graph_of_rank(std::size_t rank) const;
  void round_up(const CostTables& costs);

  const Collection& collection_;
  int threads_;
  std::vector<int> counts_;        // how often the query has each of its stars
  std::vector<double> savings_;    // (stars of the collection, stars of the query)
  std::vector<double> insertion_;  // of a node with this star, and half of each of its edges
  double deletion_ = 0;            // of the whole query
  double scale_ = 0;               // the largest saving
  std::vector<double> lower_;
};

}  // namespace graphedx
