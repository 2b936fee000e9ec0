#include "graphedx/methods.hpp"
#include "graphedx/tree_proof.hpp"
#include "graphedx/search.hpp"

namespace graphedx {

Answer solve_exact(const Task& task, Deadline& deadline) {
  return prove<Search>(task, deadline, [](auto& tree, std::int64_t threshold) { tree.run(threshold); });
}

}  // namespace graphedx
