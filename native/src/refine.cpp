#include "graphedx/dispatch.hpp"
#include "graphedx/dual_ascent.hpp"
#include "graphedx/local_search.hpp"
#include "graphedx/methods.hpp"

namespace graphedx {

namespace {

constexpr int kAscents = 3;  // the first starts are assignments: plain, and after each of these rounds

template <class W>
class Refinement {
 public:
  Refinement(const Weights<W>& weights, Deadline& deadline)
      : w_(weights), deadline_(deadline), ascent_(weights, deadline), local_(weights, deadline) {}

  void run(int starts) {
    ascent_.assignment().read_columns(best_columns_);
    best_ = w_.value_of(best_columns_);
    bool ascends = true;
    for (int start = 0; start < starts && !is_proven() && !deadline_.expired(); ++start) {
      ascends = ascends && start <= kAscents && (start == 0 || ascent_.tighten());
      if (ascends) {
        ascent_.assignment().read_columns(trial_);
      } else {
        trial_ = best_columns_;
        local_.shake(trial_, 2 + start % 4);
      }
      W value = w_.value_of(trial_);
      local_.improve(trial_, value);
      if (value >= best_) best_columns_ = trial_;  // equally good ones too: elsewhere, there may be better ones near
      best_ = std::max(best_, value);
    }
  }

  bool is_proven() const { return ascent_.bound() - best_ < w_.scale; }
  const std::vector<int>& best_columns() const { return best_columns_; }
  std::int64_t best_savings() const { return static_cast<std::int64_t>(best_ / w_.scale); }
  std::int64_t most_savings() const { return static_cast<std::int64_t>(ascent_.bound() / w_.scale); }

 private:
  const Weights<W>& w_;
  Deadline& deadline_;
  DualAscent<W> ascent_;
  LocalSearch<W> local_;
  std::vector<int> trial_, best_columns_;
  W best_ = 0;
};

}  // namespace

Answer solve_refine(const Task& task, Deadline& deadline) {
  return from_both_sides(task, [&](const Problem& problem) {
    return with_weights(problem, [&](const auto& weights) {
      Refinement refinement(weights, deadline);
      refinement.run(task.effort);
      return certified(task, problem, refinement.best_columns(), refinement.best_savings(), refinement.most_savings(),
                       deadline);
    });
  });
}

}  // namespace graphedx
