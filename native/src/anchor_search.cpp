// The two ways through the tree: best first, and level by level.
#include <algorithm>

#include "graphedx/anchor_tree.hpp"

namespace graphedx {

// -- best first ---------------------------------------------------------------------------------------------------

/// Where the same whole savings are promised, the deeper node comes first: it is nearer to a mapping.
template <class W>
bool AnchorTree<W>::Open::operator<(const Open& other) const {
  if (most != other.most) return most < other.most;
  if (node->depth != other.node->depth) return node->depth < other.node->depth;
  return promise != other.promise ? promise < other.promise : node->serial > other.node->serial;
}

template <class W>
void AnchorTree<W>::best_first(std::int64_t threshold) {
  if (Node* root = plant(threshold)) push(root);
  while (!open_.empty() && open_.front().most > level_) {
    stopped_ = stopped_ || deadline_.expired();
    if (stopped_) return leave_open(open_.front().promise);
    expand_best();
  }
}

/// Looks at one child of the node that promises most; its siblings wait with the node until it is their turn.
template <class W>
void AnchorTree<W>::expand_best() {
  std::pop_heap(open_.begin(), open_.end());
  Node* parent = open_.back().node;
  open_.pop_back();
  const Child choice = parent->children[parent->next++];
  if (pool_.is_full()) {
    dive(*parent, choice);
  } else {
    Node* node = pool_.take();
    refine(*parent, choice, *node) ? push(node) : pool_.release(node);
  }
  parent->next < parent->count ? push(parent) : pool_.release(parent);
}

template <class W>
void AnchorTree<W>::push(Node* node) {
  const W promise = node->promise(node->next);
  open_.push_back({whole(promise), promise, node});
  std::push_heap(open_.begin(), open_.end());
}

/// Depth first, with one node a level.
template <class W>
void AnchorTree<W>::dive(const Node& parent, const Child& choice) {
  const std::size_t depth = static_cast<std::size_t>(parent.depth) + 1;
  while (stack_.size() <= depth) stack_.push_back(pool_.take());
  Node& node = *stack_[depth];
  if (!refine(parent, choice, node)) return;
  for (; node.next < node.count && node.promise(node.next) >= floor_level(); ++node.next) {
    stopped_ = stopped_ || deadline_.expired();
    if (stopped_) return leave_open(node.promise(node.next));
    dive(node, node.children[node.next]);
  }
}

// -- level by level -----------------------------------------------------------------------------------------------

/// Where the same whole savings are promised, the parent that has more of them already comes first.
template <class W>
bool AnchorTree<W>::Candidate::operator<(const Candidate& other) const {
  if (most != other.most) return most > other.most;
  if (parent->saved != other.parent->saved) return parent->saved > other.parent->saved;
  return promise != other.promise ? promise > other.promise : place < other.place;
}

template <class W>
void AnchorTree<W>::beam(int width) {
  improving_ = true;
  std::vector<Node*> level, next;
  if (Node* root = plant(-1)) level.push_back(root);
  while (!level.empty()) {
    list_candidates(level, static_cast<std::size_t>(std::max(1, width)));
    for (const Candidate& candidate : candidates_) {
      if (candidate.most <= level_) continue;  // the best mapping may have become better meanwhile
      stopped_ = stopped_ || deadline_.expired();
      if (stopped_) {
        leave_open(candidate.promise);
        continue;
      }
      Node* node = pool_.take();
      if (refine(*candidate.parent, *candidate.choice, *node)) {
        next.push_back(node);
      } else {
        pool_.release(node);
      }
    }
    for (Node* node : level) pool_.release(node);
    level.swap(next);
    next.clear();
  }
}

/// The best children of a level, best first. What the others promise bounds what the beam may miss.
template <class W>
void AnchorTree<W>::list_candidates(const std::vector<Node*>& level, std::size_t width) {
  candidates_.clear();
  for (const Node* node : level)
    for (int c = 0; c < node->count && node->promise(c) >= floor_level(); ++c) {
      const W promise = node->promise(c);
      candidates_.push_back({whole(promise), promise, static_cast<int>(candidates_.size()), node, node->children + c});
    }
  if (candidates_.size() > width) {
    std::nth_element(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(width), candidates_.end());
    for (std::size_t c = width; c < candidates_.size(); ++c) leave_open(candidates_[c].promise);
    candidates_.resize(width);
  }
  std::sort(candidates_.begin(), candidates_.end());
}

template void AnchorTree<std::int32_t>::best_first(std::int64_t);
template void AnchorTree<std::int64_t>::best_first(std::int64_t);
template void AnchorTree<std::int32_t>::beam(int);
template void AnchorTree<std::int64_t>::beam(int);

}  // namespace graphedx
