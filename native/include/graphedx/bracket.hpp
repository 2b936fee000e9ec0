// A narrow beam, and what it knows besides its bounds: the evidence from which a model guesses the distance.
#pragma once

#include <array>

#include "graphedx/answer.hpp"
#include "graphedx/deadline.hpp"

namespace graphedx {

/// Where neither graph is smaller there are two beams: bounds are the better ones, and of what was left open the less,
/// each counted beyond the mapping of its own beam.
struct Bracket {
  Answer answer;
  double root_lower;  ///< what is proven before the beam begins
  double step;        ///< distances are `answer.upper` less a multiple of this; 0 where that is not known
  double shared;      ///< what two graphs save by sharing an edge, at most; where that is nothing, the least saving there is
  double hope;        ///< what the best child that was dropped would save beyond `answer.upper`, in parts of a step too
  std::array<double, 3> open;  ///< children dropped that would save more than 0, 1 and 2 shared edges beyond it
};

/// As the method "beam" with `task.effort` expansions: the same bounds and mapping.
Bracket bracket(const Task& task, Deadline& deadline);

}  // namespace graphedx
