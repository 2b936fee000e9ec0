// Bindings of the set terms: check, convert, release the GIL. No algorithm lives here.
#include "graphedx/set_terms.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graphedx/set_terms/plans.hpp"

namespace nb = nanobind;
using namespace graphedx;

namespace {

using Pairs = Array<std::int32_t, nb::shape<-1, 2>>;
template <class T>
using Noise = Array<T, nb::ndim<3>>;  // empty: none

template <class T>
AlignmentNoise<T> noise_of(const Noise<T>& noise, const Pairs& pairs) {
  if (noise.size() == 0) return {};
  if (noise.shape(0) != pairs.shape(0) || noise.shape(1) != noise.shape(2))
    throw std::invalid_argument("noise must have a square matrix for each pair");
  return {noise.data(), noise.shape(1)};
}

template <class T>
EncodedGraphs<T> encoded(const Vectors<T>& node, const Vectors<T>& align, const Vector<T>& align_pad,
                         const Vectors<T>& pair, const Vector<T>& pair_pad, const Vector<std::uint8_t>& adjacency,
                         const Vector<std::int64_t>& offsets, const Vector<std::int64_t>& alike) {
  const auto fits = [](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
  };
  fits(offsets.shape(0) > 0, "offsets must begin with 0, but are empty");
  fits(align.shape(0) == node.shape(0), "align must have a row for each of the " + std::to_string(node.shape(0)) +
                                            " nodes, got " + std::to_string(align.shape(0)));
  fits(align_pad.shape(0) == align.shape(1), "align_pad must have the " + std::to_string(align.shape(1)) +
                                                 " features of align, got " + std::to_string(align_pad.shape(0)));
  fits(pair_pad.shape(0) == pair.shape(1), "pair_pad must have the " + std::to_string(pair.shape(1)) +
                                               " features of pair, got " + std::to_string(pair_pad.shape(0)));
  const bool any_alike = alike.shape(0) > 0;  // empty: none are
  fits(!any_alike || alike.shape(0) == node.shape(0), "alike must have a number for each of the " +
                                                          std::to_string(node.shape(0)) + " nodes, got " +
                                                          std::to_string(alike.shape(0)));
  return {offsets.shape(0) - 1, offsets.data(),   node.shape(0), node.shape(1),    align.shape(1), pair.shape(0),
          pair.shape(1),        adjacency.shape(0), node.data(),   align.data(),     align_pad.data(), pair.data(),
          pair_pad.data(),      adjacency.data(), any_alike ? alike.data() : nullptr};
}

SetTerm term_of(int number) {
  if (number < 0 || number > 3) throw std::invalid_argument("a set term is 0, 1, 2 or 3, got " + std::to_string(number));
  return static_cast<SetTerm>(number);
}

AlignBy align_by_of(int number) {
  if (number < 0 || number > 1) throw std::invalid_argument("align_by is 0 or 1, got " + std::to_string(number));
  return static_cast<AlignBy>(number);
}

template <class T>
using Matrices = Array<T, nb::ndim<3>>;

template <class T>
Scores<T> scores_of(const Matrices<T>& values, const Vectors<T>& row_weights, const Vectors<T>& column_weights) {
  const std::size_t count = values.shape(0), rows = values.shape(1), columns = values.shape(2);
  if (row_weights.shape(0) != count || row_weights.shape(1) != rows || column_weights.shape(0) != count ||
      column_weights.shape(1) != columns)
    throw std::invalid_argument("weights must have one number for each row and each column of scores");
  return {count, rows, columns, values.data(), row_weights.data(), column_weights.data()};
}

/// A pass and the arrays that it reads.
template <class T>
struct KeptTerms {
  std::tuple<Vectors<T>, Vectors<T>, Vector<T>, Vectors<T>, Vector<T>, Vector<std::uint8_t>, Vector<std::int64_t>,
             Vector<std::int64_t>, Noise<T>>
      arrays;
  std::unique_ptr<SetTermsPass<T>> pass;
};

template <class T>
void add_pass(nb::module_& m, const char* name) {
  nb::class_<KeptTerms<T>>(m, name).def(
      "backward",
      [](KeptTerms<T>& kept, const Vectors<T>& d_terms) {
        const EncodedGraphs<T>& graphs = kept.pass->graphs();
        if (d_terms.shape(0) != kept.pass->count() || d_terms.shape(1) != kept.pass->terms())
          throw std::invalid_argument("d_terms must have a row for each pair, with as many numbers as there are terms");
        Owned<T> d_node(graphs.nodes, graphs.node_features), d_align(graphs.nodes, graphs.align_features);
        Owned<T> d_align_pad(1, graphs.align_features), d_pair_pad(1, graphs.pair_features);
        Owned<T> d_pair(graphs.node_pairs, graphs.pair_features);
        {
          nb::gil_scoped_release release;
          kept.pass->backward(d_terms.data(),
                              {d_node.data, d_align.data, d_align_pad.data, d_pair.data, d_pair_pad.data});
        }
        return nb::make_tuple(d_node.release(), d_align.release(), d_align_pad.release(), d_pair.release(),
                              d_pair_pad.release());
      },
      "Gradients of the first five arrays; those of vectors for padding have one row. GIL released.");
}

template <class T>
void add_functions(nb::module_& m) {
  m.def("set_terms",
        [](const Vectors<T>& node, const Vectors<T>& align, const Vector<T>& align_pad, const Vectors<T>& pair,
           const Vector<T>& pair_pad, const Vector<std::uint8_t>& adjacency, const Vector<std::int64_t>& offsets,
           const Vector<std::int64_t>& alike, const Pairs& pairs, int node_term, int edge_term, double temperature,
           int iterations, std::int64_t padded_nodes, int threads, int align_by, int edges_only,
           std::size_t pair_align_features, const Noise<T>& noise, bool keep) {
          const EncodedGraphs<T> graphs = encoded<T>(node, align, align_pad, pair, pair_pad, adjacency, offsets, alike);
          const SetTermOptions options{term_of(node_term), term_of(edge_term), temperature, iterations, padded_nodes,
                                       threads, align_by_of(align_by), edges_only != 0,
                                       pair_align_features};
          const AlignmentNoise<T> told = noise_of<T>(noise, pairs);
          Owned<T> terms(pairs.shape(0), options.terms());
          auto kept = std::make_unique<KeptTerms<T>>();
          {
            nb::gil_scoped_release release;
            using Pass = SetTermsPass<T>;
            kept->pass = std::make_unique<Pass>(graphs, pairs.data(), pairs.shape(0), options, told,
                                                keep ? Pass::Keep::all : Pass::Keep::nothing);
            kept->pass->forward(terms.data);
          }
          if (!keep) return nb::make_tuple(terms.release(), nb::none());
          kept->arrays = {node, align, align_pad, pair, pair_pad, adjacency, offsets, alike, noise};
          return nb::make_tuple(terms.release(), nb::cast(std::move(kept)));
        },
        "The four or five terms of every pair (K, 4 or 5), and where it is kept the pass, for gradients; GIL released.");
  m.def("alignment_plan",
        [](const Vectors<T>& node, const Vectors<T>& align, const Vector<T>& align_pad, const Vectors<T>& pair,
           const Vector<T>& pair_pad, const Vector<std::uint8_t>& adjacency, const Vector<std::int64_t>& offsets,
           const Vector<std::int64_t>& alike, const Pairs& pairs, double temperature, int iterations, std::int64_t padded_nodes) {
          const EncodedGraphs<T> graphs = encoded<T>(node, align, align_pad, pair, pair_pad, adjacency, offsets, alike);
          const SetTermOptions options{SetTerm::align_diff, SetTerm::align_diff, temperature, iterations,
                                       padded_nodes, 1};
          if (pairs.shape(0) != 1) throw std::invalid_argument("a plan is of one pair");
          const std::size_t size = plan_size(graphs, pairs.data(), options);
          Owned<T> plan(size, size);
          {
            nb::gil_scoped_release release;
            alignment_plan(graphs, pairs.data(), options, plan.data);
          }
          return plan.release();
        },
        "The alignment of one pair, padding nodes included (N, N).");
  m.def("sinkhorn_plans",
        [](const Matrices<T>& values, const Vectors<T>& row_weights, const Vectors<T>& column_weights, int iterations,
           int threads) {
          const Scores<T> scores = scores_of<T>(values, row_weights, column_weights);
          Owned<T> plans(scores.count, scores.rows * scores.columns);
          {
            nb::gil_scoped_release release;
            sinkhorn_plans(scores, iterations, threads, plans.data);
          }
          return plans.release();
        },
        "The plans of scores (K, R, C), as (K, R * C); GIL released.");
  m.def("sinkhorn_plans_backward",
        [](const Matrices<T>& values, const Vectors<T>& row_weights, const Vectors<T>& column_weights, int iterations,
           int threads, const Matrices<T>& d_plans) {
          const Scores<T> scores = scores_of<T>(values, row_weights, column_weights);
          for (int axis = 0; axis < 3; ++axis)
            if (d_plans.shape(axis) != values.shape(axis))
              throw std::invalid_argument("d_plans must have the shape of scores");
          Owned<T> d_scores(scores.count, scores.rows * scores.columns);
          {
            nb::gil_scoped_release release;
            sinkhorn_plans_backward(scores, iterations, threads, d_plans.data(), d_scores.data);
          }
          return d_scores.release();
        },
        "The gradients of the scores, as (K, R * C); GIL released.");
}

}  // namespace

void add_set_terms(nb::module_& m) {
  add_pass<float>(m, "SetTermsPass32");
  add_pass<double>(m, "SetTermsPass64");
  add_functions<float>(m);
  add_functions<double>(m);
}
