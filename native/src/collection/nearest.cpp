#include "graphedx/collection/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include "graphedx/collection/edge_budget.hpp"
#include "graphedx/collection/odds.hpp"
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

/// Up to how many ways of a graph to lose edges are tried, before what takes longer.
struct WaysTried {
  double at_once, before_bounds, before_search;
};
constexpr WaysTried kTried{1200, 20000, 1e5}, kTriedWithLabels{64, 3500, 0};  // labels leave little for a search

constexpr std::size_t kAhead = 6;         // graphs that are looked at before anybody knows what has become of the first
constexpr std::int64_t kLookedOn = 2;     // nodes, in a hurry, for a better mapping than one that is good enough
constexpr double kOfLower = 0.35;         // of the lower bound, is added to a guess
constexpr double kBelow = 1 - 1e-9;       // of a distance: what is less than that is nearer
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
        budget_(query, costs, !hurried_),
        lower_(screen_.lower()),
        upper_(collection.size(), INFINITY),
        known_(collection.size(), false),
        graphs_(collection.size()),
        seen_(collection.size(), kUnseen) {}

  Found run() {
    const bool complete = !wanted_.k ? go_to(wanted_.radius) : hurried_ ? hurry() : rise();
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
      const double next = of_rank(lower_, k) * kRounding;
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
      if (!known_[g] && lower_[g] <= level) open.push_back(static_cast<std::uint32_t>(g));
    std::sort(open.begin(), open.end(), [&](std::uint32_t x, std::uint32_t y) { return is_lower(x, y); });
    level_ = level;
    set_cutoff();
    std::atomic<bool> late{false};
    in_parallel(open.size(), wanted_.threads, 4, [&](Counter& next) {
      Deadline deadline(end_.seconds_left(), wanted_.cancelled, nullptr);
      for (std::size_t at; !late && (at = next++) < open.size();)
        if (!decide(open[at], deadline)) late = true;
    });
    return !late;
  }

  /// What is quicker comes first. False if time ran out.
  bool decide(std::uint32_t g, Deadline& deadline) {
    const double cutoff = cutoff_;
    const GraphContent content = content_of(g);
    const auto demand = collection_.directed ? std::nullopt : budget_.demand(content, cutoff);
    const double ways = demand ? demand->ways : INFINITY;
    const auto is_beyond = [&] { return !budget_.can_be_met(*demand, content) && rule_out(g, cutoff, demand->beyond); };
    const WaysTried& tried = labels_.of_nodes ? kTriedWithLabels : kTried;
    if (ways <= tried.at_once && is_beyond()) return true;
    if (seen_[g] == kUnseen) {
      lower_[g] = std::max(lower_[g], screen_.tighter(g));
      seen_[g] = kScreened;
    }
    if (lower_[g] > cutoff) return true;
    if (ways > tried.at_once && ways <= tried.before_bounds && is_beyond()) return true;

    std::unique_ptr<const Graph> brief;
    const Task task{query_, graph(g, content, brief), costs_, cutoff};
    check(task, g);
    if (deadline.expired()) return false;
    if (hurried_) return settle(g, cutoff, solve_within(task, deadline, {*wanted_.patience, kLookedOn})) || !deadline.struck();
    if (ways > tried.before_bounds && ways <= tried.before_search) {
      const Answer bounded = solve_within(task, deadline, {1});
      if (settle(g, cutoff, bounded) || is_beyond()) return true;
    }
    return settle(g, cutoff, solve_within(task, deadline));
  }

  /// Takes what a search says; false if that leaves the graph undecided.
  bool settle(std::uint32_t g, double cutoff, const Answer& answer) {
    seen_[g] = std::max<std::uint8_t>(seen_[g], answer.nodes > 1 ? kSearched : kBounded);
    lower_[g] = std::max(lower_[g], answer.lower);
    if (answer.upper <= cutoff || !hurried_) upper_[g] = std::min(upper_[g], answer.upper);
    if (answer.lower <= cutoff && answer.stop == Stop::kProved) {
      lower_[g] = answer.upper;
      if (!hurried_) add(g, answer.upper);
    }
    return answer.stop == Stop::kProved || answer.stop == Stop::kCutoff;
  }

  bool rule_out(std::uint32_t g, double cutoff, double bound) {
    seen_[g] = std::max<std::uint8_t>(seen_[g], kBounded);
    lower_[g] = std::max({lower_[g], screen_.rounded_up(g, bound), std::nextafter(cutoff, INFINITY)});
    return true;
  }

  // -- in a hurry -------------------------------------------------------------------------------------------------

  /// Looks for k graphs at a level where that many are likely to be, and then for nearer ones as long as those are
  /// likely. To begin too low is to look at all likely graphs for nothing; to begin too high is to find k soon, and what
  /// was not found there is not nearer either. False if time ran out.
  bool hurry() {
    const std::size_t k = std::min(*wanted_.k, collection_.size());
    if (k == 0) return true;
    guess();
    const double least = least_cost(costs_);
    double level = likely_level(k, least);
    double rise = std::max({least, kLeastRise * level, kLeastRise * wanted_.unit});
    while (true) {
      const double last = of_rank(upper_, k);
      if (last == 0 || last < least) return true;  // nothing is nearer
      const bool is_enough = last < INFINITY;
      const Looked looked = is_enough ? look_within(last - least, last * kBelow, k, &Tally::may_reach)
                                      : look_within(level, level * kRounding, k, &Tally::will_reach);
      if (looked == Looked::kLate) return false;
      if (looked == Looked::kFound) continue;
      if (is_enough) return true;
      level = std::max(level + rise, of_rank(lower_, k));
      rise *= 2;  // guesses may be any number of times too low
    }
  }

  void guess() {
    guess_ = lower_;
    double most = 0;
    for (std::size_t g = 0; g < wanted_.guessed.size(); ++g) {
      guess_[g] = wanted_.guessed[g] + kOfLower * lower_[g];
      if (std::isfinite(guess_[g])) most = std::max(most, guess_[g]);
    }
    for (double& guess : guess_)
      if (!std::isfinite(guess)) guess = most;  // time was too short, or a damaged file has any sizes
    tried_.assign(lower_.size(), -1.0);
    by_guess_.resize(lower_.size());
    std::iota(by_guess_.begin(), by_guess_.end(), 0);
    std::sort(by_guess_.begin(), by_guess_.end(), [&](std::uint32_t x, std::uint32_t y) {
      return guess_[x] != guess_[y] ? guess_[x] < guess_[y] : x < y;
    });
  }

  /// That each of k graphs is as likely to be within as not; a distance that there can be, if costs have a unit.
  double likely_level(std::size_t k, double least) const {
    std::vector<double> levels(lower_.size());
    for (std::size_t g = 0; g < levels.size(); ++g)
      levels[g] = std::max(lower_[g], guess_[g] - Odds::kEven * wanted_.unit);
    const double level = of_rank(levels, k), below = least > 0 ? std::floor(level / least) * least : level;
    return std::isfinite(below) ? std::max(below, of_rank(lower_, k)) : of_rank(lower_, k);
  }

  enum class Looked { kFound, kUnlikely, kLate };

  /// Decides for graphs that are not decided yet, the likeliest first, whether they are within the cutoff, until k are or
  /// `hope` is lost. The level is the last distance below the cutoff that there can be. Some are looked at before it is known
  /// what has become of those before them, whatever the number of threads: so that does not change what is found.
  Looked look_within(double level, double cutoff, std::size_t k, bool (Tally::*hope)(std::size_t) const) {
    const Odds odds(level, wanted_.unit);
    Tally tally;
    std::vector<std::uint32_t> open;
    for (std::uint32_t g : by_guess_) {
      const bool is_found = upper_[g] <= cutoff && upper_[g] < INFINITY;
      tally.found += is_found;
      if (!is_found && lower_[g] <= cutoff && tried_[g] < cutoff) {
        tally.add(odds(guess_[g]));
        open.push_back(g);
      } else if (seen_[g] > kScreened) {  // what the screen has ruled out tells nothing of the others
        tally.looked_at += odds(guess_[g]);
      }
    }
    const auto go_on = [&] { return tally.found < k && (tally.*hope)(k); };
    const auto settle = [&](std::size_t at) {
      const std::uint32_t g = open[at];
      tally.take(odds(guess_[g]), seen_[g] > kScreened);
      if (upper_[g] <= cutoff) ++tally.found;
      else tried_[g] = cutoff;
    };
    level_ = cutoff;
    set_cutoff();
    const auto look = [&](std::size_t at) {
      Deadline deadline(end_.seconds_left(), wanted_.cancelled, nullptr);
      return decide(open[at], deadline);
    };
    if (!in_parallel_ahead(open.size(), wanted_.threads, kAhead, go_on, look, settle)) return Looked::kLate;
    return tally.found < k ? Looked::kUnlikely : Looked::kFound;
  }

  static double of_rank(std::vector<double> values, std::size_t rank) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  bool is_lower(std::uint32_t x, std::uint32_t y) const { return lower_[x] != lower_[y] ? lower_[x] < lower_[y] : x < y; }

  /// It is kept for the next level or, where many large ones are, by the caller.
  const Graph& graph(std::uint32_t g, const GraphContent& content, std::unique_ptr<const Graph>& brief) {
    if (graphs_[g]) return *graphs_[g];
    brief = std::make_unique<const Graph>(content.node_classes, content.edges, collection_.directed);
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

  /// A graph without the labels that do not count.
  GraphContent content_of(std::uint32_t g) const {
    GraphContent content = collection_.content(g);
    if (!labels_.of_nodes) std::fill(content.node_classes.begin(), content.node_classes.end(), 0);
    if (!labels_.of_edges)
      for (Edge& edge : content.edges) edge.label_class = 0;
    return content;
  }

  void add(std::uint32_t g, double distance) {
    std::lock_guard<std::mutex> lock(mutex_);
    known_[g] = true;
    distances_.insert(std::upper_bound(distances_.begin(), distances_.end(), distance), distance);
    set_cutoff();
  }

  /// It falls as graphs are found; but not in a hurry, where what is found must not depend on who comes first.
  void set_cutoff() {
    const bool falls = !hurried_ && wanted_.k && distances_.size() >= *wanted_.k;
    cutoff_ = falls ? std::min(level_, distances_[*wanted_.k - 1] * kRounding) : level_;
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
    if (hurried_) looked_at = wanted_.k.value_or(0);
    looked_at = std::min(order.size(), looked_at);
    if (hurried_ && looked_at > 0 && of_rank(upper_, looked_at) < INFINITY) looked_at = 0;  // there are enough
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(looked_at), order.end(),
                      [&](std::uint32_t x, std::uint32_t y) { return is_lower(x, y); });
    std::vector<Hit> hits;
    Deadline soon(kGuessing, wanted_.cancelled, nullptr);
    const Method branch = find_method("branch");
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::uint32_t g = order[at];
      if (known_[g] || (hurried_ && upper_[g] < INFINITY)) {
        hits.push_back({std::min(lower_[g], upper_[g]), upper_[g], g});
      } else if (at < looked_at && !(wanted_.cancelled && *wanted_.cancelled)) {
        std::unique_ptr<const Graph> brief;
        const Task task{query_, graph(g, content_of(g), brief), costs_};
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
  EdgeBudget budget_;
  std::vector<double> lower_;  // the distance, where that is known
  std::vector<double> upper_;  // of what was searched; in a hurry, of what was found
  std::vector<std::uint8_t> known_;
  std::vector<std::unique_ptr<const Graph>> graphs_;  // that are kept
  std::atomic<std::size_t> kept_cells_{0};
  std::vector<std::uint8_t> seen_;
  std::mutex mutex_;
  std::vector<double> distances_;  // known, sorted
  double level_ = 0;
  std::atomic<double> cutoff_{0};
  std::vector<double> guess_, tried_;       // in a hurry: the distance, about; the cutoff that was not reached
  std::vector<std::uint32_t> by_guess_;
};

}  // namespace

Found nearest(const Collection& collection, const Graph& query, const CostTables& costs, Labels labels,
              const Wanted& wanted) {
  return Quest(collection, query, costs, labels, wanted).run();
}

}  // namespace graphedx
