// Recordings of kinematics, in the metres and axes of the links.
#pragma once

#include "codegen/minimal/minimal_formulation.hpp"
#include "sparsedyn/codegen/recorder.hpp"

namespace sparsedyn {

/// q, dq, ddq -> of all links pose (x y z, then the rotation matrix row by row), vel and acc, as `compute kinematics`.
void record_kinematics(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);
/// q -> J of all links: J.LINK.r.c with velocity = J dq, in the link's frame, angular rows first.
void record_jacobians(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);
/// The rates of these along dq.
void record_jacobian_rates(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);
/// q -> A (6 × nv), q -> J (3 × nv), and q, dq, ddq -> momentum_rate, all entries, as `compute` gives them.
void record_centroidal_momentum_matrix(Recorder& recorder, const Model& model, const MinimalFormulation& formulation,
                                       bool wrenches);
void record_centre_of_mass_jacobian(Recorder& recorder, const Model& model, const MinimalFormulation& formulation,
                                    bool wrenches);
/// q, dq -> com and momentum, as `compute momentum`; no com where no mass moves.
void record_momentum(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);
void record_momentum_rate(Recorder& recorder, const Model& model, const MinimalFormulation& formulation, bool wrenches);

}  // namespace sparsedyn
