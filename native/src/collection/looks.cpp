#include "graphedx/collection/looks.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "graphedx/deadline.hpp"
#include "graphedx/parallel.hpp"

namespace graphedx {

namespace {

constexpr std::size_t kGraphsATask = 64;

using Colours = std::vector<std::uint64_t>;

/// Numbers that look random, the same for the same (the finaliser of splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Colours of nodes that are refined round by round. Sums of mixed numbers stand for multisets of neighbours.
class Refinement {
 public:
  Refinement(const GraphContent& graph, bool directed, const Look& look)
      : graph_(graph),
        directed_(directed),
        sees_nodes_(look.nodes),
        sees_edges_(look.edges),
        now_(graph.node_classes.size(), 0) {
    const auto is_node = [&](int i) { return i >= 0 && static_cast<std::size_t>(i) < now_.size(); };
    for (const Edge& edge : graph.edges) {
      if (!is_node(edge.source) || !is_node(edge.target))  // a file may say anything
        throw std::invalid_argument("edge end point out of range");
      now_[edge.source] += 1;
      now_[edge.target] += directed ? 1 << 16 : 1;
    }
    for (std::size_t i = 0; look.nodes && i < now_.size(); ++i)
      now_[i] = mixed(mixed(static_cast<std::uint64_t>(graph.node_classes[i])) + now_[i]);
  }

  void go_on(int rounds) {
    for (; done_ < rounds; ++done_) {
      next_.assign(now_.size(), 0);
      if (sees_edges_ || directed_) tell_each_neighbour();
      else tell_all_neighbours();
      for (std::size_t i = 0; i < now_.size(); ++i) next_[i] = mixed(3 * now_[i] + next_[i]);
      std::swap(now_, next_);
    }
  }

  bool can_go_on_to(const Look& look) const {
    return done_ <= look.rounds && sees_nodes_ == look.nodes && sees_edges_ == look.edges;
  }
  const Colours& colours() const { return now_; }

 private:
  void tell_each_neighbour() {
    for (const Edge& edge : graph_.edges) {
      const std::uint64_t along = sees_edges_ ? mixed(static_cast<std::uint64_t>(edge.label_class)) : 0;
      next_[edge.target] += mixed(now_[edge.source] + along);
      next_[edge.source] += mixed(now_[edge.target] + along + directed_);
    }
  }

  /// The same where all of them are told the same: less to mix.
  void tell_all_neighbours() {
    told_.resize(now_.size());
    for (std::size_t i = 0; i < now_.size(); ++i) told_[i] = mixed(now_[i]);
    for (const Edge& edge : graph_.edges) {
      next_[edge.target] += told_[edge.source];
      next_[edge.source] += told_[edge.target];
    }
  }

  const GraphContent& graph_;
  const bool directed_, sees_nodes_, sees_edges_;
  int done_ = 0;
  Colours now_, next_, told_;
};

/// Calls visit(number of the look, colours of all nodes, or labels of all edges); looks are anything with such fields.
template <class Looks, class Visit>
void for_each_look(const GraphContent& graph, bool directed, const Looks& looks, Visit&& visit) {
  std::unique_ptr<Refinement> refinement;
  Colours labels;
  for (std::size_t at = 0; at < looks.size(); ++at) {
    const Look look{looks[at].nodes, looks[at].edges, looks[at].rounds, 0};
    if (look.rounds == 0 && look.nodes) {
      labels.assign(graph.node_classes.begin(), graph.node_classes.end());
      visit(at, labels);
    } else if (look.rounds == 0 && look.edges) {
      labels.clear();
      for (const Edge& edge : graph.edges) labels.push_back(static_cast<std::uint64_t>(edge.label_class));
      visit(at, labels);
    } else {
      if (!refinement || !refinement->can_go_on_to(look)) refinement = std::make_unique<Refinement>(graph, directed, look);
      refinement->go_on(look.rounds);
      visit(at, refinement->colours());
    }
  }
}

}  // namespace

std::size_t width(const std::vector<Block>& blocks) {
  std::size_t sum = 0;
  for (const Block& block : blocks) {
    if (block.bins <= 0) throw std::invalid_argument("a block needs bins");
    sum += static_cast<std::size_t>(block.bins);
  }
  return sum;
}

void count_colours(const GraphContent& graph, bool directed, const std::vector<Block>& blocks, std::uint8_t* counts) {
  std::fill(counts, counts + width(blocks), 0);
  for_each_look(graph, directed, blocks, [&](std::size_t at, const Colours& colours) {
    const auto bins = static_cast<std::uint64_t>(blocks[at].bins);
    for (std::uint64_t colour : colours) {
      std::uint8_t& count = counts[colour % bins];
      count += count < UINT8_MAX;
    }
    counts += bins;
  });
}

void count_colours(const Collection& collection, const std::vector<std::int64_t>& positions,
                   const std::vector<Block>& blocks, int threads, float* sizes, std::uint8_t* counts) {
  const std::size_t columns = width(blocks);
  in_parallel(positions.size(), threads, kGraphsATask, [&](Counter& next) {
    for (std::size_t row; (row = next++) < positions.size();) {
      const GraphContent graph = collection.content(static_cast<std::size_t>(positions[row]));
      sizes[2 * row] = static_cast<float>(graph.node_classes.size());
      sizes[2 * row + 1] = static_cast<float>(graph.edges.size());
      count_colours(graph, collection.directed, blocks, counts + row * columns);
    }
  });
}

Palette::Palette(const std::vector<std::uint64_t>& colours) : size_(colours.size()) {
  std::size_t slots = 4;
  while (slots < 4 * colours.size()) slots *= 2;
  slots_.resize(slots);
  for (std::uint64_t colour : colours) {
    Slot& slot = slots_[slot_of(colour)];
    slot.colour = colour;
    ++slot.count;
  }
}

std::size_t Palette::slot_of(std::uint64_t colour) const {
  std::size_t at = mixed(colour) & (slots_.size() - 1);
  while (slots_[at].count > 0 && slots_[at].colour != colour) at = (at + 1) & (slots_.size() - 1);
  return at;
}

std::size_t Palette::unpaired(const std::vector<std::uint64_t>& colours, std::vector<std::uint32_t>& taken) const {
  taken.assign(slots_.size(), 0);
  std::size_t pairs = 0;
  for (std::uint64_t colour : colours) {
    const std::size_t at = slot_of(colour);
    pairs += taken[at]++ < slots_[at].count;
  }
  return size_ + colours.size() - 2 * pairs;
}

Likeness::Likeness(const GraphContent& query, bool directed, std::vector<Look> looks)
    : directed_(directed), looks_(std::move(looks)) {
  for_each_look(query, directed, looks_, [&](std::size_t, const Colours& colours) { own_.emplace_back(colours); });
}

double Likeness::distance(const GraphContent& graph) const {
  std::vector<std::uint32_t> taken;
  double sum = 0;
  for_each_look(graph, directed_, looks_, [&](std::size_t at, const Colours& colours) {
    sum += looks_[at].weight * static_cast<double>(own_[at].unpaired(colours, taken));
  });
  return sum;
}

std::vector<double> Likeness::distances(const Collection& collection, const std::vector<std::int64_t>& positions,
                                        int threads, double seconds) const {
  std::vector<double> found(positions.size(), INFINITY);
  const std::size_t tasks = (positions.size() + kGraphsATask - 1) / kGraphsATask;
  in_parallel(tasks, threads, 1, [&](Counter& next) {
    Deadline deadline(seconds, nullptr, nullptr);
    for (std::size_t task; (task = next++) < tasks && !deadline.expired();)
      for (std::size_t k = task * kGraphsATask; k < std::min(found.size(), (task + 1) * kGraphsATask); ++k)
        found[k] = distance(collection.content(static_cast<std::size_t>(positions[k])));
  });
  return found;
}

}  // namespace graphedx
