// What identification found, in words and as JSON, and what it is asked for.
#pragma once

#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn::cli {

/// A flag for each parameter: whether `fit` names its kind (inertia, armature, damping, friction, offset); empty: all. Throws
/// UsageError for other names.
std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit);

/// Root of the mean squared difference between the torques of the logs and those that π gives, by freedom.
std::vector<double> torque_rms(TorqueInformation& information, const std::vector<double>& pi);

/// The four columns of torques' errors: of the robot's file and of the fit, in the logs and in those held out.
struct TorqueErrors {
  std::vector<double> before, after, holdout_before, holdout_after;
};

/// `urdf`: π of the robot's file.
Json identification_json(const Model& model, const Identification& x, const std::vector<double>& urdf, const TorqueErrors& rms);
std::string identification_text(const Model& model, const Identification& x, const TorqueErrors& rms);
/// The fitted joints as --joints reads them.
Json fitted_joints_json(const Model& model, const std::vector<double>& value);

}  // namespace sparsedyn::cli
