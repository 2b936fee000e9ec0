// How likely graphs are to be within a distance, and how many more of them one may hope for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace graphedx {

/// Of a graph to be no further than a level, by its guessed distance, which may be infinite: a logistic curve, fitted to
/// molecules. That of another collection may lie elsewhere, and Tally corrects for it.
class Odds {
 public:
  static constexpr double kEven = 1.6;  ///< units by which the guess is above a distance that is as likely as not

  Odds(double level, double unit) : level_(level), unit_(unit) {}
  double operator()(double guess) const {
    return level_ < INFINITY ? 1 / (1 + std::exp(kSteep * ((guess - level_) / unit_ - kEven))) : 1;
  }

 private:
  static constexpr double kSteep = 1.1;

  double level_, unit_;
};

/// What was hoped for and what was found, of the graphs that were looked at and of those that were not. The more were
/// found than hoped for, the more are to be found: a Poisson variable whose rate has a gamma prior.
struct Tally {
  double left = 0, looked_at = 0;  ///< graphs within the level that were hoped for
  std::size_t found = 0;
  std::size_t graphs_left = 0;

  void add(double odds) { left += odds, ++graphs_left; }
  void take(double odds, bool tells) { left -= odds, --graphs_left, looked_at += tells ? odds : 0; }

  /// Whether k in all are not out of reach, for somebody who has k, but not within this level: to give up is to miss some.
  bool may_reach(std::size_t k) const { return reaches(k, kHope); }
  /// Whether k in all are as likely as not, or the rest is nearly certain: for somebody who may try a higher level.
  bool will_reach(std::size_t k) const { return reaches(k, 0) || left > 0.9 * static_cast<double>(graphs_left); }

 private:
  static constexpr double kPrior = 4, kHope = 2.25;

  bool reaches(std::size_t k, double deviations) const {
    const double count = static_cast<double>(found);
    const double more = std::max(0.0, left) * (kPrior + count) / (kPrior + looked_at);
    return !(count + more + deviations * std::sqrt(more) < static_cast<double>(k));
  }
};

}  // namespace graphedx
