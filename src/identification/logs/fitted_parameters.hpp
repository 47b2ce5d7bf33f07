// What is fitted, by the kinds of parameters that a user names, and what became of friction's shape.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// The kinds by name: inertia, then the numbers of a joint in their order (armature, damping, friction, offset, stiffness),
/// then what friction's shape depends on (smoothing, stribeck).
const std::vector<std::string>& parameter_kinds();

/// A flag for each parameter: whether `fit` names its kind; where `fit` is empty, or names what friction's shape depends on
/// alone: all. Throws UsageError, which begins with --fit, for other names, and for springs that the robot lacks.
std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit);
/// By freedom, whether friction's smoothing velocity (`kind` smoothing) or Stribeck's numbers (stribeck) are fitted; empty:
/// `fit` does not name them. Joints that follow others or lead them keep theirs. Throws UsageError where none is left.
std::vector<char> fitted_shapes(const Model& model, const std::vector<std::string>& fit, const std::string& kind);
/// How the logs are fitted: the kinds, IdentifyOptions::prior, and whether outliers weigh less. Throws UsageError as above.
PassOptions pass_options(const Model& model, const std::vector<std::string>& fit, double prior, bool huber);

/// The robot with a spring in each joint of one freedom, of stiffness 0 where it has none, if `fit` names stiffness.
Model with_fitted_springs(const Model& model, const std::vector<std::string>& fit);
/// The robot with friction as it was found to depend on speed.
Model with_friction(const Model& model, const Identification& x);

/// A number of friction's shape; sd 0: it was not fitted, though another joint's was.
struct ShapeNumber {
  std::string name;  // JOINT.smoothing, …
  int freedom;
  double before, value, sd;
  bool determined;
};
/// Of all joints of one freedom, by freedom, what was fitted of any.
std::vector<ShapeNumber> shape_numbers(const Model& model, const Identification& x);
/// Names of π, and of the numbers of friction's shape that were fitted, in the order of their numbers.
std::vector<std::string> fitted_names(const Model& model, const Identification& x);

}  // namespace sparsedyn
