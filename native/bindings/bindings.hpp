// Parts of the module that have files of their own, and what they share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graphedx/graph.hpp"

/// Python's signal handlers run in the main thread only; elsewhere this is a cheap "no".
inline bool signal_arrived() {
  nanobind::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

/// Set from one thread, seen by searches in others.
struct CancelFlag {
  std::atomic<bool> raised{false};
};

using Ends = std::vector<std::pair<int, int>>;

inline std::vector<graphedx::Edge> edges_of(const Ends& ends, const std::vector<int>& edge_classes) {
  if (ends.size() != edge_classes.size()) throw std::invalid_argument("one class an edge is needed");
  std::vector<graphedx::Edge> edges;
  edges.reserve(ends.size());
  for (std::size_t e = 0; e < ends.size(); ++e) edges.push_back({ends[e].first, ends[e].second, edge_classes[e]});
  return edges;
}

/// Many graphs that pairs refer to by position; keeps them alive.
struct GraphList {
  nanobind::list owners;
  std::vector<const graphedx::Graph*> graphs;
};

using Pairs = nanobind::ndarray<const std::int32_t, nanobind::shape<-1, 2>, nanobind::c_contig, nanobind::device::cpu>;

inline void check_pairs(const GraphList& list, const Pairs& pairs) {
  for (std::size_t p = 0; p < pairs.shape(0); ++p)
    for (int side = 0; side < 2; ++side)
      if (pairs(p, side) < 0 || static_cast<std::size_t>(pairs(p, side)) >= list.graphs.size())
        throw std::invalid_argument("pair names a graph that is not there");
}

void add_brackets(nanobind::module_& m);
void add_checksum(nanobind::module_& m);
void add_collection(nanobind::module_& m);
void add_encoder(nanobind::module_& m);
void add_set_terms(nanobind::module_& m);
