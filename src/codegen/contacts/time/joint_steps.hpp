// Semi-implicit Euler on accelerations that are known, recorded: x⁺ = S(q, v, a, dt), joint by joint, with its derivatives by
// what each joint is moved by.
#pragma once

#include <vector>

#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Where a joint of n freedoms stands: its first freedom, n, and its first number in `slopes`, of which it has 2 n rows of
/// 3 n + 1: those of the tangent of q⁺, then of v⁺, by δq, v, a and dt.
struct JointSlopes {
  int freedom, freedoms, first;
};
/// Of each joint.
std::vector<JointSlopes> joint_slopes(const Model& model);

/// q, dq, ddq, dt → x_next (q, then dq), and with `derivatives` slopes.
Program joint_steps(const Model& model, bool derivatives);

}  // namespace sparsedyn
