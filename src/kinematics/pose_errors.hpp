// How far links are from their target poses, and how that depends on the velocities.
#pragma once

#include <array>
#include <vector>

#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/kinematics/inverse_kinematics.hpp"

namespace sparsedyn {

class PoseErrors {
 public:
  /// links: indices in Model::links; weights: by link, or empty: all 1.
  PoseErrors(const Model& model, std::vector<int> links, std::vector<PoseWeights> weights = {});

  /// Three for each part of a target that counts.
  int rows() const noexcept { return static_cast<int>(e_.size()); }
  /// Before at(): one pose a link. False where a number is not finite.
  bool aim(const Pose<double>* targets) noexcept;
  /// Fills e() at a posture; returns |e|².
  double at(const double* q) noexcept;
  /// After at(): √(Σ |p − p*|² + angle²), each part times its weight, m and rad.
  double residual() const noexcept;
  /// By target: rotation vector of R R*ᵀ, then (p − p*) / u, in the world's axes, each times its weight; what has none is left
  /// out. u = 1 m, or ten times the reach of a robot that reaches less than 0.1 m.
  const std::vector<double>& e() const noexcept { return e_; }
  /// After at(): the velocity of links in the world's axes by v, weighted as e is, rows() × nv row by row, which stands for
  /// ∂e/∂q: Jᵀ e is the gradient of ½|e|² exactly, since a rotation vector w is its own image under the derivative of the
  /// logarithm at w; and J is ∂e/∂q itself at e = 0.
  const std::vector<double>& jacobian() noexcept;
  /// Moves a floating root so that the first target is reached. q: nq.
  void place_root(double* q) noexcept;

 private:
  const Model& model_;
  std::vector<int> links_;
  double unit_;                       // u
  std::vector<PoseWeights> weights_;  // positions' over u
  double turned_ = 0, moved_ = 0;     // the squares of e by angles and by positions
  Workspace<double> work_;
  std::vector<Pose<double>> targets_;
  std::vector<std::array<double, 4>> quaternions_;  // of the targets
  std::vector<double> e_, jacobian_, of_link_;
};

}  // namespace sparsedyn
