// Memory that is not cleared: for tables that are written before they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace graphedx {

/// Bytes, aligned for anything. Large blocks that are no longer needed are kept for the next who asks, a few in each
/// thread: a search of microseconds would else spend many of them on giving a megabyte back and getting it again.
class Block {
 public:
  explicit Block(std::size_t bytes);
  void* data() const { return data_.get(); }

 private:
  struct GiveBack {
    std::size_t bytes;
    void operator()(void* data) const;
  };
  std::unique_ptr<void, GiveBack> data_;
};

template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : memory_(size * sizeof(T)) {}
  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  Block memory_;
};

}  // namespace graphedx
