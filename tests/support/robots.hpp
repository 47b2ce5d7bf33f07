// Robots to test on: random trees, the URDFs that the project includes, and those of ../shared where it exists.
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

/// Six hinges as a UR5 has them: the first upright, three across it and parallel, a wrist whose axes meet pairwise at right
/// angles.
Model arm_like_ur5();

/// Of any kind, composite too; axes along a coordinate every other time.
JointSpec random_joint(std::mt19937& rng, JointKind kind);
Inertia<double> random_inertia(std::mt19937& rng);
Pose<double> random_pose(std::mt19937& rng);
Vec3<double> random_vector(std::mt19937& rng, double scale = 1.0);

/// The checkout that the tests were built from.
std::string source_folder();

/// Paths of robots/*.urdf.
std::vector<std::string> shipped_robots();

/// Paths of ../shared/robots/*.urdf; empty where that folder does not exist.
std::vector<std::string> shared_robots();

/// shipped_robots(), then shared_robots().
std::vector<std::string> all_robots();

/// Whether the path's file name begins with one of these, as "panda" is that of panda.urdf.
bool is_one_of(const std::string& path, const std::vector<std::string>& names);

}  // namespace sparsedyn::test
