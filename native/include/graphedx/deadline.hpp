// When to stop: a time limit, a flag that another thread sets, or a caller who is asked now and then.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <utility>

namespace graphedx {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// `seconds` may be infinite. `cancelled` may be null. `interrupted`, if given, is called every 20 ms or so.
  Deadline(double seconds, const std::atomic<bool>* cancelled, std::function<bool()> interrupted)
      : cancelled_(cancelled), interrupted_(std::move(interrupted)), last_asked_(Clock::now()) {
    limited_ = seconds < 1e9;
    if (limited_) end_ = last_asked_ + duration(seconds);
  }

  /// For tests: a deadline with a simulated clock. Every query of the time advances it by `tick` > 0 seconds and nothing
  /// else does, so that the limit expires at the same point of a computation in every run.
  static Deadline simulated(double seconds, double tick, const std::atomic<bool>* cancelled = nullptr,
                            std::function<bool()> interrupted = nullptr) {
    Deadline deadline(seconds, cancelled, std::move(interrupted));
    deadline.tick_ = std::max(duration(tick), Clock::duration(1));
    deadline.simulated_now_ = deadline.last_asked_;
    return deadline;
  }

  /// Costs tens of nanoseconds; call it once a search node.
  bool expired() {
    if (stopped_) return true;
    if (cancelled_ && cancelled_->load(std::memory_order_relaxed)) return was_interrupted_ = stopped_ = true;
    if (!limited_ && !interrupted_ && !pausing_ && !impatient_) return false;
    const auto now = this->now();
    if (limited_ && now >= end_) return stopped_ = true;
    if (impatient_ && now >= patience_) return ran_out_of_patience_ = stopped_ = true;
    if (pausing_ && now >= pause_) return true;
    if (interrupted_ && now - last_asked_ > std::chrono::milliseconds(20)) {
      last_asked_ = now;
      if (interrupted_()) was_interrupted_ = stopped_ = true;
    }
    return stopped_;
  }

  /// From then on `expired` says yes, until it is told to go on: for work that is done in slices.
  void pause_in(double seconds) {
    pausing_ = true;
    pause_ = now() + duration(seconds);
  }
  void go_on() { pausing_ = false; }

  /// The end of a search that nobody set a limit to. It is not a limit: nothing is planned by it.
  void lose_patience_in(double seconds) {
    impatient_ = true;
    patience_ = now() + duration(seconds);
  }

  void strike() { stopped_ = true; }  ///< as if time were up
  /// For a step that is left out because it would take longer than there is time.
  void strike_unless_pausing() { stopped_ = stopped_ || !pausing_; }
  bool is_limited() const { return limited_; }
  /// Until the end, or the pause if that comes first; infinite without either.
  double seconds_left() const {
    if (!limited_ && !pausing_) return std::numeric_limits<double>::infinity();
    const auto end = limited_ && pausing_ ? std::min(end_, pause_) : limited_ ? end_ : pause_;
    return std::chrono::duration<double>(end - now()).count();
  }
  bool struck() const { return stopped_; }  ///< whether anybody was told to stop
  bool ran_out_of_patience() const { return ran_out_of_patience_; }
  bool was_interrupted() const { return was_interrupted_; }

 private:
  Clock::time_point now() const { return tick_.count() ? simulated_now_ += tick_ : Clock::now(); }

  static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  const std::atomic<bool>* cancelled_;
  std::function<bool()> interrupted_;
  Clock::time_point last_asked_;
  Clock::time_point end_{}, pause_{}, patience_{};
  Clock::duration tick_{0};  // of the simulated clock; 0: the clock is real
  mutable Clock::time_point simulated_now_{};
  bool limited_ = false;
  bool pausing_ = false;
  bool impatient_ = false;
  bool ran_out_of_patience_ = false;
  bool stopped_ = false;
  bool was_interrupted_ = false;
};

}  // namespace graphedx
