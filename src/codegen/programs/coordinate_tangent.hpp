// From changes of a robot's coordinates to changes along its tangent, in C. A derivative by a quaternion's four numbers is that
// of the function of the quaternion scaled to norm 1, at norm 1: along the quaternion itself nothing changes.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// How a joint's coordinates move along its tangent: by the freedoms themselves, as a quaternion, as x, y and an angle in a
/// plane, or as a place and a quaternion.
enum class TangentGroup : char { additive, ball, planar, free };
TangentGroup tangent_group(BodyJoint kind);

/// Whether q + dq is q ⊕ dq at every state: no ball, free base or planar joint.
bool has_additive_coordinates(const Model& model);

/// Where quaternions begin in q, body by body.
std::vector<int> quaternion_places(const Model& model);

/// To first and second order q + dq = q ⊕ (T dq + ½ D[dq, dq]). C of two functions, `@` standing for the program's name, @_N
/// for nv and @_Q for nq: @_tangent(q, T) writes T (nv × nq), @_curvature(q, g, H) adds Σ_k g_k D_k to H (nq × nq); row by row.
std::string coordinate_tangent(const Model& model);

/// C of two macros, for derivatives at quaternions of any norm. @_AT_NORM_ONE(arg): pointers in[3] to q, its quaternions scaled
/// to norm 1, and the two vectors behind it. @_PER(c): by what a derivative there by coordinate c is multiplied to be the one
/// at q: with f(u) = F(u/|u|) the k-th derivative at u is |u|⁻ᵏ times that at u/|u|.
std::string at_norm_one(const Model& model);

}  // namespace sparsedyn
