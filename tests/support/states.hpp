// States to test at: random ones, and the special ones where sines and cosines are 0 and ±1.
#pragma once

#include <random>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test {

/// q (unit quaternions), and v, a, tau, fx of order one.
struct State {
  std::vector<double> q, v, a, tau;
  std::vector<Force<double>> fx;  // one a body
};

State random_state(const Model& model, std::mt19937& rng);

/// Random v, a, tau and fx at q = 0, π/2, −π/2, π in all joints, then `mixed` times each drawn from these. The same angles
/// turn spherical and floating joints about x, y or z in turn.
std::vector<State> special_states(const Model& model, std::mt19937& rng, int mixed);

/// |x − r| ≤ tolerance · max(1, |r|) for every element; the worst ratio of the left to max(1, |r|).
double worst_error(const std::vector<double>& x, const std::vector<double>& r);

/// The same beside the largest element of r: for sums whose terms are as large as that.
double norm_error(const std::vector<double>& x, const std::vector<double>& r);

}  // namespace sparsedyn::test
