// Memory that is not cleared: for tables that are written before they are read.
#pragma once

#include <cstddef>
#include <memory>

namespace graphedx {

template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : data_(new T[size]) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  std::unique_ptr<T[]> data_;
};

}  // namespace graphedx
