#include "graphedx/improve.hpp"

#include <stdexcept>

#include "graphedx/dispatch.hpp"
#include "graphedx/local_search.hpp"
#include "graphedx/mapping.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

namespace {

void check_images(const Task& task, const std::vector<int>& images) {
  if (images.size() != static_cast<std::size_t>(task.source.size()))
    throw std::invalid_argument("one image a source node is needed");
  std::vector<bool> taken(task.target.size(), false);
  for (int image : images) {
    if (image == -1) continue;
    if (image < 0 || image >= task.target.size()) throw std::invalid_argument("image outside the target");
    if (taken[image]) throw std::invalid_argument("two source nodes have the same image");
    taken[image] = true;
  }
}

/// The mapping, changed to one that the weights can tell the value of; no dearer.
template <class W>
std::vector<int> allowed(const Weights<W>& weights, std::vector<int> column_of) {
  std::vector<bool> taken(weights.columns, false);
  for (int i = 0; i < weights.rows; ++i) {
    int& column = column_of[i];
    if (column >= 0 && weights.is_forbidden(i, column)) column = -1;
    if (column >= 0) taken[column] = true;
  }
  if (!weights.mandatory) return column_of;
  int free = 0;
  for (int& column : column_of) {
    if (column >= 0) continue;
    while (taken[free]) ++free;  // there are at least as many columns as rows
    column = free++;
  }
  return column_of;
}

}  // namespace

Answer improved(const Task& task, const std::vector<int>& images, Deadline& deadline) {
  check_images(task, images);
  check_table("improve", task);
  const Problem problem(task.source, task.target, task.costs);
  Answer answer = with_weights(problem, [&](const auto& weights) {
    std::vector<int> column_of = allowed(weights, problem.columns_of(images));
    auto value = weights.value_of(column_of);
    LocalSearch search(weights, deadline);
    search.improve(column_of, value);
    if (value < 0) {  // a valley above the plain: mapping nothing saves more, and from there it may go on
      column_of.assign(weights.rows, -1);
      value = 0;
      search.improve(column_of, value);
    }
    const auto savings = static_cast<std::int64_t>(value / weights.scale);
    return certified(task, problem, column_of, savings, problem.most_savings(), deadline);
  });
  // Whole units may have hidden that the mapping was better as it came.
  const double before = induced_cost(task.source, task.target, task.costs, images);
  return combined(std::move(answer), Answer{0, before, images, Stop::kBound});
}

}  // namespace graphedx
