// The constants of one body's rows in a System.
#pragma once

#include "sparsedyn/model/model.hpp"
#include "sparsedyn/spatial/spatial.hpp"
#include "sparsedyn/system/joint_basis.hpp"

namespace sparsedyn {

/// Constants of one body's rows. Its unknowns are in the frame of the link that leads it, or, where the formulation has axis
/// frames, in the body's own; "leading frame" below is the one or the other.
struct BodyTerms {
  Body joint;                      // of Model::tree, `placement` in the parent's leading frame instead of its body frame
  int tau, ddq;                    // first columns of its freedoms; those of its leader's q̈ where it follows another joint,
  double multiplier;               // which then counts so often
  int leader;                      // the body whose torque row bears its torque, or -1
  bool turned;                     // the leading frame is turned against the body's frame, by
  Mat3<double> link_R;             // (its origin is the body's)
  Inertia<double> inertia;         // in the leading frame
  bool massless;                   // no inertia: an intermediate body
  int parent;                      // body, or -1
  int acc, f, fx, net;             // first columns; −1: none (fx: of an intermediate body, or in another frame)
  int kinematics, wrench, torque;  // first rows; −1 where the formulation has none
  int inertial;                    // first row that I a and p stand in: that of the net force, else `wrench`
  Motion<double> subspace[6];      // columns of S in the leading frame
  JointBasis basis;                // maximal coordinates: B
};

}  // namespace sparsedyn
