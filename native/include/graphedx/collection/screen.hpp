// Lower bounds on the distances of a query to all graphs of a collection at once, for any costs.
//
// What a mapping saves is at most the best assignment of nodes to nodes, if s(a, b) is the most that a node with
// neighbourhood a saves that is mapped to one with neighbourhood b. By duality, for any prices u(a) >= 0 of those of the
// query,
//
//   savings <= sum of u over the query's nodes + sum over the graph's nodes of v(b),  v(b) = max(0, max_a s(a, b) - u(a)),
//
// which is linear in how often the graph has each neighbourhood. Prices that are the best for one graph are good for
// those like it: a few of them, each tried on all graphs, come close to an assignment for each graph, at the price of
// reading its counts.
//
// Neighbourhoods are stars first, where half of an edge's cost is at either end. Then they are views: a part of what a
// mapped node costs for certain, which its star says, is passed on to its neighbours along the edges that are kept, in
// equal shares, so that a node is only cheap if its neighbours are, too.
#pragma once

#include <optional>
#include <vector>

#include "graphedx/collection/collection.hpp"
#include "graphedx/costs.hpp"
#include "graphedx/deadline.hpp"

namespace graphedx {

class Screen {
 public:
  /// Takes time in proportion to the counts of all graphs, and to the pairs of different neighbourhoods. If time runs out
  /// over those, bounds are lower, down to zero.
  Screen(const Collection& collection, const Graph& query, const CostTables& costs, Labels labels, int threads,
         const Deadline& until);

  /// No distance of the query to a graph is below this.
  const std::vector<double>& lower() const { return lower_; }

  /// The same for one graph, at least as high: by an assignment of its own, which takes some microseconds.
  double tighter(std::size_t graph) const;

  /// A lower bound on its distance, raised to the next distance that there can be.
  double rounded_up(std::size_t graph, double bound) const;

 private:
  /// What is known of neighbourhoods of one sort.
  struct Table {
    std::vector<int> counts;         // how often the query has each of its own
    std::vector<double> savings;     // (the collection's, the query's)
    std::vector<double> insertion;   // of a node of the collection, and half of each of its edges
    std::vector<std::uint32_t> of_view;  // the collection's number of each view's; empty if these are views
    double scale = 0;                // the largest saving

    std::size_t number(std::uint32_t view) const { return of_view.empty() ? view : of_view[view]; }
  };
  using Prices = std::vector<double>;  // one for each neighbourhood of the query
  struct Assigned {
    Prices prices;
    double saved;  // no assignment saves more
  };

  void screen_by(Table& table);
  void raise(const Table& table, const std::vector<Prices>& all);
  std::optional<Assigned> assigned(const Table& table, std::size_t graph) const;
  std::vector<std::size_t> graphs_of_ranks() const;
  void find_steps(const Table& by_star, const CostTables& costs);

  const Collection& collection_;
  int threads_;
  double deletion_ = 0;  // of the whole query
  double halves_ = 0;                // of the costs' unit in 1
  std::int64_t step_ = 0;            // in halves; 0 if costs have no unit
  std::vector<std::int64_t> start_;  // distances to each graph are whole numbers of steps below it
  Table views_;
  std::vector<double> lower_;
};

}  // namespace graphedx
