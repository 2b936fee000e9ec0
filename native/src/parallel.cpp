#include "graphedx/parallel.hpp"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <system_error>
#include <thread>

namespace graphedx {

namespace {

/// Work that several threads are wanted for; it lives as long as the call that asked.
struct Call {
  const std::function<void()>& work;
  std::size_t wanted;      // threads that may still come
  std::size_t inside = 0;  // threads that are at it
};

/// Threads that wait for calls.
class Team {
 public:
  explicit Team(pid_t process) : process_(process) {}

  bool is_of(pid_t process) const { return process_ == process; }

  void run(std::size_t others, const std::function<void()>& work) {
    Call call{work, others};
    {
      std::lock_guard<std::mutex> lock(mutex_);
      grow(others);
      calls_.push_back(&call);
    }
    asked_.notify_all();
    work();
    std::unique_lock<std::mutex> lock(mutex_);
    // Whoever has not come by now need not come any more.
    calls_.erase(std::remove(calls_.begin(), calls_.end(), &call), calls_.end());
    left_.wait(lock, [&] { return call.inside == 0; });
  }

 private:
  /// So that as many wait as are wanted, if there can be so many.
  void grow(std::size_t wanted) {
    try {
      for (; waiting_ < wanted; ++waiting_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      // No more threads are to be had: those there are do all of it.
    }
  }

  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      asked_.wait(lock, [&] { return !calls_.empty(); });
      Call& call = *calls_.front();
      if (--call.wanted == 0) calls_.pop_front();
      ++call.inside;
      --waiting_;
      lock.unlock();
      call.work();
      lock.lock();
      ++waiting_;
      if (--call.inside == 0) left_.notify_all();
    }
  }

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable asked_, left_;
  std::deque<Call*> calls_;  // that threads are still wanted for
  std::size_t waiting_ = 0;
};

/// That of this process: a child has no threads but the one that forked, so it gets a team of its own. Teams are never
/// taken apart, as threads may wait in them until the process ends.
Team& team() {
  static std::atomic<Team*> current{nullptr};  // no mutex: another thread could hold it while this process forks
  const pid_t process = getpid();
  Team* found = current;
  while (found == nullptr || !found->is_of(process)) {
    Team* fresh = new Team(process);
    if (current.compare_exchange_strong(found, fresh)) return *fresh;
    delete fresh;
  }
  return *found;
}

}  // namespace

void run_together(std::size_t others, const std::function<void()>& work) {
  if (others == 0) return work();
  team().run(others, work);
}

}  // namespace graphedx
