// How many edges a mapping may lose that costs no more than so much: what rules out graphs that have to lose more.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphedx/collection/collection.hpp"
#include "graphedx/collection/remnants.hpp"
#include "graphedx/costs.hpp"

namespace graphedx {

/// For an undirected query. Labels of edges are left aside: a mapping keeps an edge if there is one between the images.
class EdgeBudget {
 public:
  /// Who is `patient` asks for many graphs: at some point keys are made that make it quicker for each. When that is, depends
  /// on who asks first, and so may what is told wrongly of a graph that cannot meet a demand.
  EdgeBudget(const Graph& query, const CostTables& costs, bool patient);

  /// All mappings within the cutoff keep so many edges that both graphs lose no more than this.
  struct Demand {
    Remnants::Own own;
    int lost;       ///< negative if one of the graphs has fewer edges than have to be kept
    double ways;    ///< to lose them, of the graph
    double beyond;  ///< the least that mappings cost which lose more
  };
  /// None if there are mappings within the cutoff that keep nothing, or if there are too many ways to try them. Throws
  /// std::invalid_argument on labels that have no costs, as a damaged file may have.
  std::optional<Demand> demand(const GraphContent& graph, double cutoff);

  /// False if no mapping keeps as many.
  bool can_be_met(const Demand& demand, const GraphContent& graph) const;

 private:
  /// What nodes of a class save at most that are mapped to the class that suits them best, and to any other.
  struct Match {
    int best;
    double saved, saved_else;
  };
  static std::vector<Match> matches(const CostTables& costs, bool of_target);
  /// At least what all nodes of one graph save together.
  static double most_saved(const std::vector<Match>& matches, const std::vector<int>& own, const std::vector<int>& others);
  static std::vector<int> counts(const std::vector<int>& classes, std::size_t size);

  bool is_worth_gaining(int own_lost, double saved);

  const CostTables& costs_;
  const Remnants remnants_;
  const bool patient_;
  const std::vector<Match> of_query_, of_graph_;
  std::vector<int> classes_;  // of the query: how many nodes each has
  std::size_t edges_;
  double nodes_deleted_ = 0, edge_deleted_, edge_inserted_;  // what the query's nodes cost; what an edge does at least
  std::array<std::atomic<std::int64_t>, Remnants::kMostLost + 1> spared_{};  // ways, if the query had gained an edge
};

}  // namespace graphedx
