// Tasks that several threads take from a counter, one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace graphedx {

using Counter = std::atomic<std::size_t>;

/// Calls `work` here and in up to so many other threads at the same time, and returns when all calls have; it must not
/// throw. Threads are kept for the next who asks: what they have in their caches and heaps is worth more than starting
/// them. In fewer threads if no more are to be had.
void run_together(std::size_t others, const std::function<void()>& work);

/// Runs work(counter) in several threads, each of which takes the next of `count` tasks from the counter until none is
/// left. Which thread does what must not matter. There are no more threads than leave each `fewest` tasks: waking one
/// takes its time, too. The first exception is thrown here.
template <class Work>
void in_parallel(std::size_t count, int threads, std::size_t fewest, const Work& work) {
  Counter next{0};
  std::exception_ptr trouble;
  std::mutex mutex;
  const std::size_t wanted = std::min(static_cast<std::size_t>(threads), count / fewest);
  run_together(wanted > 1 ? wanted - 1 : 0, [&] {
    try {
      work(next);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!trouble) trouble = std::current_exception();
      next = count;
    }
  });
  if (trouble) std::rethrow_exception(trouble);
}

/// Runs work(0), work(1), ... in several threads as long as go_on() says so, `ahead` of them at a time. What they found is
/// taken in by settle(0), settle(1), ..., by one thread at a time: before work(i) begins, that of all up to i - ahead, and
/// of no others, so that what go_on() decides does not depend on threads; the rest at the end. False, and nothing more is
/// begun or settled, as soon as work() returns false.
template <class GoOn, class Work, class Settle>
bool in_parallel_ahead(std::size_t count, int threads, std::size_t ahead, const GoOn& go_on, const Work& work,
                       const Settle& settle) {
  std::vector<char> ready(count, 0);
  std::size_t next = 0, settled = 0;
  bool over = false, failed = false;
  std::mutex mutex;
  std::condition_variable changed;
  in_parallel(count, threads, 2, [&](Counter&) {
    std::unique_lock<std::mutex> lock(mutex);
    const auto end = [&] { over = true, changed.notify_all(); };
    try {
      while (true) {
        changed.wait(lock, [&] { return over || next == count || next < ahead || ready[next - ahead]; });
        if (over || next == count) return;
        if (next >= ahead) settle(settled++);
        if (!go_on()) return end();
        const std::size_t mine = next++;
        lock.unlock();
        const bool done = work(mine);
        lock.lock();
        if (!done) return failed = true, end();
        ready[mine] = 1;
        changed.notify_all();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      end();
      throw;
    }
  });
  while (!failed && settled < next) settle(settled++);
  return !failed;
}

}  // namespace graphedx
