// How links move and which wrenches they take, sample by sample.
#pragma once

#include <functional>

#include "inspection/known_wrenches.hpp"
#include "inspection/tests.hpp"
#include "sparsedyn/dynamics/workspace.hpp"

namespace sparsedyn::inspection {

struct LinkSample {
  std::size_t i = 0;                   // the sample
  const Workspace<double>* work;       // after rnea and forward_kinematics
  const Force<double>* link_wrenches;  // of the world, as far as the log tells

  /// The proper acceleration of a sensor's origin and its angular velocity, in the sensor's axes, and the part of gravity.
  struct Inertial {
    Vec3<double> acceleration, turning, gravity;
  };
  Inertial inertial(const Model& model, const Measurement& m) const;
  /// The wrench that holds the links from `link` on, of their motion less that of the world, in the sensor's frame.
  Force<double> through(const Model& model, const Measurement& m, const std::vector<char>& behind) const;
  /// The proper acceleration, angular acceleration and velocity of the sensor's frame, in its axes.
  BodyMotion<double> frame_motion(const Model& model, const Measurement& m) const;
};

/// Calls `use` at up to `most` samples, evenly spread, at which the whole motion is known.
void for_each_sample(Examination& x, const WholeMotion& motion, const KnownWrenches& wrenches, std::size_t most,
                     const std::function<void(const LinkSample&)>& use);

/// The links that hang on this one, itself included.
std::vector<char> links_behind(const Model& model, int link);

}  // namespace sparsedyn::inspection
