#pragma once

#include <functional>

#include "sparsedyn/ordering/optimise_order.hpp"

namespace sparsedyn {

struct LocalSearch {
  double seconds = 0;   // it ends here at the latest,
  long steps = 200000;  // or after so many trials
  unsigned seed = 1;
  std::function<void(double fraction_done)> progress;
};

/// Tries changes of the order at random: a pivot or a block of neighbouring pivots moves elsewhere, or two pivots exchange
/// their columns. A change that costs no more is kept, so that plateaus are crossed. A cheaper order counts only if its pivots
/// hold at the probed states; else the search goes back to the last order that did. The seed determines the sequence of trials.
/// Every trial costs one symbolic elimination.
Order search_from(const OrderingProblem& problem, const Order& start, const LocalSearch& options);

}  // namespace sparsedyn
