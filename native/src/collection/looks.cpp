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
      for (const Edge& edge : graph_.edges) {
        const std::uint64_t along = sees_edges_ ? mixed(static_cast<std::uint64_t>(edge.label_class)) : 0;
        next_[edge.target] += mixed(now_[edge.source] + along);
        next_[edge.source] += mixed(now_[edge.target] + along + directed_);
      }
      for (std::size_t i = 0; i < now_.size(); ++i) next_[i] = mixed(3 * now_[i] + next_[i]);
      std::swap(now_, next_);
    }
  }

  bool can_go_on_to(const Look& look) const {
    return done_ <= look.rounds && sees_nodes_ == look.nodes && sees_edges_ == look.edges;
  }
  const std::vector<std::uint64_t>& colours() const { return now_; }

 private:
  const GraphContent& graph_;
  const bool directed_, sees_nodes_, sees_edges_;
  int done_ = 0;
  std::vector<std::uint64_t> now_, next_;
};

/// Elements of two sorted lists that have no partner in the other one.
std::size_t unpaired(const std::vector<std::uint64_t>& x, const std::vector<std::uint64_t>& y) {
  std::size_t i = 0, j = 0, pairs = 0;
  while (i < x.size() && j < y.size()) {
    const bool same = x[i] == y[j], less = x[i] < y[j];
    pairs += same;
    i += same | less;
    j += !less;
  }
  return x.size() + y.size() - 2 * pairs;
}

}  // namespace

Likeness::Likeness(const GraphContent& query, bool directed, std::vector<Look> looks)
    : directed_(directed), looks_(std::move(looks)) {
  own_ = colours(query);
}

std::vector<Likeness::Colours> Likeness::colours(const GraphContent& graph) const {
  std::vector<Colours> found;
  std::unique_ptr<Refinement> refinement;
  for (const Look& look : looks_) {
    Colours some;
    if (look.rounds == 0 && look.nodes) {
      some.assign(graph.node_classes.begin(), graph.node_classes.end());
    } else if (look.rounds == 0 && look.edges) {
      for (const Edge& edge : graph.edges) some.push_back(static_cast<std::uint64_t>(edge.label_class));
    } else {
      if (!refinement || !refinement->can_go_on_to(look)) refinement = std::make_unique<Refinement>(graph, directed_, look);
      refinement->go_on(look.rounds);
      some = refinement->colours();
    }
    std::sort(some.begin(), some.end());
    found.push_back(std::move(some));
  }
  return found;
}

double Likeness::distance(const GraphContent& graph) const {
  const std::vector<Colours> others = colours(graph);
  double sum = 0;
  for (std::size_t at = 0; at < looks_.size(); ++at)
    sum += looks_[at].weight * static_cast<double>(unpaired(own_[at], others[at]));
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
