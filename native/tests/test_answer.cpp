// Answers of certified() without a mapping: graphedx_test_answer. No randomness, no clock.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "graphedx/answer.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/tree_proof.hpp"
#include "mapping_faults.hpp"

using namespace graphedx;

namespace {

struct Case {
  const char* name;
  CostTables costs;
  bool mandatory;
};

Graph path(int n, int label) {
  std::vector<Edge> edges;
  for (int i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1, 0});
  return Graph(std::vector<int>(n, label), edges, false);
}

/// Certifies every mixture of savings and bounds that a search without a mapping may report.
std::string check(const Case& test, const Graph& source, const Graph& target) {
  const Task task{source, target, test.costs};
  for (const auto ties : {Problem::Ties::kKeep, Problem::Ties::kSwap}) {
    const Problem problem(source, target, test.costs, ties);
    if (problem.mandatory != test.mandatory) return "the problem is not of the expected kind";
    for (const double seconds : {0.0, static_cast<double>(INFINITY)}) {
      Deadline deadline(seconds, nullptr, nullptr);
      deadline.expired();
      for (const std::int64_t most : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, problem.most_savings()}) {
        if (const char* what = fault(task, certified(task, problem, {}, -1, most, deadline))) return what;
        const double total = Problem::total_cost(source, target, test.costs);
        for (const double cutoff : {0.0, 0.3 * total, total, 3 * total, static_cast<double>(INFINITY)})
          for (const bool finished : {false, true}) {
            const Task cut{source, target, test.costs, cutoff};
            const Outcome outcome{threshold_of_cutoff(problem, cutoff), -1, most, most, finished};
            if (const char* what = fault(cut, certified(cut, problem, {}, outcome, deadline))) return what;
          }
      }
    }
    // Where no bound is known either, the true distance must remain inside the interval.
    Deadline never(INFINITY, nullptr, nullptr);
    const Answer open = certified(task, problem, {}, -1, problem.most_savings(), never);
    const Answer none = certified(task, problem, problem.fallback_columns(), 0, problem.most_savings(), never);
    if (open.images != none.images || open.lower != none.lower) return "not the fallback mapping";
  }
  return "";
}

}  // namespace

int main() {
  const std::vector<Case> cases{
      {"unit costs", {{1, 1}, {1, 1}, {0, 1, 1, 0}, {1}, {1}, {0}}, true},
      {"no cost at all", {{0, 0}, {0, 0}, {0, 0, 0, 0}, {0}, {0}, {0}}, true},
      {"free nodes", {{0, 0}, {0, 0}, {0, 0, 0, 0}, {3}, {2}, {0}}, true},
      {"dear substitutions", {{1, 1}, {1, 1}, {5, 5, 5, 5}, {1}, {1}, {0}}, false},
      {"forbidden substitutions", {{1, 1}, {1, 1}, {1e290, 1e290, 1e290, 1e290}, {1}, {1}, {0}}, false},
      {"real-valued costs", {{M_PI, 1}, {M_E, 1}, {0.1, 0.7, 0.7, 0.1}, {M_SQRT2}, {M_LN2}, {1e-9}}, true},
  };
  int done = 0;
  for (const Case& test : cases)
    for (const auto& [n, m] : std::vector<std::pair<int, int>>{{1, 1}, {3, 5}, {5, 3}, {4, 4}, {40, 35}}) {
      const std::string what = check(test, path(n, 0), path(m, 1));
      if (!what.empty()) return std::printf("%s, %d and %d nodes: %s\n", test.name, n, m, what.c_str()), 1;
      ++done;
    }
  for (const auto& [n, m] : std::vector<std::pair<int, int>>{{0, 0}, {0, 3}, {3, 0}}) {
    const std::string what = check(cases.front(), path(n, 0), path(m, 1));
    if (!what.empty()) return std::printf("%d and %d nodes: %s\n", n, m, what.c_str()), 1;
    ++done;
  }
  std::printf("%d passed, 0 failed\n", done);
}
