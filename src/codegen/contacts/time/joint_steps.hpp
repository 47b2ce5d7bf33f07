// Semi-implicit Euler on accelerations that are known, recorded: x⁺ = S(q, v, a, dt), joint by joint, with its derivatives by
// what each joint is moved by.
#pragma once

#include <utility>
#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Where a joint of n freedoms stands: its first freedom, n, and its first number in `slopes`, of which it has 2 n rows of
/// 3 n + 1: those of the tangent of q⁺, then of v⁺, by δq, v, a and dt; and in `curvatures`, of which it has the lower triangle
/// of 3 n + 1 rows.
struct JointSlopes {
  int freedom, freedoms, first, first_curvature;
};
/// Of each joint.
std::vector<JointSlopes> joint_slopes(const Model& model);

/// Numbers of all joints in `slopes` and in `curvatures`.
std::pair<std::size_t, std::size_t> joint_slope_counts(const Model& model);

/// What is wanted of steps beside x⁺.
enum class StepDerivatives { none, first, second };
/// q, dq, ddq, dt → x_next (q, then dq); with derivatives slopes; with second ones, times an input lambda (2nv), curvatures.
Program joint_steps(const Model& model, StepDerivatives derivatives);

}  // namespace sparsedyn
