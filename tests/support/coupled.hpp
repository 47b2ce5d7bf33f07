// Robots with coupled joints, and what coupling means, found joint by joint from what was stated.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/model/coordinate_map.hpp"
#include "support/states.hpp"

namespace sparsedyn::test {

/// The robot, its tree, and the projection by which every algorithm of the one follows from that of the other.
struct CoupledRobot {
  Model tree, model;
  Eigen::MatrixXd G;  // of the tree's v by the robot's

  /// The tree's positions, each follower's from its leader's.
  std::vector<double> positions(const std::vector<double>& q) const;
  /// G x.
  std::vector<double> rates(const std::vector<double>& x) const;
  /// Gᵀ x.
  std::vector<double> gathered(const std::vector<double>& x) const;
  /// Gᵀ X G, X square and row by row.
  std::vector<double> gathered_matrix(const std::vector<double>& X) const;
  /// The same of a tensor: Σ G_ia G_jb G_kc X_ijk.
  std::vector<double> gathered_tensor(const std::vector<double>& X) const;
  /// A state of the tree that the robot's stands for; tau is not carried over.
  State state(const State& s) const;
};

/// With these couplings.
CoupledRobot coupled_robot(const Model& tree, const std::vector<JointCoupling>& couplings);

/// Half of the joints with one freedom follow others, wherever these are, in chains too, by −1, ½, 2, 1 or −0.3.
CoupledRobot random_coupled_robot(const Model& tree, unsigned seed);

}  // namespace sparsedyn::test
