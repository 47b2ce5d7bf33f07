// How far a body's ten numbers may be from the start's: shares of its mass, and of its size about its centre of mass.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Of each body (by joint) the length that its mass is spread over, m; `start`: π. Above 0.
///
/// The radius of gyration k about the centre of mass, k² = ½ tr I_C / m, unless that is below a tenth of the body's reach, the
/// distance from the centre of mass to the farthest axis on which the body or one that hangs on it turns: then the file knows
/// next to nothing of how the mass is spread (a point mass, a placeholder's inertia) and the reach is taken. Neither depends on
/// where the link's frame lies. A body without either has the largest size of the robot's bodies; a robot without any length
/// (slides alone) has 1 m, by which then no torque depends on it.
std::vector<double> body_sizes(const Model& model, const std::vector<double>& start);

/// A body's ten numbers in its link's frame, π = T p, of those about a point c fixed in that frame (axes as the frame's): with
/// the pseudo-inertia, P(π) = X P(p) Xᵀ, X = [1 c; 0 1].
Eigen::Matrix<double, 10, 10> from_point(const Eigen::Vector3d& c);

/// The prior of a body whose ten numbers are all fitted: π = to_frame p, p about the start's centre of mass, with deviations
/// that know nothing of each other: mass m, first moments m s, inertias m s² times `relative`. About another point, a
/// heavier body also has larger moments: there the same prior ties the ten together.
struct BodyPrior {
  BodyPrior(const double* ten, double size, double relative);
  /// Deviations of some of π's ten where the others are what they are: of the covariance C of all, √ of the diagonal of
  /// ((C⁻¹)_ff)⁻¹.
  Eigen::VectorXd in_frame(const std::vector<int>& free) const;
  Eigen::Vector3d point;  // the centre of mass
  Eigen::Matrix<double, 10, 10> to_frame;
  Eigen::Matrix<double, 10, 1> start, deviation;  // of p
};

}  // namespace sparsedyn
