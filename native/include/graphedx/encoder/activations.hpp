// Sigmoid and tanh of whole registers: within 3 ulp for floats, those of the standard library for doubles.
#pragma once

#include "graphedx/set_terms/lanes.hpp"

namespace graphedx {

inline FloatLanes sigmoid_of(const FloatLanes& x) { return 1.0F / (1.0F + exp_of(-x)); }
inline DoubleLanes sigmoid_of(const DoubleLanes& x) { return 1.0 / (1.0 + exp_of(-x)); }

/// Near 0 by a polynomial (Cephes), so that small numbers keep all their digits.
inline FloatLanes tanh_of(const FloatLanes& x) {
  const FloatLanes size = absolute_of(x), square = x * x;
  FloatLanes poly = spread(-5.70498872745e-3F);
  poly = poly * square + 2.06390887954e-2F;
  poly = poly * square - 5.37397155531e-2F;
  poly = poly * square + 1.33314422036e-1F;
  poly = poly * square - 3.33332819422e-1F;
  const FloatLanes far = 1.0F - 2.0F / (exp_of(size + size) + 1.0F);
  return size < 0.625F ? poly * square * x + x : (x < 0 ? -far : far);
}
inline DoubleLanes tanh_of(const DoubleLanes& x) {
  DoubleLanes result{};
  for (int i = 0; i < 4; ++i) result[i] = std::tanh(x[i]);
  return result;
}

}  // namespace graphedx
