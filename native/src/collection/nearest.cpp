#include "graphedx/collection/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "graphedx/methods.hpp"
#include "graphedx/parallel.hpp"
#include "graphedx/within.hpp"

namespace graphedx {

namespace {

constexpr double kLeastRise = 0.1;      // of a level over the one before it, where costs have no unit to rise by
constexpr double kRounding = 1 + 1e-11;  // of sums of the same costs in another order: nothing is lost by more
constexpr double kTied = 1 + 1e-14;      // the same for distances that count as equal, where less is better
constexpr std::size_t kGuessed = 4;     // for each graph wanted, so many are looked at when time has run out ...
constexpr double kGuessing = 0.05;      // ... for so many seconds at most
constexpr std::size_t kMostKept = 1 << 26;  // pairs of nodes, of graphs that are kept for the next level

/// The least that an edit costs which costs anything.
double least_cost(const CostTables& costs) {
  double least = INFINITY;
  for (const auto* table :
       {&costs.node_del, &costs.node_ins, &costs.node_sub, &costs.edge_del, &costs.edge_ins, &costs.edge_sub})
    for (double cost : *table)
      if (cost > 0) least = std::min(least, cost);
  return least == INFINITY ? 0 : least;
}

class Quest {
 public:
  Quest(const Collection& collection, const Graph& query, const CostTables& costs, Labels labels, const Wanted& wanted)
      : collection_(collection),
        query_(query),
        costs_(costs),
        labels_(labels),
        wanted_(wanted),
        end_(wanted.seconds, wanted.cancelled, nullptr),
        hurried_(wanted.patience.has_value()),
        screen_(collection, query, costs, labels, wanted.threads, end_),
        lower_(screen_.lower()),
        upper_(collection.size(), INFINITY),
        known_(collection.size(), false),
        graphs_(collection.size()),
        seen_(collection.size(), kUnseen) {}

  Found run() {
    const bool complete = wanted_.k ? rise() : go_to(wanted_.radius);
    return complete && !hurried_ ? proven() : best_known();
  }

 private:
  enum : std::uint8_t { kUnseen, kScreened, kBounded, kSearched };

  // -- levels -----------------------------------------------------------------------------------------------------

  bool rise() {
    const std::size_t k = std::min(*wanted_.k, collection_.size());
    if (k == 0) return true;
    const double least = least_cost(costs_);
    double level = 0;
    for (bool first = true;; first = false) {
      std::vector<double> sorted(lower_);
      for (std::size_t g = 0; g < wanted_.guessed.size(); ++g) sorted[g] = std::max(sorted[g], wanted_.guessed[g]);
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k - 1), sorted.end());
      const double next = sorted[k - 1] * kRounding;
      level = first ? next : std::max(next, level + std::max(least, kLeastRise * level));
      if (!go_to(level)) return false;
      if (distances_.size() >= k) return true;
    }
  }

  /// Decides for every graph whether it is within the level, or within the k-th distance if that is less. False if time
  /// ran out.
  bool go_to(double level) {
    std::vector<std::uint32_t> open;
    for (std::size_t g = 0; g < lower_.size(); ++g)
      if (!known_[g] && lower_[g] <= level && (wanted_.guessed.empty() || wanted_.guessed[g] <= level))
        open.push_back(static_cast<std::uint32_t>(g));
    if (!hurried_)
      std::sort(open.begin(), open.end(), [&](std::uint32_t x, std::uint32_t y) { return is_lower(x, y); });
    level_ = level;
    set_cutoff();
    std::atomic<bool> late{false};
    in_parallel(open.size(), wanted_.threads, 4, [&](Counter& next) {
      Deadline deadline(end_.seconds_left(), wanted_.cancelled, nullptr);
      for (std::size_t at; !late && !(hurried_ && enough_) && (at = next++) < open.size();)
        if (!decide(open[at], deadline)) late = true;
    });
    return !late;
  }

  bool decide(std::uint32_t g, Deadline& deadline) {
    const double cutoff = cutoff_;
    if (seen_[g] == kUnseen) {
      lower_[g] = std::max(lower_[g], screen_.tighter(g));
      seen_[g] = kScreened;
    }
    if (lower_[g] > cutoff) return true;
    std::unique_ptr<const Graph> brief;
    const Task task{query_, graph(g, brief), costs_, cutoff};
    check(task, g);
    if (deadline.expired()) return false;
    const Answer answer = solve_within(task, deadline, wanted_.patience.value_or(INT64_MAX));
    seen_[g] = std::max<std::uint8_t>(seen_[g], answer.nodes > 1 ? kSearched : kBounded);
    const bool decided = answer.stop == Stop::kProved || answer.stop == Stop::kCutoff;
    lower_[g] = std::max(lower_[g], answer.lower);
    upper_[g] = std::min(upper_[g], answer.upper);
    if (answer.lower <= cutoff && (answer.stop == Stop::kProved || (hurried_ && answer.upper <= cutoff))) {
      if (answer.stop == Stop::kProved) lower_[g] = answer.upper;
      add(g, answer.upper);
    }
    return decided || (hurried_ && !deadline.struck());
  }

  bool is_lower(std::uint32_t x, std::uint32_t y) const { return lower_[x] != lower_[y] ? lower_[x] < lower_[y] : x < y; }

  /// It is kept for the next level or, where many large ones are, by the caller.
  const Graph& graph(std::uint32_t g, std::unique_ptr<const Graph>& brief) {
    if (graphs_[g]) return *graphs_[g];
    brief = opened(g);
    const std::size_t cells = static_cast<std::size_t>(brief->size()) * brief->size();
    if (kept_cells_.fetch_add(cells) + cells > kMostKept) return *brief;
    graphs_[g] = std::move(brief);
    return *graphs_[g];
  }

  void check(const Task& task, std::uint32_t g) const {
    task.check();
    if (!fits_table(task))
      throw TooLarge("the query has " + std::to_string(task.source.size()) + " nodes and graph " + std::to_string(g) +
                     " of the index " + std::to_string(task.target.size()) +
                     ": a search compares all pairs of them, which is too much; compare such graphs one by one");
  }

  std::unique_ptr<const Graph> opened(std::uint32_t g) const {
    GraphContent content = collection_.content(g);
    if (!labels_.of_nodes) std::fill(content.node_classes.begin(), content.node_classes.end(), 0);
    if (!labels_.of_edges)
      for (Edge& edge : content.edges) edge.label_class = 0;
    return std::make_unique<const Graph>(std::move(content.node_classes), content.edges, collection_.directed);
  }

  void add(std::uint32_t g, double distance) {
    std::lock_guard<std::mutex> lock(mutex_);
    known_[g] = true;
    distances_.insert(std::upper_bound(distances_.begin(), distances_.end(), distance), distance);
    set_cutoff();
  }

  void set_cutoff() {
    enough_ = wanted_.k && distances_.size() >= *wanted_.k;
    cutoff_ = enough_ ? std::min(level_, distances_[*wanted_.k - 1] * kRounding) : level_;
  }

  // -- answers ----------------------------------------------------------------------------------------------------

  Found proven() {
    double last = wanted_.radius;
    if (wanted_.k) last = distances_.empty() ? 0 : distances_[std::min(*wanted_.k, distances_.size()) - 1] * kTied;
    std::vector<Hit> hits;
    for (std::size_t g = 0; g < lower_.size(); ++g)
      if (known_[g] && lower_[g] <= last) hits.push_back({lower_[g], lower_[g], static_cast<std::int64_t>(g)});
    return found(std::move(hits), true);
  }

  /// What time has left unproven: those that have a mapping that is good enough, or among the best that there are.
  Found best_known() {
    std::vector<std::uint32_t> order(lower_.size());
    for (std::size_t g = 0; g < order.size(); ++g) order[g] = static_cast<std::uint32_t>(g);
    std::size_t looked_at = kGuessed * std::max<std::size_t>(16, wanted_.k.value_or(0));
    if (hurried_) looked_at = enough_ ? 0 : wanted_.k.value_or(0);
    looked_at = std::min(order.size(), looked_at);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(looked_at), order.end(),
                      [&](std::uint32_t x, std::uint32_t y) { return is_lower(x, y); });
    std::vector<Hit> hits;
    Deadline soon(kGuessing, wanted_.cancelled, nullptr);
    const Method branch = find_method("branch");
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::uint32_t g = order[at];
      if (known_[g]) {
        hits.push_back({lower_[g], upper_[g], g});
      } else if (at < looked_at && !(wanted_.cancelled && *wanted_.cancelled)) {
        std::unique_ptr<const Graph> brief;
        const Task task{query_, graph(g, brief), costs_};
        task.check();
        const Answer answer = fits_table(task) && !soon.expired() ? branch(task, soon) : trivial_answer(task, soon);
        hits.push_back({std::min(answer.upper, std::max(lower_[g], answer.lower)), answer.upper, g});
      }
    }
    std::sort(hits.begin(), hits.end());
    if (wanted_.k) {
      hits.resize(std::min(hits.size(), *wanted_.k));
    } else {
      const auto beyond = [&](const Hit& hit) { return hit.upper > wanted_.radius; };
      hits.erase(std::find_if(hits.begin(), hits.end(), beyond), hits.end());
    }
    return found(std::move(hits), false);
  }

  struct Hit {
    double lower, upper;
    std::int64_t position;
    bool operator<(const Hit& other) const { return upper != other.upper ? upper < other.upper : position < other.position; }
  };

  Found found(std::vector<Hit> hits, bool complete) const {
    std::sort(hits.begin(), hits.end());
    Found result{{}, {}, {}, complete, INFINITY, 0, 0};
    std::vector<bool> listed(lower_.size(), false);
    for (const Hit& hit : hits) {
      result.positions.push_back(hit.position);
      result.lower.push_back(hit.lower);
      result.upper.push_back(hit.upper);
      listed[hit.position] = true;
    }
    for (std::size_t g = 0; g < lower_.size(); ++g)
      if (!listed[g]) result.unseen = std::min(result.unseen, lower_[g]);
    for (std::uint8_t seen : seen_) result.bounded += seen >= kBounded, result.searched += seen == kSearched;
    return result;
  }

  const Collection& collection_;
  const Graph& query_;
  const CostTables& costs_;
  const Labels labels_;
  const Wanted& wanted_;
  Deadline end_;
  const bool hurried_;
  const Screen screen_;
  std::vector<double> lower_;  // the distance, where that is known
  std::vector<double> upper_;  // of what was searched
  std::vector<std::uint8_t> known_;
  std::vector<std::unique_ptr<const Graph>> graphs_;  // that are kept
  std::atomic<std::size_t> kept_cells_{0};
  std::vector<std::uint8_t> seen_;
  std::mutex mutex_;
  std::vector<double> distances_;  // known, sorted
  double level_ = 0;
  std::atomic<double> cutoff_{0};
  std::atomic<bool> enough_{false};
};

}  // namespace

Found nearest(const Collection& collection, const Graph& query, const CostTables& costs, Labels labels,
              const Wanted& wanted) {
  return Quest(collection, query, costs, labels, wanted).run();
}

}  // namespace graphedx
