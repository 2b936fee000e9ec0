#include "graphedx/methods.hpp"

#include <map>
#include <stdexcept>

namespace graphedx {

namespace {

constexpr double kMostCells = 6e7;  // about a gigabyte
constexpr double kFewCells = 1e4, kFewEdges = 2e4;  // those take no time
constexpr double kSecondsAnEdge = 8e-8;  // to look at it once or twice
constexpr double kSecondsACell = 4e-8;  // to fill all tables, on a slow day

struct Entry {
  Solver solve;
  Memory needs = Memory::kTable;
};

const std::map<std::string, Entry>& methods() {
  static const std::map<std::string, Entry> all{
      {"anchor_aware", {solve_anchor_aware}},
      {"auto", {solve_auto, Memory::kLists}},
      {"beam", {solve_beam}},
      {"bipartite", {solve_bipartite}},
      {"branch", {solve_branch}},
      {"branch_tight", {solve_branch_tight}},
      {"exact", {solve_exact}},
      {"hed", {solve_hed, Memory::kLists}},
      {"ipfp", {solve_ipfp}},
      {"large", {solve_large, Memory::kLists}},
      {"refine", {solve_refine}},
  };
  return all;
}

}  // namespace

Method find_method(const std::string& name) {
  const auto found = methods().find(name);
  if (found == methods().end()) throw std::invalid_argument("no native method is called " + name);
  return {name, found->second.solve, found->second.needs};
}

bool fits_table(const Task& task) {
  return static_cast<double>(task.source.size()) * task.target.size() <= kMostCells;
}

void check_table(const std::string& name, const Task& task) {
  if (!fits_table(task))
    throw TooLarge("method '" + name + "' needs a table of " + std::to_string(task.source.size()) + " x " +
                   std::to_string(task.target.size()) + " node pairs, which is too much; use 'auto'");
}

Answer Method::operator()(const Task& task, Deadline& deadline) const {
  const double cells = static_cast<double>(task.source.size()) * task.target.size();
  const double edges = static_cast<double>(task.source.edges().size() + task.target.edges().size());
  if (needs == Memory::kTable) check_table(name, task);
  double seconds = edges > kFewEdges ? edges * kSecondsAnEdge : 0;
  if (needs == Memory::kTable && cells > kFewCells) seconds += cells * kSecondsACell;
  if (seconds > 0 && seconds > deadline.seconds_left()) {  // there is no time to even begin
    deadline.strike();
    return trivial_answer(task, deadline);
  }
  return solve(task, deadline);
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : methods()) names.push_back(name);
  return names;
}

}  // namespace graphedx
