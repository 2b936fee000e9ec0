#include "graphedx/methods.hpp"

#include <map>
#include <stdexcept>

namespace graphedx {

namespace {

const std::map<std::string, Solver>& methods() {
  static const std::map<std::string, Solver> all{
      {"anchor_aware", solve_anchor_aware},
      {"auto", solve_auto},
      {"beam", solve_beam},
      {"bipartite", solve_bipartite},
      {"branch", solve_branch},
      {"branch_tight", solve_branch_tight},
      {"exact", solve_exact},
      {"hed", solve_hed},
      {"ipfp", solve_ipfp},
      {"refine", solve_refine},
  };
  return all;
}

}  // namespace

Solver find_method(const std::string& name) {
  const auto found = methods().find(name);
  if (found == methods().end()) throw std::invalid_argument("no native method is called " + name);
  return found->second;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& [name, solve] : methods()) names.push_back(name);
  return names;
}

}  // namespace graphedx
