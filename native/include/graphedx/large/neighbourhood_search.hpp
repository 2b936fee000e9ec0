// Improves a mapping of large graphs: moves and trades near mapped neighbours, and regions torn out and grown anew.
#pragma once

#include <vector>

#include "graphedx/deadline.hpp"
#include "graphedx/large/growth.hpp"
#include "graphedx/large/savings.hpp"

namespace graphedx {

class NeighbourhoodSearch {
 public:
  /// All arguments must outlive this.
  NeighbourhoodSearch(const Savings& savings, Growth& growth, Deadline& deadline);

  /// Starts from another mapping (of every row, if rows are mandatory), and moves and trades until none helps.
  void start(PartialMapping mapping);
  /// Tears out and regrows regions around flaws, and keeps the best. Stops after `rounds`, at the deadline, or when
  /// nothing is left to mend.
  void search(int rounds, double seconds_to_leave);

  const PartialMapping& mapping() const { return mapping_; }
  Weight value() const { return value_; }

 private:
  void polish(const std::vector<int>& rows);
  void remember();
  void find_flaws();
  bool is_flawed(int i) const;
  void regrow(int centre);
  void gather(int centre, int size);
  void take(int i);
  int rival(int centre);
  int any_flaw();
  Weight worth(const std::vector<int>& rows);
  bool improve_row(int i);
  bool try_move(int i, int j);
  void wake(int i);

  const Savings& savings_;
  Growth& growth_;
  Deadline& deadline_;
  PartialMapping mapping_, best_;
  Weight value_ = 0, best_value_ = 0;
  std::vector<Weight> ideal_node_;               // best saving of each row class
  std::vector<Weight> row_best_, column_best_;   // best saving of each kind of edge
  std::vector<int> flaws_;                       // rows where something is lost, or next to a column where it is
  std::vector<int> suspects_;                    // rows whose place cannot be in a mapping as good as the bound
  std::vector<int> region_, taken_, queue_, before_;
  std::vector<char> queued_;
  int round_ = 0;
  Random random_;
};

}  // namespace graphedx
