// Numbers side by side in a vector register: 8 floats or 4 doubles. Every sum below has one fixed order, so that
// results are the same bits in every run.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace graphedx {

typedef float FloatLanes __attribute__((vector_size(32)));
typedef double DoubleLanes __attribute__((vector_size(32)));
typedef std::int32_t IntLanes __attribute__((vector_size(32)));
typedef std::int64_t LongLanes __attribute__((vector_size(32)));

template <class T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using Type = FloatLanes;
};
template <>
struct LanesOf<double> {
  using Type = DoubleLanes;
};
template <class T>
using Lanes = typename LanesOf<T>::Type;

template <class T>
constexpr std::size_t lane_count = 32 / sizeof(T);

/// The next multiple of the number of lanes.
template <class T>
constexpr std::size_t whole_lanes(std::size_t count) {
  return (count + lane_count<T> - 1) / lane_count<T> * lane_count<T>;
}

template <class T>
inline Lanes<T> load(const T* from) {
  Lanes<T> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class T>
inline void store(T* to, const Lanes<T>& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

template <class T>
inline Lanes<T> spread(T value) {
  return value - Lanes<T>{};  // minus, since 0 + x is not x for every x, and would be computed
}

inline float sum_of(const FloatLanes& v) {
  const float a = v[0] + v[4], b = v[1] + v[5], c = v[2] + v[6], d = v[3] + v[7];
  return (a + c) + (b + d);
}
inline double sum_of(const DoubleLanes& v) { return (v[0] + v[2]) + (v[1] + v[3]); }

/// Without the sign bit: one instruction.
inline FloatLanes absolute_of(const FloatLanes& v) {
  return reinterpret_cast<FloatLanes>(reinterpret_cast<IntLanes>(v) & 0x7fffffff);
}
inline DoubleLanes absolute_of(const DoubleLanes& v) {
  return reinterpret_cast<DoubleLanes>(reinterpret_cast<LongLanes>(v) & 0x7fffffffffffffff);
}

inline bool all_zero(const FloatLanes& v) {
  const LongLanes bits = reinterpret_cast<LongLanes>(absolute_of(v));
  return (bits[0] | bits[1] | bits[2] | bits[3]) == 0;
}
inline bool all_zero(const DoubleLanes& v) {
  const LongLanes bits = reinterpret_cast<LongLanes>(absolute_of(v));
  return (bits[0] | bits[1] | bits[2] | bits[3]) == 0;
}

/// exp by a polynomial of degree 5 (Cephes), within 2 ulp; 0 below the smallest normal number.
inline FloatLanes exp_of(const FloatLanes& x) {
  constexpr float lowest = -87.33F, highest = 88.0F, to_nearest = 12582912.0F;  // 1.5 * 2^23: adding it rounds
  const FloatLanes bounded = x < lowest ? spread(lowest) : (x > highest ? spread(highest) : x);
  const FloatLanes whole = (bounded * 1.44269504F + to_nearest) - to_nearest;
  const FloatLanes rest = (bounded - whole * 0.693359375F) + whole * 2.12194440e-4F;
  FloatLanes poly = spread(1.9875691500e-4F);
  poly = poly * rest + 1.3981999507e-3F;
  poly = poly * rest + 8.3334519073e-3F;
  poly = poly * rest + 4.1665795894e-2F;
  poly = poly * rest + 1.6666665459e-1F;
  poly = poly * rest + 5.0000001201e-1F;
  poly = poly * (rest * rest) + rest + 1.0F;
  const IntLanes exponent = (__builtin_convertvector(whole, IntLanes) + 127) << 23;
  FloatLanes power;
  std::memcpy(&power, &exponent, sizeof power);
  return x < lowest ? FloatLanes{} : poly * power;
}
inline DoubleLanes exp_of(const DoubleLanes& x) {
  DoubleLanes result;
  for (int i = 0; i < 4; ++i) result[i] = std::exp(x[i]);
  return result;
}

}  // namespace graphedx
