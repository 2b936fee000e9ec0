// The same pseudo-random numbers every time.
#pragma once

#include <cstdint>

namespace graphedx {

/// Marsaglia's xorshift64.
class Random {
 public:
  /// In [0, 1).
  double uniform() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  int below(int count) { return static_cast<int>(uniform() * count); }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15u;
};

}  // namespace graphedx
