// Compares every number of one robot that the library computes in two or more ways, at rest and at random states. It finds what
// tests on other robots cannot: an algorithm that fails on this robot's numbers.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

struct VerifyOptions {
  int samples = 100;    ///< states: the neutral posture at rest, the same in motion, and random ones within the joints' limits
  unsigned seed = 1;    ///< of the random ones
  bool programs = true; /**< generated code as well */
};

/// One quantity computed in two ways. Differences are relative to the largest value that the entry has at any state, and at
/// least to a ten-thousandth of the largest entry: a number that is zero at all states has no size of its own.
struct Agreement {
  std::string quantity, way, beside;  ///< "joint torques", "recursion (rnea)", "M ddq + bias forces"
  double worst = 0;                   ///< relative difference
  std::string entry;                  ///< the entry where that is, "tau.elbow"
  int sample = -1;                    ///< the state where that is; 0: neutral at rest
  double allowed = 0;                 ///< what rounding may leave, given the robot's conditioning
  int compared = 0, refused = 0;      ///< states; those at which M leaves accelerations fewer than three digits
  std::string skipped;                ///< why nothing was compared; empty: something was
  bool agrees() const { return !skipped.empty() || (std::isfinite(worst) && worst <= allowed); }
};

struct Verification {
  std::vector<Agreement> agreements;
  double conditioning = 1;  ///< of M with a unit diagonal, the largest over the states: what accelerations lose of the digits
  bool passed() const;      ///< whether all agree
};

/// Throws std::invalid_argument for fewer than one sample, or a robot without freedoms. Cost: `samples` times O(nv²) to O(nv³)
/// operations for the derivatives, and a compilation of two programs (seconds) where there is a C compiler.
Verification verify(const Model& model, const VerifyOptions& options = {});

}  // namespace sparsedyn
