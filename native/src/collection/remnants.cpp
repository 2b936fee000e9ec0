#include "graphedx/collection/remnants.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace graphedx {

namespace {

using Key = std::uint64_t;
using Lost = Thinning::Lost;
using Gained = Thinning::Gained;

constexpr int kRoughly = 1;   // rounds of refinement, which most ways differ after that have the same degrees
constexpr int kRounds = 3;    // what has the same colours then is nearly always the same
constexpr int kNewNodes = 2;  // of the query, that an edge may be gained between
constexpr std::size_t kFewestBits = 4096;

/// What becomes of a graph in some ways, side by side: keys of colours.
class Colouring {
 public:
  /// Of ways that lose so many edges, after so many rounds of refinement.
  Colouring(const Skeleton& graph, int lost, int rounds) : graph_(graph), count_(lost), rounds_(rounds) {}

  /// When there are enough, visit(key, lost) is called for each.
  template <class Visit>
  void add(const Lost& lost, std::optional<Gained> gained, const Visit& visit) {
    lost_[filled_] = lost;
    gained_[filled_++] = gained;
    if (filled_ == kWays) finish(visit);
  }

  /// For those that are left, too.
  template <class Visit>
  void finish(const Visit& visit) {
    if (filled_ == 0) return;
    kept_.resize(graph_.edges.size(), kAll);  // many have nothing to colour
    colours_.resize(graph_.nodes());
    before_.resize(graph_.nodes());
    for (int i = 0; i < graph_.nodes(); ++i) colours_[i] = Lanes{} + static_cast<std::uint32_t>(graph_.degree(i));
    each_lost([&](int e, int way) {
      kept_[e][way] = 0;
      --colours_[graph_.edges[e].source][way], --colours_[graph_.edges[e].target][way];
    });
    each_gained([&](int i, int, int way) { ++colours_[i][way]; });
    for (int round = 0; round < rounds_; ++round) refine();
    Lanes sum{}, other{};
    for (const Lanes& colour : colours_) {
      const Lanes last = mixed(colour);
      sum += last;
      other += mixed(last);
    }
    each_lost([&](int e, int) { kept_[e] = kAll; });
    const int ways = std::exchange(filled_, 0);
    for (int way = 0; way < ways; ++way) visit(static_cast<Key>(sum[way]) << 32 | other[way], lost_[way]);
  }

 private:
  static constexpr int kWays = 8;
  typedef std::uint32_t Lanes __attribute__((vector_size(4 * kWays)));
  static constexpr Lanes kAll = Lanes{} - 1;

  static Lanes mixed(Lanes x) {
    x = (x ^ x >> 15) * 0x2c1b3c6d;
    return (x ^ x >> 12) * 0x297a2d39;  // zero stays zero: a node without edges is left aside
  }

  template <class Visit>
  void each_lost(const Visit& visit) const {
    for (int way = 0; way < filled_; ++way)
      for (int k = 0; k < count_; ++k) visit(lost_[way][k], way);
  }

  /// Calls visit(i, k, way) from both ends of the edges that are gained.
  template <class Visit>
  void each_gained(const Visit& visit) {
    for (int way = 0; way < filled_; ++way)
      if (gained_[way]) {
        visit(gained_[way]->from, gained_[way]->to, way);
        visit(gained_[way]->to, gained_[way]->from, way);
      }
  }

  void refine() {
    for (int i = 0; i < graph_.nodes(); ++i) before_[i] = mixed(colours_[i]);
    for (int i = 0; i < graph_.nodes(); ++i) {
      Lanes seen = 5 * before_[i];
      for (int s = graph_.first[i]; s < graph_.first[i + 1]; ++s)
        seen += before_[graph_.ends[s].node] & kept_[graph_.ends[s].edge];
      colours_[i] = seen;
    }
    each_gained([&](int i, int k, int way) { colours_[i][way] += before_[k][way]; });
  }

  const Skeleton& graph_;
  const int count_, rounds_;
  std::array<Lost, kWays> lost_;
  std::array<std::optional<Gained>, kWays> gained_;
  int filled_ = 0;
  std::vector<Lanes> kept_, colours_, before_;  // of edges, all bits or none; of nodes
};

std::size_t power_of_two(double least) {
  std::size_t size = 1;
  while (static_cast<double>(size) < least) size *= 2;
  return size;
}

}  // namespace

void Remnants::KeySet::reserve(double most) { slots_.assign(power_of_two(2 * most), 0); }

std::size_t Remnants::KeySet::place(Key key) const {
  std::size_t place = key & (slots_.size() - 1);
  while (slots_[place] != 0 && slots_[place] != key) place = (place + 1) & (slots_.size() - 1);
  return place;
}

void Remnants::KeyBits::reserve(double least) {
  const std::size_t bits = power_of_two(std::max<double>(kFewestBits, least));
  bits_.assign(bits / 64, 0);
  mask_ = bits - 1;
}

Remnants::Remnants(int nodes, const std::vector<Edge>& edges) : nodes_(nodes), edges_(edges) {}

double Remnants::ways(std::size_t edges, int lost) {
  double ways = 1;
  for (int k = 0; k < lost; ++k) ways *= (static_cast<double>(edges) - k) / (k + 1);
  return std::max(0.0, ways);
}

double Remnants::ways(Own own) const {
  const double nodes = nodes_, gained = nodes * (nodes + 1) / 2 + 1 - static_cast<double>(edges_.size()) + own.lost;
  return ways(edges_.size(), own.lost) * (own.gains ? gained : 1);
}

const Remnants::Keys& Remnants::keys(Own own) const {
  Keys& keys = keys_[own.lost][own.gains];
  std::call_once(keys.once, [&] {
    const Skeleton graph(nodes_ + kNewNodes, edges_);
    Thinning thinning(graph, own.lost);
    Colouring roughly(graph, own.lost, kRoughly), colouring(graph, own.lost, kRounds);
    keys.degrees.reserve(2 * ways(own));  // most ways have a key that others have
    keys.roughly.reserve(8 * ways(own));
    keys.colours.reserve(ways(own));
    const auto add_roughly = [&](Key key, const Lost&) { keys.roughly.add(key); };
    const auto add_colours = [&](Key key, const Lost&) { keys.colours.add(key); };
    const auto add = [&](const Lost& lost, std::optional<Gained> gained, Key key) {
      keys.degrees.add(key);
      roughly.add(lost, gained, add_roughly);
      colouring.add(lost, gained, add_colours);
    };
    thinning.each_way(own.lost, [&](const Lost& lost, Key key) {
      if (own.gains) {
        thinning.each_gain(own.lost, lost, key, kNewNodes, [&](Gained gained, Key with) { add(lost, gained, with); });
      } else {
        add(lost, {}, key);
      }
      return true;
    });
    roughly.finish(add_roughly);
    colouring.finish(add_colours);
  });
  return keys;
}

bool Remnants::may_match(int nodes, const std::vector<Edge>& edges, Own own, int lost) const {
  const Keys& known = keys(own);
  const Skeleton graph(nodes, edges);
  Thinning thinning(graph, lost);
  Colouring roughly(graph, lost, kRoughly), colouring(graph, lost, kRounds);
  bool found = false;
  const auto compare = [&](Key key, const Lost&) { found |= known.colours.has(key); };
  const auto look_closer = [&](Key key, const Lost& way) {
    if (known.roughly.has(key)) colouring.add(way, {}, compare);
  };
  thinning.each_way(lost, [&](const Lost& way, Key key) {
    if (known.degrees.has(key)) roughly.add(way, {}, look_closer);
    return !found;
  });
  if (!found) roughly.finish(look_closer);
  if (!found) colouring.finish(compare);
  return found;
}

}  // namespace graphedx
