// Whole numbers as bytes: small ones take one, and what is read is never trusted.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace graphedx {

using Bytes = std::vector<std::uint8_t>;

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
inline void write_number(Bytes& bytes, std::uint32_t number) {
  for (; number >= 128; number >>= 7) bytes.push_back(static_cast<std::uint8_t>(number | 128));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

/// Reads what write_number wrote; throws std::invalid_argument at anything else.
class NumberReader {
 public:
  NumberReader(const std::uint8_t* begin, const std::uint8_t* end) : at_(begin), end_(end) {}

  bool done() const { return at_ == end_; }

  int next() {
    std::uint32_t number = 0;
    for (int shift = 0; shift < 32; shift += 7) {
      if (at_ == end_) break;
      const std::uint8_t byte = *at_++;
      number |= static_cast<std::uint32_t>(byte & 127) << shift;
      if (byte < 128) {
        if (number > INT32_MAX) break;
        return static_cast<int>(number);
      }
    }
    throw std::invalid_argument("the bytes of a graph are damaged");
  }

  /// A number of things that follow, of which each takes at least so many bytes.
  int count(int bytes_each) {
    const int number = next();
    if (number > (end_ - at_) / bytes_each) throw std::invalid_argument("the bytes of a graph are damaged");
    return number;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace graphedx
