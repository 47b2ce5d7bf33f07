// Loops and couplings of a robot, for tests of dynamics under constraints.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

/// Frames of the two links that are one at the neutral posture, but for some centimetres and some turn.
inline Constraint pair_of(const Model& model, ConstraintType type, const std::string& one, const std::string& other,
                          bool hard) {
  Constraint c;
  c.name = one + " to " + other, c.type = type, c.links = {one, other}, c.hard = hard;
  std::vector<double> zero(static_cast<std::size_t>(model.nq));
  neutral(model, zero.data());
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, zero.data(), nullptr, nullptr);
  const auto pose = [&](const std::string& link) {
    return link == "world" ? identity_pose<double>() : link_pose(model, ws, model.find_link(link));
  };
  c.frames[0].d = {{0.1, -0.05, 0.2}};
  c.frames[1] = inverse(pose(other)) * pose(one) * c.frames[0];
  c.frames[1].d[1] += 0.03;
  return c;
}

/// The first joint of one freedom follows the last by a polynomial, and those between linearly.
inline Constraint coupling_of(const Model& model, bool hard) {
  Constraint c;
  c.name = "coupling", c.type = ConstraintType::joint, c.hard = hard, c.polynomial = {0.1, 0.5, -0.2, 0.05};
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    if (c.joints.empty()) c.joints = {joint.name};
    if (!c.of.empty() && c.of != c.joints[0]) c.linear.emplace_back(c.of, 0.1 * static_cast<double>(c.linear.size()) - 0.3);
    c.of = joint.name;
  }
  return c;
}

}  // namespace sparsedyn::test
