// Priors that rows of a log, or its parameters, contradict, and those that would do.
#pragma once

#include <vector>

#include "noise.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// Of the rows that are rejected those that a prior a thousand times as wide would explain better, by more than 1.2 of their
/// squares; and the least of 1, 2, 5, 10 … with which no row is left so: 0 where none is, infinite where wider priors do not
/// settle. The others no prior explains.
struct OverruledRows {
  std::vector<int> rows;
  double sufficient_prior;
};
/// Cost: a fit to few digits, and four more where there are such rows.
OverruledRows overruled_rows(RowInformation& information, IdentifyOptions options, const BesideLeastSquares& fit);

/// A prior that the data have left far behind still pulls at what they tell weakly. Parameters whose values lie more than five
/// of the prior's deviations from the start's (a normal one: one in two million). Of those by z deviations the prior pulls the
/// value by z sd²/s² s, z sd/s of the value's own deviations sd, which do not tell of it.
struct OverrunPrior {
  std::vector<int> parameters;    // the farthest first
  std::vector<double> deviation;  // beside them: z
  /// The least of 1, 2, 5, 10 … with which no body's parameter is so far off: 0 where none is (of joints the prior is 1 in SI
  /// units), infinite where wider ones do not settle.
  double sufficient_prior = 0;
};
/// `value`: π of the fit. Priors below `at_least` are not tried. Cost: at most four fits to few digits.
OverrunPrior overrun_prior(RowInformation& information, IdentifyOptions options, const std::vector<double>& value,
                           double at_least);

}  // namespace sparsedyn
