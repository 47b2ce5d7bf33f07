// Recordings of kinematics, in the metres and axes of the links.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// q, dq, ddq -> of all links pose (x y z, then the rotation matrix row by row), vel and acc, as `compute kinematics`.
void record_kinematics(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);
/// q -> J of all links: J.LINK.r.c with velocity = J dq, in the link's frame, angular rows first.
void record_jacobians(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);

}  // namespace sparsedyn
