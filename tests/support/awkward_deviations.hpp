// How far an Estimator's deviations are from 34 digits, on robots and sets that are drawn to be awkward: masses, lengths and
// sigmas over many decades.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn::test {

struct AwkwardSetOptions {
  double robot_decades = 12;  // of masses and lengths
  double sigma_decades = 12;  // of the sensors' deviations
};

struct DeviationError {
  std::string name;             // of an output, or of a noisy row
  bool of_row;                  // what is compared is the variance of its residual, at most 1
  double truth;                 // by the plan's operations with 34 digits
  double found;                 // of the Estimator
  double solved;                // by a solve of its own, refined once
  double error() const;         // of `found`: relative, of a row absolute
  double solves_error() const;  // of `solved`, likewise
};

/// What an Estimator answers at some samples of one set.
struct DeviationErrors {
  std::vector<DeviationError> all;
  long samples = 0, failed = 0;      // the failed have no answer, and no errors
  long swept_twice = 0, solved = 0;  // samples whose sweep was looked at, and those that were left to solves
  long unsure = 0;                   // samples at which the sweep and solves in 34 digits differ, which are not compared
  std::string refused;               // why there is no estimate at all; mostly empty
};

/// Of a robot with torques and accelerations of all joints, of some of them twice, and wrenches on all links, with a sigma each
/// or, in one set of four, exactly 0. A seed means one robot and set.
DeviationErrors deviation_errors(unsigned seed, const AwkwardSetOptions& options, int samples);

}  // namespace sparsedyn::test
