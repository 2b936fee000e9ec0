// Mappings of large graphs, grown from seeds along the edges.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/large/node_types.hpp"
#include "graphedx/large/savings.hpp"

namespace graphedx {

/// A mapping of some rows to columns, seen from both sides.
struct PartialMapping {
  std::vector<int> column_of, row_of;  ///< partner, or -1

  PartialMapping(int rows, int columns) : column_of(rows, -1), row_of(columns, -1) {}
  void map(int i, int j) { column_of[i] = j, row_of[j] = i; }
  void unmap(int i) { row_of[column_of[i]] = -1, column_of[i] = -1; }
};

/// The same sequence on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0x9E3779B97F4A7C15u) : state_(seed) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 11;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

class Growth {
 public:
  /// All arguments must outlive this.
  Growth(const Savings& savings, const Colours& colours, Deadline& deadline);

  /// From now on cells are judged by this as well: what using the cell loses at least, as a bound has it.
  void heed(std::function<Weight(int, int)> loss) { loss_ = std::move(loss); }

  /// What using the cell loses at least; 0 if nothing is known.
  Weight loss(int i, int j) const { return loss_ ? loss_(i, j) : 0; }

  /// A mapping from nothing: rows and columns that look alike up to `certain_depth` or farther, and like nothing else,
  /// first; then whatever fits best next to what is mapped; then new seeds. Ends early at the deadline, and maps every
  /// row if rows are mandatory.
  PartialMapping build(int certain_depth);
  /// Maps the given rows, which must be unmapped, next to what is mapped. `noise` (in edge savings) makes it try other
  /// ways. Rows that have no mapped neighbour stay unmapped.
  void extend(PartialMapping& mapping, const std::vector<int>& rows, int noise, Random& random);
  /// Depth up to which a row and a column look alike; -1 if their classes differ.
  int likeness(int i, int j) const { return colours_.agreement(i, j); }
  /// Maps what is left of the given rows to free columns, best first, if that helps or rows are mandatory.
  void fill(PartialMapping& mapping, const std::vector<int>& rows);

 private:
  struct Cell {
    Weight key;
    int i, j;
    bool operator<(const Cell& other) const {
      return key != other.key ? key < other.key : i != other.i ? i > other.i : j > other.j;
    }
  };

  /// A neighbour of a hub.
  struct Branch {
    std::uint64_t look;
    int kind, node;
  };

  void look_at(std::vector<Branch>& branches, bool rows, int hub, int depth) const;
  void map_unique(PartialMapping& mapping, int depth);
  void plant(PartialMapping& mapping, int depth);
  void fill_by_class(PartialMapping& mapping, const std::vector<int>& rows);
  void open(const PartialMapping& mapping, int i);
  void push_around(const PartialMapping& mapping, int i, int j);
  void push(const PartialMapping& mapping, int i, int j, int from_i, int from_j);
  void run(PartialMapping& mapping);
  Weight outlook(const PartialMapping& mapping, int i, int j, int from_i, int from_j, int depth) const;
  Weight match(const Weight* scores, int rows, int columns) const;

  const Savings& savings_;
  const Colours& colours_;
  Deadline& deadline_;
  Weight unit_;  // the most that one edge saves
  std::vector<Cell> heap_;
  std::vector<int> open_;  // rows that may be mapped have the current round's number
  int round_ = 0;
  std::function<Weight(int, int)> loss_;
  bool heeds_loss_ = false;
  int noise_ = 0;
  Random* random_ = nullptr;
};

}  // namespace graphedx
