#include "graphedx/anchor_tree.hpp"
#include "graphedx/methods.hpp"
#include "graphedx/tree_proof.hpp"

namespace graphedx {

Answer solve_anchor_aware(const Task& task, Deadline& deadline) {
  return prove<AnchorTree>(task, deadline, [](auto& tree, std::int64_t threshold) { tree.best_first(threshold); });
}

}  // namespace graphedx
