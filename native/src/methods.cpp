#include "graphedx/methods.hpp"

#include <map>
#include <stdexcept>

namespace graphedx {

Solver find_method(const std::string& name) {
  static const std::map<std::string, Solver> methods{
      {"auto", solve_auto},
      {"bipartite", solve_bipartite},
      {"branch", solve_branch},
      {"branch_tight", solve_branch_tight},
      {"exact", solve_exact},
      {"hed", solve_hed},
      {"refine", solve_refine},
  };
  const auto found = methods.find(name);
  if (found == methods.end()) throw std::invalid_argument("no native method is called " + name);
  return found->second;
}

}  // namespace graphedx
