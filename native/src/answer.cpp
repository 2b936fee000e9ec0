#include "graphedx/answer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "graphedx/mapping.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kFewEdges = 20000;
constexpr double kPrecision = 1e-13;  // relative error that a proven distance may have without a closer look

void check_graph(const Graph& graph, std::size_t node_classes, std::size_t edge_classes) {
  for (int i = 0; i < graph.size(); ++i)
    if (static_cast<std::size_t>(graph.node_class(i)) >= node_classes)
      throw std::invalid_argument("node class outside the cost tables");
  for (const Edge& e : graph.edges())
    if (static_cast<std::size_t>(e.label_class) >= edge_classes)
      throw std::invalid_argument("edge class outside the cost tables");
}

}  // namespace

void Task::check() const {
  if (source.directed() != target.directed()) throw std::invalid_argument("one graph is directed, the other is not");
  check_graph(source, costs.node_del.size(), costs.edge_del.size());
  check_graph(target, costs.node_ins.size(), costs.edge_ins.size());
}

Stop stop_reason(const Task& task, const Deadline& deadline, const Answer& answer) {
  if (answer.lower == answer.upper) return Stop::kProved;
  if (deadline.was_interrupted()) return Stop::kInterrupted;
  if (answer.lower > task.cutoff) return Stop::kCutoff;
  if (deadline.ran_out_of_patience()) return Stop::kPatience;
  return deadline.struck() ? Stop::kTime : Stop::kBound;
}

bool is_too_coarse(const Problem& problem, double upper) {
  return !problem.lattice.exact() && problem.lattice.error(problem.most_terms(), upper) > kPrecision * upper;
}

double lower_bound(const Problem& problem, std::int64_t most_savings, double upper) {
  const double cost = static_cast<double>(problem.base - problem.step * most_savings) * problem.lattice.unit();
  return std::clamp(cost - problem.lattice.error(problem.most_terms(), cost), 0.0, upper);
}

std::int64_t most_savings(const Problem& problem, double lower) {
  if (!problem.lattice.exact()) return problem.most_savings();
  const double multiples = lower * (1 - 1e-12) / problem.lattice.unit() - 1e-6;
  const double steps = (static_cast<double>(problem.base) - multiples) / static_cast<double>(problem.step);
  return static_cast<std::int64_t>(std::floor(steps));
}

Answer certified(const Task& task, const Problem& problem, const std::vector<int>& column_of, std::int64_t savings,
                 std::int64_t most_savings, const Deadline& deadline) {
  // No mapping is known: the fallback is always allowed and saves at least 0.
  if (savings < 0) return certified(task, problem, problem.fallback_columns(), 0, most_savings, deadline);
  Answer answer{0, 0, problem.images(column_of), Stop::kProved};
  answer.upper = answer.lower = induced_cost(task.source, task.target, task.costs, answer.images);
  if (most_savings <= savings && !is_too_coarse(problem, answer.upper)) return answer;
  answer.lower = lower_bound(problem, most_savings, answer.upper);
  answer.stop = stop_reason(task, deadline, answer);
  return answer;
}

Answer combined(Answer one, Answer other) {
  if (other.upper < one.upper) {
    one.upper = other.upper;
    one.images = std::move(other.images);
  }
  one.lower = std::min(std::max(one.lower, other.lower), one.upper);
  one.nodes += other.nodes;
  if (one.lower == one.upper)
    one.stop = Stop::kProved;
  else if (one.stop == Stop::kBound || other.stop == Stop::kInterrupted || other.stop == Stop::kCutoff)
    one.stop = other.stop;
  return one;
}

Answer trivial_answer(const Task& task, const Deadline& deadline) {
  const auto of = [&](std::vector<int> images) {
    const double cost = induced_cost(task.source, task.target, task.costs, images);
    return Answer{0, cost, std::move(images), Stop::kBound};
  };
  Answer answer = of(std::vector<int>(task.source.size(), -1));
  if (task.source.edges().size() + task.target.edges().size() <= kFewEdges) {  // looking edges up takes longer
    std::vector<int> first(task.source.size(), -1);
    for (int i = 0; i < std::min(task.source.size(), task.target.size()); ++i) first[i] = i;
    answer = combined(std::move(answer), of(std::move(first)));
  }
  answer.stop = stop_reason(task, deadline, answer);
  return answer;
}

}  // namespace graphedx
