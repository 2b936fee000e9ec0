// Tasks that several threads take from a counter, one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace graphedx {

using Counter = std::atomic<std::size_t>;

/// Runs work(counter) in several threads, each of which takes the next of `count` tasks from the counter until none is
/// left. Which thread does what must not matter. There are no more threads than leave each `fewest` tasks: starting one
/// takes its time, too. The first exception is thrown here.
template <class Work>
void in_parallel(std::size_t count, int threads, std::size_t fewest, const Work& work) {
  Counter next{0};
  std::exception_ptr trouble;
  std::mutex mutex;
  const auto run = [&] {
    try {
      work(next);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!trouble) trouble = std::current_exception();
      next = count;
    }
  };
  const std::size_t wanted = std::min(static_cast<std::size_t>(threads), count / fewest);
  std::vector<std::thread> others;
  try {
    for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads are to be had: those there are do all of it.
  }
  run();
  for (std::thread& other : others) other.join();
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace graphedx
