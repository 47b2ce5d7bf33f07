// What identification found, in words and as JSON, and what it is asked for.
#pragma once

#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "identification/logs/cross_validation.hpp"
#include "identification/logs/log_fit.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn::cli {

/// {ROW: number}
template <class Number>
Json by_row(const std::vector<std::string>& rows, const std::vector<Number>& numbers) {
  Json json = Json::object();
  for (std::size_t i = 0; i < rows.size(); ++i) json[rows[i]] = numbers[i];
  return json;
}

/// What --fit names; of nothing: nothing.
std::vector<std::string> fitted_kinds(const std::string& fit);
/// A flag for each parameter: whether `fit` names its kind (inertia, armature, damping, friction, offset, stiffness, smoothing,
/// stribeck); empty, or what friction's shape depends on alone: all. Throws UsageError for other names.
std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit);
/// The robot with a spring in each joint of one freedom, of stiffness 0 where it has none, if `fit` names stiffness.
Model with_fitted_springs(const Model& model, const std::vector<std::string>& fit);
/// By freedom, whether friction's smoothing velocity (`kind` smoothing) or Stribeck's numbers (stribeck) are fitted; empty:
/// `fit` does not name them. Joints that follow others or lead them keep theirs. Throws UsageError where none is left.
std::vector<char> fitted_shapes(const Model& model, const std::vector<std::string>& fit, const std::string& kind);
/// The robot with friction as it was found to depend on speed.
Model with_friction(const Model& model, const Identification& x);

/// What is told of friction's shape; sd 0: it was not fitted, though another joint's was.
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

/// `urdf`: π of the robot's file; `rows`: names of a sample's rows.
Json identification_json(const Model& model, const Identification& x, const std::vector<double>& urdf, const TorqueErrors& rms,
                         const std::vector<std::string>& rows);
std::string identification_text(const Model& model, const Identification& x, const TorqueErrors& rms,
                                const std::vector<std::string>& rows);
/// The fitted joints as --joints reads them; `model`: with_friction.
Json fitted_joints_json(const Model& model, const std::vector<double>& value);

/// {"rms": {ROW: …}, "logs": [{"log": NAME, "rms": {ROW: …}}, …]}
Json cross_validation_json(const CrossValidation& x, const std::vector<std::string>& rows);
std::string cross_validation_text(const CrossValidation& x, const std::vector<std::string>& rows);

}  // namespace sparsedyn::cli
