#include "graphedx/isomorphism.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "graphedx/deadline.hpp"

namespace graphedx {

namespace {

constexpr KindCode kNotJoined = 0;
constexpr std::size_t kMostDeadEnds = 4;  ///< that others are compared with: each comparison may be a search of its own

/// Arcs of one kind into one cell.
struct Bundle {
  int cell;
  KindCode kind;
  int count;
};

/// What every node of a cell of a stable partition sees, in the order of cells and kinds.
std::vector<Bundle> bundles_of(int node, const ArcLists& lists, const StablePartition& cells) {
  std::vector<Bundle> all;
  for (const Arc* arc = lists.begin(node); arc != lists.end(node); ++arc)
    all.push_back({cells.cell_of(arc->node), arc->kind, 1});
  std::sort(all.begin(), all.end(),
            [](const Bundle& x, const Bundle& y) { return x.cell != y.cell ? x.cell < y.cell : x.kind < y.kind; });
  std::size_t kept = 0;
  for (const Bundle& one : all) {
    if (kept > 0 && all[kept - 1].cell == one.cell && all[kept - 1].kind == one.kind)
      ++all[kept - 1].count;
    else
      all[kept++] = one;
  }
  all.resize(kept);
  return all;
}

/// Steele, Lea and Flood's SplitMix64 over a sequence of numbers.
class Digest {
 public:
  void add(std::uint64_t number) { state_ = mixed(state_ + 0x9E3779B97F4A7C15u + mixed(number)); }
  std::uint64_t value() const { return state_; }

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  std::uint64_t state_ = 0;
};

/// Disjoint sets of nodes.
class Sets {
 public:
  explicit Sets(int n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void unite(int x, int y) { parent_[find(x)] = find(y); }

 private:
  std::vector<int> parent_;
};

/// The parts into which each of two graphs falls, without single nodes.
struct Parts {
  std::vector<std::vector<int>> of[2];
};

/// Two graphs of equal size lie side by side in the same lists and cells: nodes below `half` are the first graph's.
///
/// Where cells stay larger than one node a side, a node of the first graph is tried with all that it may become
/// (individualise and refine). To keep choices that do not matter from multiplying, graphs are first taken apart: the
/// kind that most node pairs of two cells have says nothing, and what hangs together by other kinds can be matched part
/// by part. Twins, equal components and their complements never lead to choices that multiply this way.
class Matcher {
 public:
  explicit Matcher(Deadline& deadline) : deadline_(deadline) {}

  bool match(const ArcLists& both, StablePartition cells) { return refine(both, cells) && match_refined(both, cells); }

 private:
  /// False if that alone shows a difference.
  bool refine(const ArcLists& both, StablePartition& cells) {
    cells.refine(both, deadline_);
    return !deadline_.expired() && is_balanced(cells);
  }

  bool match_refined(const ArcLists& both, const StablePartition& cells) {
    const int half = both.size() / 2;
    if (cells.num_cells() == half) return true;
    Parts parts = take_apart(both, cells);
    if (parts.of[0].size() != parts.of[1].size()) return false;
    if (parts.of[0].empty()) return true;
    if (static_cast<int>(parts.of[0].front().size()) == half) return branch(both, cells);
    return match_parts(both, cells, parts);
  }

  static bool is_balanced(const StablePartition& cells) {
    for (int c = 0; c < cells.size(); c = cells.end(c)) {
      int surplus = 0;
      for (int at = c; at < cells.end(c); ++at) surplus += cells.node_at(at) < cells.size() / 2 ? 1 : -1;
      if (surplus != 0) return false;
    }
    return true;
  }

  bool branch(const ArcLists& both, const StablePartition& cells) {
    const int half = both.size() / 2;
    int smallest = -1;
    const auto size_of = [&](int cell) { return cells.end(cell) - cell; };
    for (int c = 0; c < cells.size(); c = cells.end(c))
      if (size_of(c) > 2 && (smallest < 0 || size_of(c) < size_of(smallest))) smallest = c;
    int chosen = smallest;
    while (cells.node_at(chosen) >= half) ++chosen;
    std::vector<int> dead_ends;
    for (int at = smallest; at < cells.end(smallest) && !deadline_.expired(); ++at) {
      const int image = cells.node_at(at);
      if (image < half) continue;
      StablePartition finer = cells;
      finer.single_out(cells.node_at(chosen), image);
      if (!refine(both, finer)) continue;
      const auto is_like = [&](int other) { return are_interchangeable(both, cells, image, other); };
      if (std::any_of(dead_ends.begin(), dead_ends.end(), is_like)) continue;
      if (match_refined(both, finer)) return true;
      if (dead_ends.size() < kMostDeadEnds) dead_ends.push_back(image);
    }
    return false;
  }

  /// Whether an automorphism of the second graph moves one of its nodes to the other: then both lead to the same end.
  /// Quickly found where it is so, which is what graphs built to be hard are full of.
  bool are_interchangeable(const ArcLists& both, const StablePartition& cells, int node, int other) {
    const int half = both.size() / 2;
    std::vector<int> nodes(half);
    std::iota(nodes.begin(), nodes.end(), half);
    auto [lists, classes] = side_by_side(both, cells, nodes, nodes);
    StablePartition twice(classes);
    twice.single_out(node - half, other);
    return match(lists, std::move(twice));
  }

  /// Isomorphism is transitive, so the first partner that fits is as good as any.
  bool match_parts(const ArcLists& both, const StablePartition& cells, Parts& parts) {
    const auto same_cells = [&](const std::vector<int>& x, const std::vector<int>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                        [&](int i, int j) { return cells.cell_of(i) == cells.cell_of(j); });
    };
    for (const std::vector<int>& part : parts.of[0]) {
      const auto fits = [&](const std::vector<int>& other) {
        return same_cells(part, other) && match_part(both, cells, part, other);
      };
      const auto partner = std::find_if(parts.of[1].begin(), parts.of[1].end(), fits);
      if (partner == parts.of[1].end()) return false;
      parts.of[1].erase(partner);
    }
    return true;
  }

  bool match_part(const ArcLists& both, const StablePartition& cells, const std::vector<int>& part,
                  const std::vector<int>& other) {
    const auto [lists, classes] = side_by_side(both, cells, part, other);
    return match(lists, StablePartition(classes));
  }

  /// The subgraphs of two sets of nodes, and their cells as classes.
  std::pair<ArcLists, std::vector<int>> side_by_side(const ArcLists& both, const StablePartition& cells,
                                                     const std::vector<int>& part, const std::vector<int>& other) {
    ArcLists lists;
    std::vector<int> classes;
    new_number_.resize(std::max(new_number_.size(), static_cast<std::size_t>(both.size())), -1);
    for (const std::vector<int>* nodes : {&part, &other}) {
      int next = lists.size();
      for (int node : *nodes) new_number_[node] = next++;
      for (int node : *nodes) {
        classes.push_back(cells.cell_of(node));
        for (const Arc* arc = both.begin(node); arc != both.end(node); ++arc)
          if (new_number_[arc->node] >= 0) lists.arcs.push_back({new_number_[arc->node], arc->kind});
        lists.close();
      }
      for (int node : *nodes) new_number_[node] = -1;
    }
    return {std::move(lists), std::move(classes)};
  }

  using CellPairs = std::map<std::pair<int, int>, KindCode>;

  /// For every two cells what most of their node pairs are to each other, as seen from the first; left out where that
  /// is not to be joined.
  static CellPairs usual_kinds(const ArcLists& both, const StablePartition& cells) {
    CellPairs usual;
    for (int c = 0; c < cells.size(); c = cells.end(c)) {
      const std::vector<Bundle> bundles = bundles_of(cells.node_at(c), both, cells);
      for (std::size_t at = 0; at < bundles.size();) {
        const int d = bundles[at].cell;
        int rest = (cells.end(d) - d) / 2 - (c == d), most = 0;
        KindCode kind = kNotJoined;
        for (; at < bundles.size() && bundles[at].cell == d; ++at) {
          rest -= bundles[at].count;
          // Within a cell a one-way kind is as frequent as its reverse: neither can be the usual one from both ends.
          const bool one_way = c == d && bundles[at].kind != reversed(bundles[at].kind);
          if (bundles[at].count > most && !one_way) most = bundles[at].count, kind = bundles[at].kind;
        }
        if (d < c || most <= rest) continue;  // said from the other end so that ties are broken once
        usual[{c, d}] = kind;
        usual[{d, c}] = reversed(kind);
      }
    }
    return usual;
  }

  /// Parts that hang together by unusual kinds; each with its nodes in the order of their cells.
  static Parts take_apart(const ArcLists& both, const StablePartition& cells) {
    const int n = both.size(), half = n / 2;
    const CellPairs usual = usual_kinds(both, cells);
    Sets sets(n);
    std::vector<int> neighbour_of(n, -1);
    for (int node = 0; node < n; ++node) {
      const int c = cells.cell_of(node);
      for (const Arc* arc = both.begin(node); arc != both.end(node); ++arc) {
        neighbour_of[arc->node] = node;
        const auto found = usual.find({c, cells.cell_of(arc->node)});
        if (found == usual.end() || found->second != arc->kind) sets.unite(node, arc->node);
      }
      for (auto entry = usual.lower_bound({c, 0}); entry != usual.end() && entry->first.first == c; ++entry)
        for (int at = entry->first.second; at < cells.end(entry->first.second); ++at) {
          const int other = cells.node_at(at);
          const bool same_side = (other < half) == (node < half);
          if (same_side && other != node && neighbour_of[other] != node) sets.unite(node, other);
        }
    }
    std::vector<std::vector<int>> all(n);
    for (int at = 0; at < n; ++at) all[sets.find(cells.node_at(at))].push_back(cells.node_at(at));
    Parts parts;
    for (std::vector<int>& nodes : all)
      if (nodes.size() > 1) parts.of[nodes.front() >= half].push_back(std::move(nodes));
    return parts;
  }

  Deadline& deadline_;
  std::vector<int> new_number_;  ///< of the nodes of a part; -1 for all others
};

}  // namespace

Outline::Outline(std::vector<int> classes, const std::vector<Edge>& edges, bool is_directed)
    : node_classes(std::move(classes)), directed(is_directed) {
  const std::vector<Joint> joints = joints_of(node_classes, edges, directed);
  lists.arcs.reserve(joints.size());
  lists.first.reserve(node_classes.size() + 1);
  auto joint = joints.begin();
  for (int node = 0; node < static_cast<int>(node_classes.size()); ++node) {
    for (; joint != joints.end() && joint->node == node; ++joint)
      lists.arcs.push_back({joint->other, code_of(joint->kind)});
    lists.close();
  }
}

std::uint64_t canonical_hash(const Outline& graph, Deadline& deadline) {
  StablePartition cells(graph.node_classes);
  cells.refine(graph.lists, deadline);
  Digest digest;
  digest.add(graph.directed);
  digest.add(graph.size());
  for (int c = 0; c < cells.size(); c = cells.end(c)) {
    const int node = cells.node_at(c);
    digest.add(cells.end(c));
    digest.add(graph.node_classes[node]);
    for (const Bundle& bundle : bundles_of(node, graph.lists, cells)) {
      digest.add(bundle.cell);
      digest.add(bundle.kind);
      digest.add(bundle.count);
    }
  }
  return digest.value();
}

bool isomorphic(const Outline& a, const Outline& b, Deadline& deadline) {
  if (a.directed != b.directed || a.size() != b.size() || a.lists.arcs.size() != b.lists.arcs.size()) return false;
  ArcLists both = a.lists;
  std::vector<int> classes = a.node_classes;
  classes.insert(classes.end(), b.node_classes.begin(), b.node_classes.end());
  for (int node = 0; node < b.size(); ++node) {
    for (const Arc* arc = b.lists.begin(node); arc != b.lists.end(node); ++arc)
      both.arcs.push_back({a.size() + arc->node, arc->kind});
    both.close();
  }
  return Matcher(deadline).match(both, StablePartition(classes));
}

int IsomorphismClasses::place(const Outline& graph, Deadline& deadline) {
  const std::uint64_t hash = canonical_hash(graph, deadline);
  const auto alike = by_hash_.find(hash);
  if (alike != by_hash_.end())
    for (int number : alike->second)
      if (isomorphic(firsts_[number], graph, deadline)) return number;
  if (deadline.expired()) return -1;
  const int number = static_cast<int>(firsts_.size());
  by_hash_[hash].push_back(number);
  firsts_.push_back(graph);
  return number;
}

}  // namespace graphedx
