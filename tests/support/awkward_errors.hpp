// How far the algorithms, in double, are from 34 digits on a robot and state.
#pragma once

#include <string>
#include <vector>

#include "support/awkward_robots.hpp"

namespace sparsedyn::test {

struct AwkwardError {
  std::string algorithm;
  /// Largest error beside the largest entry of the result.
  double relative;
  /// Largest error of an entry beside 1.1e-16 times the sum of the sizes of the terms that make it, in the world's axes: what
  /// any order of the same operations may lose. Accelerations: the same, passed through M⁻¹. NaN: not worked out.
  double of_rounding;
  /// The largest such sum beside the largest entry of the result: by how much any method may magnify rounding.
  double condition;
  /// Beyond this, what is left of sixteen digits tells formulas no longer apart.
  bool ill_conditioned() const { return condition > 1e12; }  // not where it is NaN: not worked out
};

/// What is measured: the cheap ones always.
struct AwkwardScope {
  bool derivatives = false, second_derivatives = false, solver = false;
};

/// Forward dynamics are left out where an algorithm calls M singular, and in the result `singular` is then true.
std::vector<AwkwardError> awkward_errors(const AwkwardRobot& robot, const AwkwardState& state, const AwkwardScope& scope,
                                         bool* singular = nullptr);

}  // namespace sparsedyn::test
