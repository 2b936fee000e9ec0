#include "graphedx/within.hpp"

#include "graphedx/search.hpp"
#include "graphedx/tree_proof.hpp"

namespace graphedx {

Answer solve_within(const Task& task, Deadline& deadline, std::int64_t most_nodes) {
  return prove<Search>(task, deadline, [=](auto& tree, std::int64_t threshold) {
    tree.look_only_above(threshold);
    tree.run(threshold, most_nodes);
  });
}

}  // namespace graphedx
