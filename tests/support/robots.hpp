// Robots to test on: random trees, and the shared URDFs where the checkout has them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test {

/// What random_tree may use.
struct TreeOptions {
  bool floating = false;
  bool lumped = true;      // now and then a link on a fixed joint
  double branching = 0.4;  // 0: a chain
  std::vector<JointKind> kinds = {JointKind::revolute, JointKind::prismatic};
};

/// All kinds of moving joints.
std::vector<JointKind> every_joint_kind();

/// A tree with n moving joints besides the base, random placements, axes and physically consistent inertias.
Model random_tree(int n, unsigned seed, const TreeOptions& options = {});

/// The same, but bodies on hinges that carry no other look alike from all sides of their axes.
Model with_wheels(Model model);

/// The same with rotors, damping, friction and offsets at three in four of the joints' parts with one freedom; friction
/// smoothed over speeds such as random states have.
Model with_joint_physics(Model model, unsigned seed);

/// root – arm – tip on hinges, the last of which moves no mass: the joint-space inertia matrix is singular at freedom 1.
Model massless_tip();

/// The same with a point mass on the last hinge's axis, so that the inertia about it is zero to rounding.
Model point_tip();

/// Of any kind, composite too; axes along a coordinate every other time.
JointSpec random_joint(std::mt19937& rng, JointKind kind);
Inertia<double> random_inertia(std::mt19937& rng);
Pose<double> random_pose(std::mt19937& rng);
Vec3<double> random_vector(std::mt19937& rng, double scale = 1.0);

/// The checkout that the tests were built from.
std::string source_folder();

/// Paths of ../shared/robots/*.urdf, or none (the caller then says that it skips).
std::vector<std::string> shared_robots();

}  // namespace sparsedyn::test
