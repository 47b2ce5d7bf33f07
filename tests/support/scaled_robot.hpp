// The same robot in other units of length and mass: every torque of it is that of the first, in these units.
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

/// All masses and inertias times `mass`: at the same motion forces and torques are so many times as large.
inline Model in_masses(Model model, double mass) {
  const auto scale = [&](Inertia<double>& I) {
    I.m *= mass, I.h = mass * I.h;
    for (double* each : {&I.moments.xx, &I.moments.xy, &I.moments.xz, &I.moments.yy, &I.moments.yz, &I.moments.zz})
      *each *= mass;
  };
  for (Body& body : model.bodies) scale(body.inertia);
  for (Link& link : model.links) scale(link.inertia);
  return model;
}

}  // namespace sparsedyn::test
