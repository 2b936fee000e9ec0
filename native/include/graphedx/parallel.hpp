// Tasks that several threads take from a counter, one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

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

}  // namespace graphedx
