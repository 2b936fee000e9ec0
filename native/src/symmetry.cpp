#include "graphedx/symmetry.hpp"

#include <algorithm>
#include <cstdint>

#include "graphedx/graph.hpp"

namespace graphedx {

namespace {

constexpr int kMostAttempts = 4000;
constexpr int kMostInvolutions = 128;

using Colour = std::uint64_t;

Colour mixed(Colour x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

/// Stable colouring: nodes of different colour cannot be exchanged by any automorphism. Colours are hashes: two that are
/// the same by chance make for more pairs to try, and for nothing worse.
std::vector<Colour> refine_colours(const Graph& g) {
  const int n = g.size();
  std::vector<Colour> colour(n), next(n), sorted;
  for (int i = 0; i < n; ++i) colour[i] = mixed(static_cast<Colour>(g.node_class(i)) + 1);
  for (std::ptrdiff_t classes = 0;;) {
    for (int i = 0; i < n; ++i) {
      Colour around = 0;  // a sum, which does not depend on the order
      const Neighbour* list = g.neighbours(i);
      for (int s = 0; s < g.degree(i); ++s) around += mixed(colour[list[s].node] + static_cast<Colour>(list[s].kind));
      next[i] = mixed(colour[i] ^ mixed(around));
    }
    colour.swap(next);
    sorted = colour;
    std::sort(sorted.begin(), sorted.end());
    const std::ptrdiff_t found = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    if (found <= classes) return colour;
    classes = found;
  }
}

bool are_twins(const Graph& g, int x, int y) {
  if (g.node_class(x) != g.node_class(y) || g.degree(x) != g.degree(y) || g.kind(x, y) != g.kind(y, x)) return false;
  const Neighbour* list = g.neighbours(x);
  for (int a = 0; a < g.degree(x); ++a)
    if (list[a].node != y && g.kind(y, list[a].node) != list[a].kind) return false;
  return true;
}

/// Grows the smallest involution that swaps x and y: what two swapped nodes share stays, the rest is paired up.
class InvolutionGrower {
 public:
  InvolutionGrower(const Graph& g, const std::vector<Colour>& colour) : g_(g), colour_(colour) {}

  bool grow(int x, int y) {
    image_.assign(g_.size(), -1);
    queue_.clear();
    if (!pair_up(x, y)) return false;
    for (std::size_t head = 0; head < queue_.size(); ++head)
      if (!extend(queue_[head])) return false;
    for (int i = 0; i < g_.size(); ++i)
      if (image_[i] < 0) image_[i] = i;
    return is_automorphism();
  }

  const std::vector<int>& image() const { return image_; }

 private:
  bool pair_up(int a, int b) {
    if (image_[a] == b && image_[b] == a) return true;
    if (image_[a] >= 0 || image_[b] >= 0 || colour_[a] != colour_[b]) return false;
    image_[a] = b;
    image_[b] = a;
    if (a != b) queue_.insert(queue_.end(), {a, b});
    return true;
  }

  bool extend(int a) {
    const int b = image_[a];
    const Neighbour* list = g_.neighbours(a);
    for (int s = 0; s < g_.degree(a); ++s) {
      const Neighbour& z = list[s];
      if (image_[z.node] >= 0) {
        if (g_.kind(b, image_[z.node]) != z.kind) return false;
      } else if (g_.kind(b, z.node) == z.kind) {
        if (!pair_up(z.node, z.node)) return false;
      }
    }
    for (int s = 0; s < g_.degree(a); ++s) {
      const Neighbour& z = list[s];
      if (image_[z.node] >= 0) continue;
      const Neighbour* others = g_.neighbours(b);
      bool found = false;
      for (int t = 0; t < g_.degree(b) && !found; ++t)
        found = image_[others[t].node] < 0 && others[t].kind == z.kind && pair_up(z.node, others[t].node);
      if (!found) return false;
    }
    return true;
  }

  bool is_automorphism() const {
    for (int i = 0; i < g_.size(); ++i) {
      if (g_.node_class(i) != g_.node_class(image_[i]) || g_.degree(i) != g_.degree(image_[i])) return false;
      const Neighbour* list = g_.neighbours(i);
      for (int a = 0; a < g_.degree(i); ++a)
        if (g_.kind(image_[i], image_[list[a].node]) != list[a].kind) return false;
    }
    return true;
  }

  const Graph& g_;
  const std::vector<Colour>& colour_;
  std::vector<int> image_;
  std::vector<int> queue_;
};

}  // namespace

Symmetry find_symmetry(const Graph& g) {
  const int n = g.size();
  Symmetry symmetry;
  symmetry.words = words_for(n);
  if (n > Graph::kMostInMatrix) return symmetry;  // never searched to the end, and the sets below are quadratic
  symmetry.twins.assign(static_cast<std::size_t>(n) * symmetry.words, 0);
  for (int i = 0; i < n; ++i) set_bit(&symmetry.twins[static_cast<std::size_t>(i) * symmetry.words], i);
  const std::vector<Colour> colour = refine_colours(g);
  InvolutionGrower grower(g, colour);
  int attempts = 0;
  for (int x = 0; x < n; ++x)
    for (int y = x + 1; y < n; ++y) {
      if (colour[x] != colour[y]) continue;
      if (are_twins(g, x, y)) {
        set_bit(&symmetry.twins[static_cast<std::size_t>(x) * symmetry.words], y);
        set_bit(&symmetry.twins[static_cast<std::size_t>(y) * symmetry.words], x);
        symmetry.trivial = false;
        continue;
      }
      if (static_cast<int>(symmetry.involutions.size()) >= kMostInvolutions || ++attempts > kMostAttempts) continue;
      if (!grower.grow(x, y)) continue;
      Involution found{grower.image(), std::vector<Word>(symmetry.words, 0)};
      const auto same = [&](const Involution& other) { return other.image == found.image; };
      if (std::any_of(symmetry.involutions.begin(), symmetry.involutions.end(), same)) continue;
      for (int i = 0; i < n; ++i)
        if (found.image[i] != i) set_bit(found.support.data(), i);
      symmetry.involutions.push_back(std::move(found));
      symmetry.trivial = false;
    }
  return symmetry;
}

void Symmetry::orbit(int node, const Word* fixed, Word* out) const {
  std::fill(out, out + words, 0);
  set_bit(out, node);
  if (trivial) return;
  thread_local std::vector<int> queue;  // called at every node of a tree
  queue.assign(1, node);
  const auto reach = [&](int other) {
    if (!test_bit(out, other)) set_bit(out, other), queue.push_back(other);
  };
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const int at = queue[head];
    const Word* row = &twins[static_cast<std::size_t>(at) * words];
    for (int i = 0; i < words; ++i)
      for (Word rest = row[i] & ~fixed[i]; rest; rest &= rest - 1) reach(64 * i + lowest_bit(rest));
    for (const Involution& swap : involutions)
      if (test_bit(swap.support.data(), at) && !intersects(swap.support.data(), fixed, words)) reach(swap.image[at]);
  }
}

}  // namespace graphedx
