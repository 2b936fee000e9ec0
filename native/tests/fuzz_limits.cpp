// Every method on pairs of up to 900 nodes, stopped at random points: graphedx_fuzz_limits [pairs] [seed] [seconds] [nodes]
//
// Every fifteenth pair is dense and too large for a first mapping to be tried: `auto` is stopped after 1, 2, 3, ... queries of
// the time. Pair p has the seed `seed` + p, so `graphedx_fuzz_limits 1 S` repeats the pair of seed S. Most limits are on a simulated
// clock (Deadline::simulated), which expires at the same point in every run; `seconds` ends the run early, and no graph has
// more than `nodes` nodes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "graphedx/bracket.hpp"
#include "graphedx/improve.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/within.hpp"
#include "mapping_faults.hpp"
#include "large_pairs.hpp"

using namespace graphedx;

namespace {

constexpr double kRounding = 1e-12;

bool at_most(double x, double y) { return x <= y * (1 + kRounding); }

/// What all answers to one pair have in common: no lower bound may exceed an upper bound.
struct Known {
  double lower = 0, upper = INFINITY;
  std::string lower_by = "nothing", upper_by = "nothing";
};

/// The same, for an answer that is final.
const char* final_fault(const Task& task, const Answer& answer, const Deadline& deadline) {
  if (const char* what = mapping_fault(task, answer)) return what;
  if ((answer.stop == Stop::kProved) != (answer.lower == answer.upper)) return "proved, but no single value, or the reverse";
  if (answer.stop == Stop::kCutoff && !(answer.lower > task.cutoff)) return "a cutoff that is not exceeded";
  if (answer.stop == Stop::kTime && !deadline.struck()) return "out of time without a limit that expired";
  if (answer.stop == Stop::kPatience && !deadline.ran_out_of_patience()) return "out of patience too early";
  return answer.stop == Stop::kInterrupted && !deadline.was_interrupted() ? "interrupted by nothing" : nullptr;
}

/// Compares an answer with all others of the pair. Totals below any lattice unit prove nothing, and are not compared.
std::string contradiction(Known& known, const Answer& answer, const std::string& by) {
  if (!at_most(answer.lower, known.upper)) return "a lower bound above the upper bound of " + known.upper_by;
  if (!at_most(known.lower, answer.upper)) return "an upper bound below the lower bound of " + known.lower_by;
  if (answer.lower > known.lower) known.lower = answer.lower, known.lower_by = by;
  if (answer.upper < known.upper) known.upper = answer.upper, known.upper_by = by;
  return "";
}

/// A limit of one of several kinds, and how it reads in a message.
struct Limit {
  Deadline deadline;
  std::string text;
};

Limit random_limit(const std::string& method, int size, const std::atomic<bool>* cancelled) {
  const auto text = [](const char* format, double x, double y) {
    char line[100];
    std::snprintf(line, sizeof line, format, x, y);
    return std::string(line);
  };
  const int kind = below(12);
  if (kind == 0) return {Deadline(below(2) ? 0 : -1, nullptr, nullptr), "no time"};
  if (kind == 1) {
    const double seconds = between(1e-9, 0.02);
    return {Deadline(seconds, nullptr, nullptr), text("%.3g s on the real clock", seconds, 0)};
  }
  const double queries = between(1, 2e4 / (1 + size / 30)), seconds = between(1e-6, 100), tick = seconds / queries;
  if (kind == 2 && method == "auto") return {Deadline::simulated(INFINITY, 60 / queries), text("patience of %.0f queries", queries, 0)};
  if (kind == 3) return {Deadline::simulated(seconds, tick, cancelled), "cancelled"};
  if (kind == 4) {
    const int asked = below(20);
    return {Deadline::simulated(seconds, tick, nullptr, [left = asked]() mutable { return left-- <= 0; }),
            text("interrupted when asked %.0f times, or %.0f queries", asked, queries)};
  }
  return {Deadline::simulated(seconds, tick), text("%.0f queries in %.3g s", queries, seconds)};
}

double random_cutoff(double trivial_upper) {
  switch (below(10)) {
    case 0: return 0;
    case 1: return trivial_upper * between(1e-12, 1);
    case 2: return trivial_upper;
    case 3: return between(1e-9, 1e9);
    default: return INFINITY;
  }
}

/// One pair, and all that is asked about it.
class Trial {
 public:
  Trial(const Graph& source, const Graph& target, const CostTables& costs, double trivial_upper)
      : source_(source), target_(target), costs_(costs), trivial_upper_(trivial_upper) {}

  /// What is wrong, or nothing.
  std::string run() {
    for (const std::string& name : method_names())
      for (int times = name == "auto" ? 8 : name == "large" ? 3 : 1; times > 0; --times)
        ask(name, [&name](const Task& task, Deadline& deadline) { return find_method(name)(task, deadline); });
    ask("within", [](const Task& task, Deadline& deadline) {
      return solve_within(task, deadline, Effort{1 + below(300), below(2) ? INT64_MAX : below(50)});
    });
    ask("bracket", [](const Task& task, Deadline& deadline) { return bracket(task, deadline).answer; });
    std::vector<int> images(source_.size(), -1);
    for (int i = 0; i < std::min(source_.size(), target_.size()); ++i)
      if (below(4)) images[i] = i;
    ask("improve", [&images](const Task& task, Deadline& deadline) { return improved(task, images, deadline); });
    return wrong_;
  }

  /// The same method, stopped at ever later points.
  std::string sweep(const std::string& name, int most_queries) {
    for (int queries = 1; queries <= most_queries && wrong_.empty(); queries += 1 + queries / 10)
      check(name, find_method(name), {Deadline::simulated(1, 1.0 / queries), std::to_string(queries) + " queries"}, INFINITY);
    return wrong_;
  }

 private:
  template <class Solve>
  void ask(const std::string& name, Solve&& solve) {
    Limit limit = random_limit(name, std::max(source_.size(), target_.size()), &always_);
    if (wrong_.empty()) check(name, solve, std::move(limit), random_cutoff(trivial_upper_));
  }

  template <class Solve>
  void check(const std::string& name, Solve&& solve, Limit limit, double cutoff) {
    Task task{source_, target_, costs_, cutoff, 1 + below(below(3) ? 8 : 300)};
    Answer last{0, INFINITY, {}, Stop::kBound};
    std::string on_the_way;
    if (below(2)) task.improved = [&](const Answer& answer) {
      if (const char* what = mapping_fault(task, answer)) on_the_way = what;
      if (answer.lower < last.lower || answer.upper > last.upper) on_the_way = "an interval wider than the one before";
      last.lower = answer.lower, last.upper = answer.upper;
    };
    const Answer answer = solve(task, limit.deadline);
    const char* what = final_fault(task, answer, limit.deadline);
    std::string text = !on_the_way.empty() ? on_the_way : what ? what : contradiction(known_, answer, name);
    if (text.empty() && (answer.lower < last.lower || answer.upper > last.upper)) text = "less than was reported on the way";
    if (text.empty()) return;
    char numbers[200];
    std::snprintf(numbers, sizeof numbers, " (%s, cutoff %.17g, [%.17g, %.17g], stop %d)", limit.text.c_str(), task.cutoff,
                  answer.lower, answer.upper, static_cast<int>(answer.stop));
    wrong_ = name + ": " + text + numbers;
  }

  const Graph& source_;
  const Graph& target_;
  const CostTables& costs_;
  double trivial_upper_;
  std::atomic<bool> always_{true};
  Known known_;
  std::string wrong_;
};

std::string fault_of_sweep() {
  const auto dense = [] {
    const int n = 170 + below(40);
    DraftBuilder builder(n, false, {1, 1});
    for (int edge = 0; edge < 25000; ++edge) builder.join(below(n), below(n));
    return builder.take().graph();
  };
  const Graph source = dense(), target = dense();
  const CostTables costs = below(2) ? CostTables{{1}, {1}, {0}, {1}, {1}, {0}} : extreme_costs({1, 1});
  const std::string wrong = Trial(source, target, costs, 0).sweep(below(4) ? "auto" : "large", 400);
  return wrong.empty() ? "" : "dense graphs: " + wrong;
}

std::string fault_of_pair(unsigned seed, int most_nodes) {
  rng.seed(seed);
  if (seed % 15 == 0 && most_nodes >= 210) return fault_of_sweep();
  const bool directed = below(3) == 0;
  const Vocabulary labels{1 + below(below(3) ? 4 : 30), 1 + below(4)};
  const Draft draft = random_draft(std::min(random_size(), most_nodes), directed, labels);
  const Graph source = draft.graph();
  const Graph target = (below(3) ? random_draft(std::min(random_size(), most_nodes), directed, labels) : edited(draft, labels)).graph();
  const CostTables costs = extreme_costs(labels);
  Deadline now(0, nullptr, nullptr);
  const double upper = trivial_answer(Task{source, target, costs}, now).upper;
  const std::string wrong = Trial(source, target, costs, upper).run();
  if (wrong.empty()) return "";
  return std::to_string(source.size()) + " and " + std::to_string(target.size()) + " nodes: " + wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 1000;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;
  const double seconds = argc > 3 ? std::atof(argv[3]) : INFINITY;
  const int most_nodes = argc > 4 ? std::atoi(argv[4]) : 900;
  const Deadline end(seconds > 0 ? seconds : INFINITY, nullptr, nullptr);
  int done = 0, failed = 0;
  for (; done < pairs && failed < 20 && end.seconds_left() > 0; ++done)
    if (const std::string what = fault_of_pair(seed + done, most_nodes); !what.empty()) {
      std::printf("seed %u, %s\n", seed + done, what.c_str());
      std::fflush(stdout);
      ++failed;
    }
  std::printf("%d passed, %d failed\n", done - failed, failed);
  return failed > 0;
}
