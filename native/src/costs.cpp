#include "graphedx/costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace graphedx {

namespace {

constexpr double kMostTotal = 36028797018963968.0;  // 2^55: doubled weights and their differences stay far from 2^63
constexpr double kLeastTotal = 1e-285;              // its unit is still a number
constexpr double kMostCost = 1e290;                 // sums of many costs stay finite
constexpr std::int64_t kMostDenominator = 1000000;

const std::vector<double> CostTables::*const kTables[] = {&CostTables::node_del, &CostTables::node_ins,
                                                          &CostTables::node_sub, &CostTables::edge_del,
                                                          &CostTables::edge_ins, &CostTables::edge_sub};

/// Smallest q <= kMostDenominator such that value is k/q up to a few units in the last place; 0 if there is none.
std::int64_t denominator(double value) {
  double rest = value;
  std::int64_t before = 0, q = 1;  // convergents of the continued fraction
  for (int step = 0; step < 40; ++step) {
    if (std::abs(value - std::round(value * q) / q) <= 4e-16 * value) return q;
    const double fraction = rest - std::floor(rest);
    if (fraction <= 0) return 0;
    rest = 1.0 / fraction;
    if (rest > 2.0 * kMostDenominator) return 0;
    const std::int64_t next = before + static_cast<std::int64_t>(std::floor(rest)) * q;
    if (next > kMostDenominator) return 0;
    before = q;
    q = next;
  }
  return 0;
}

}  // namespace

void CostTables::check() const {
  if (node_sub.size() != node_del.size() * node_ins.size() || edge_sub.size() != edge_del.size() * edge_ins.size())
    throw std::invalid_argument("substitution tables do not fit the deletion and insertion tables");
  for (auto table : kTables)
    for (double cost : this->*table)
      if (!(cost >= 0 && cost <= kMostCost)) throw std::invalid_argument("costs must be between 0 and 1e290");
}

Lattice::Lattice(const CostTables& tables, double total) {
  std::int64_t common = 1;
  double last = 0;  // large tables mostly say the same again and again
  for (auto table : kTables)
    for (double cost : tables.*table) {
      if (cost == last || cost == 0) continue;
      last = cost;
      if (common == 0 || cost == std::floor(cost) || cost > total) continue;
      const std::int64_t q = denominator(cost);
      common = q == 0 ? 0 : std::lcm(common, q);
      if (common > kMostDenominator) common = 0;
    }
  at_limit_ = total > 0 && total < kLeastTotal;
  total = std::max(total, kLeastTotal);
  if (common != 0 && total * static_cast<double>(common) <= kMostTotal) {
    per_unit_ = static_cast<double>(common);
  } else {
    exact_ = false;
    per_unit_ = std::ldexp(1.0, std::ilogb(kMostTotal / total));
  }
}

/// Tables may have prices of labels that nobody has here, which are dearer than any sum.
std::int64_t Lattice::multiple(double cost) const { return std::llround(std::min(cost * per_unit_, 0x1p60)); }

void ExactSum::add(double value) {
  std::size_t kept = 0;
  for (double part : partials_) {
    if (std::abs(value) < std::abs(part)) std::swap(value, part);
    const double high = value + part;
    const double low = part - (high - value);
    if (low != 0) partials_[kept++] = low;
    value = high;
  }
  partials_.resize(kept);
  partials_.push_back(value);
}

double ExactSum::total() const {
  if (partials_.empty()) return 0.0;
  std::size_t n = partials_.size() - 1;
  double high = partials_[n], low = 0.0;
  while (n > 0) {
    const double x = high, y = partials_[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0.0) break;
  }
  // Half-way cases are decided by the sign of what is left below.
  if (n > 0 && ((low < 0 && partials_[n - 1] < 0) || (low > 0 && partials_[n - 1] > 0))) {
    const double twice = low * 2.0, moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high;
}

}  // namespace graphedx
