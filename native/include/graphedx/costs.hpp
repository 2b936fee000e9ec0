// Edit costs of one pair of label vocabularies, and the whole-number lattice they live on.
#pragma once

#include <cstdint>
#include <vector>

namespace graphedx {

/// Costs by label class, all between 0 and 1e290. Substitution tables are row-major, source class first.
struct CostTables {
  std::vector<double> node_del, node_ins, node_sub;
  std::vector<double> edge_del, edge_ins, edge_sub;

  double node_substitution(int a, int b) const { return node_sub[a * node_ins.size() + b]; }
  double edge_substitution(int a, int b) const { return edge_sub[a * edge_ins.size() + b]; }
  /// Throws std::invalid_argument on sizes that do not fit and costs out of range.
  void check() const;
};

/// Costs as whole multiples of a unit. Where the costs have a common denominator (5.5 and 0.825, say) the multiples are
/// exact; otherwise each is off by at most half a unit, and the unit is as small as the total allows.
class Lattice {
 public:
  /// `total` bounds every sum that is ever formed, substitutions that are too dear to be used left aside.
  Lattice(const CostTables& tables, double total);

  double unit() const { return 1.0 / per_unit_; }
  bool is_at_limit() const { return at_limit_; }  ///< costs so small that no double is fine enough for their unit
  bool exact() const { return exact_; }  ///< up to the rounding that the doubles have themselves
  std::int64_t multiple(double cost) const;
  /// How far a sum of that many multiples, about `value` in all, can be from the sum of the costs themselves.
  double error(double terms, double value) const {
    return exact_ ? (per_unit_ == 1.0 ? 0.0 : 1e-14 * value) : terms * unit();
  }

 private:
  double per_unit_ = 1.0;
  bool exact_ = true;
  bool at_limit_ = false;
};

/// Correctly rounded sum, whatever the order (Shewchuk's partials): the same value that Python's math.fsum gives.
class ExactSum {
 public:
  void add(double value);
  double total() const;

 private:
  std::vector<double> partials_;
};

}  // namespace graphedx
