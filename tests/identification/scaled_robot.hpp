// The same robot in another unit of length: every torque of it is that of the first, in that unit.
#pragma once

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test {

inline Inertia<double> in_lengths(Inertia<double> I, double length) {
  I.h = length * I.h;
  for (double* each : {&I.moments.xx, &I.moments.xy, &I.moments.xz, &I.moments.yy, &I.moments.yz, &I.moments.zz})
    *each *= length * length;
  return I;
}

/// All lengths times `length`, gravity's too; masses and times as they are: at the same q (hinges), v and a torques are length²
/// times as large.
inline Model in_lengths(Model model, double length) {
  for (Body& body : model.bodies) {
    body.placement.d = length * body.placement.d, body.pitch *= length;
    body.inertia = in_lengths(body.inertia, length);
  }
  for (Link& link : model.links) {
    link.pose.d = length * link.pose.d;
    link.inertia = in_lengths(link.inertia, length);
  }
  model.gravity = length * model.gravity;
  return model;
}

}  // namespace sparsedyn::test
