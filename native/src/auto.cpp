#include <algorithm>
#include <optional>
#include <utility>

#include "graphedx/methods.hpp"
#include "graphedx/refinement.hpp"
#include "graphedx/search.hpp"

namespace graphedx {

namespace {

constexpr int kEasyRows = 32;   // up to here a tree alone is best: it is usually searched to the end
constexpr int kHardRows = 128;  // from here on a tree alone is hopeless
constexpr double kMostCells = 250000;      // node pairs that trees are worth their memory for
constexpr double kSecondsACell = 2e-8;     // to fill their tables
constexpr std::int64_t kFirstNodes = 20000;  // of a tree, before anything else is tried; then ever more
constexpr int kStarts = 200;
constexpr double kHurry = 0.002;  // seconds: a deep tree that is cut off then has worse mappings than a beam
constexpr int kExpansions = 3000;
constexpr double kPatience = 60;  // seconds, where no limit was given: what is not proven by then may never be

/// How long a step may take: a part of the time that is left or, without a limit, a number of nodes or starts, so that
/// the answer does not depend on the clock.
struct Slice {
  double part;
  std::int64_t amount;
};

/// Interleaves what raises the lower bound with what lowers the upper one:
///   refine       local search;
///   depth_first  a tree below the best mapping known: it ends with a proof, or with a better mapping;
///   candidates   the bounds and the mapping that are made for large graphs: quick, also where a tree is not;
///   from_above   trees that look only for mappings close to the bound: much smaller ones, and each that ends without
///                such a mapping lowers the bound.
template <class W>
class Portfolio {
 public:
  /// `first` is what is known already.
  Portfolio(const Task& task, const Problem& problem, Deadline& deadline, Answer first)
      : task_(task), problem_(problem), deadline_(deadline), answer_(std::move(first)) {}

  Answer run() {
    tell();
    if (problem_.rows <= kEasyRows) {
      depth_first({0.8, kFirstNodes});
    } else {
      take(solve_branch(task_, deadline_));
      if (problem_.rows <= kHardRows) depth_first({0.1, kFirstNodes / 2});
      candidates({0.25, 0});
      refine({0.1, kStarts});
      depth_first({0.6, kFirstNodes});
    }
    for (std::int64_t growth = 1; is_open(); growth *= 2) {
      if (problem_.rows > kEasyRows && !converged_) candidates({0.4, 0});
      from_above({0.4, growth * kFirstNodes});
      refine({0.2, growth * kStarts});
      depth_first({0.5, 2 * growth * kFirstNodes});
    }
    return std::move(answer_);
  }

 private:
  bool is_open() { return bound_ > best_ && answer_.lower < answer_.upper && !deadline_.expired(); }

  void refine(Slice slice) {
    if (!is_open()) return;
    begin(slice);
    if (!weights_) weights_.emplace(problem_);
    if (!refinement_) refinement_.emplace(*weights_, deadline_);
    refinement_->run(static_cast<int>(std::min<std::int64_t>(slice.amount, INT32_MAX)));
    deadline_.go_on();
    learn(refinement_->best_savings(), refinement_->best_columns(), refinement_->most_savings());
  }

  void candidates(Slice slice) {
    if (!is_open()) return;
    begin(slice);
    Task task = task_;
    if (task_.improved) task.improved = [&](const Answer& found) { take(found); };
    const Answer found = solve_large(task, deadline_);
    deadline_.go_on();
    converged_ = found.stop == Stop::kBound && !deadline_.expired();
    take(found);
    const std::vector<int> columns = problem_.columns_of(found.images);
    learn(savings_of(columns), columns, most_savings(problem_, found.lower));
  }

  void depth_first(Slice slice) {
    if (is_open()) search(best_, slice);
  }

  void from_above(Slice slice) {
    while (is_open() && bound_ - best_ > reach_) {
      if (!search(bound_ - reach_, slice)) {
        reach_ = std::max<std::int64_t>(1, reach_ / 2);
        return;
      }
      reach_ *= 2;
    }
  }

  /// True if the tree was searched to its end.
  bool search(std::int64_t threshold, Slice slice) {
    begin(slice);
    Search<W> search(problem_, deadline_);
    if (task_.improved)
      search.on_improvement([&] { learn(search.best_savings(), search.best_columns(), search.root_bound()); });
    if (!columns_.empty()) search.start_from(columns_);
    search.run(threshold, is_limited() ? INT64_MAX : slice.amount);
    deadline_.go_on();
    answer_.nodes += search.nodes();
    learn(search.best_savings(), search.best_columns(),
          search.finished() ? threshold : std::max(threshold, search.savings_bound()));
    return search.finished();
  }

  std::int64_t savings_of(const std::vector<int>& columns) {
    if (!weights_) weights_.emplace(problem_);
    if (problem_.mandatory && std::count(columns.begin(), columns.end(), -1) > 0) return -1;
    for (int i = 0; i < problem_.rows; ++i)
      if (columns[i] >= 0 && weights_->is_forbidden(i, columns[i])) return -1;
    return static_cast<std::int64_t>(weights_->value_of(columns) / weights_->scale);
  }

  bool is_limited() const { return deadline_.is_limited(); }
  void begin(Slice slice) {
    if (is_limited()) deadline_.pause_in(slice.part * deadline_.seconds_left());
  }

  /// No mapping saves more than `most`, or else than the best one.
  void learn(std::int64_t savings, const std::vector<int>& columns, std::int64_t most) {
    if (savings > best_) best_ = savings, columns_ = columns;
    bound_ = std::max(best_, std::min(bound_, most));
    take(certified(task_, problem_, columns_, best_, bound_, deadline_));
  }

  void take(Answer found) {
    const double lower = answer_.lower, upper = answer_.upper;
    answer_ = combined(std::move(answer_), std::move(found));
    if (answer_.lower > lower || answer_.upper < upper) tell();
  }

  void tell() const {
    if (task_.improved) task_.improved(answer_);
  }

  const Task& task_;
  const Problem& problem_;
  Deadline& deadline_;
  Answer answer_;
  std::int64_t best_ = -1, bound_ = INT64_MAX;  // savings
  std::vector<int> columns_;                    // of the best mapping
  bool converged_ = false;                      // whether candidates would say the same again
  std::int64_t reach_ = 1;                      // how far below the bound trees from above look
  std::optional<Weights<W>> weights_;
  std::optional<Refinement<W>> refinement_;
};

}  // namespace

Answer solve_auto(const Task& task, Deadline& deadline) {
  if (!deadline.is_limited() && !task.endless) deadline.lose_patience_in(kPatience);
  const double cells = static_cast<double>(task.source.size()) * task.target.size();
  if (cells > kMostCells || deadline.seconds_left() < cells * kSecondsACell) return solve_large(task, deadline);
  if (task.cutoff < INFINITY) return solve_exact(task, deadline);  // a yes or no: the tree that asks just that is best
  Answer first = trivial_answer(task, deadline);
  if (deadline.seconds_left() < kHurry && std::min(task.source.size(), task.target.size()) <= kEasyRows) {
    first = combined(std::move(first),
                     solve_beam(Task{task.source, task.target, task.costs, INFINITY, kExpansions}, deadline));
    if (first.stop != Stop::kBound) return first;
  }
  const Problem problem(task.source, task.target, task.costs);
  Answer answer = Weights<std::int32_t>::fits(problem)
                      ? Portfolio<std::int32_t>(task, problem, deadline, std::move(first)).run()
                      : Portfolio<std::int64_t>(task, problem, deadline, std::move(first)).run();
  // Proven as far as this lattice can tell, but that is not far enough: the exact search refines the lattice.
  if (answer.stop == Stop::kBound) answer = combined(std::move(answer), solve_exact(task, deadline));
  return answer;
}

}  // namespace graphedx
