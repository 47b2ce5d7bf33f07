#pragma once

#include <functional>

#include "sparsedyn/ordering/detail/optimise_order.hpp"

namespace sparsedyn {

struct LocalSearch {
  double seconds = 0;   // it ends here at the latest,
  long steps = 200000;  // or after so many trials
  unsigned seed = 1;
  std::function<void(double fraction_done)> progress;
};

/// Tries changes of the order at random: a pivot or a block of neighbouring pivots moves elsewhere, or two pivots exchange
/// their columns. What costs no more is kept, so that plateaus are crossed; a cheaper order counts only if its pivots hold at
/// the probed states, and the search falls back to the last one that did. One seed, one sequence of trials. Every trial costs
/// one symbolic elimination.
Order search_from(const OrderingProblem& problem, const Order& start, const LocalSearch& options);

}  // namespace sparsedyn
