#include "graphedx/within.hpp"

#include "graphedx/search.hpp"
#include "graphedx/tree_proof.hpp"

namespace graphedx {

Answer solve_within(const Task& task, Deadline& deadline, Effort effort) {
  return prove<Search>(task, deadline, [=](auto& tree, std::int64_t threshold) {
    tree.look_only_above(threshold);
    tree.look_on_for(effort.nodes_after);
    tree.run(threshold, effort.nodes);
  });
}

}  // namespace graphedx
