// A prior that the data have left far behind still pulls at what they tell weakly.
#pragma once

#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// Parameters whose values lie more than five of the prior's deviations from the start's (a normal one: one in two million). Of
/// those by z deviations the prior pulls the value by z sd²/s² s, z sd/s of the value's own deviations sd, which do not tell of
/// it.
struct OverrunPrior {
  std::vector<int> parameters;    // the farthest first
  std::vector<double> deviation;  // beside them: z
  /// The least of 1, 2, 5, 10 … with which no body's parameter is so far off: 0 where none is (of joints the prior is 1 in SI
  /// units), infinite where wider ones do not settle.
  double sufficient_prior = 0;
};
/// `value`: π of the fit. Priors below `at_least` are not tried. Cost: a fit for each that is.
OverrunPrior overrun_prior(RowInformation& information, IdentifyOptions options, const std::vector<double>& value,
                           double at_least);

}  // namespace sparsedyn
