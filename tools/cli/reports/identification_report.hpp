// What identification found, in words and as JSON, and what it is asked for.
#pragma once

#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn::cli {

/// A flag for each parameter: whether `fit` names its kind (inertia, armature, damping, friction, offset, smoothing); empty, or
/// smoothing alone: all. Throws UsageError for other names.
std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit);
/// By freedom, whether its friction's smoothing velocity is fitted; empty: `fit` does not name it. Joints
/// that follow others or lead them keep theirs. Throws UsageError where none is left.
std::vector<char> fitted_smoothing(const Model& model, const std::vector<std::string>& fit);
/// The robot with the smoothing velocities that were found.
Model with_smoothing(const Model& model, const Identification& x);

/// Names of π, and of the smoothing velocities that were fitted, in the order of their numbers.
std::vector<std::string> fitted_names(const Model& model, const Identification& x);

/// Root of the mean squared difference between the torques of the logs and those that π gives, by freedom; NaN:
/// not measured.
std::vector<double> torque_rms(RowInformation& information, const std::vector<double>& pi);

/// The four columns of torques' errors: of the robot's file and of the fit, in the logs and in those held out.
struct TorqueErrors {
  std::vector<double> before, after, holdout_before, holdout_after;
};

/// `urdf`: π of the robot's file; `rows`: names of a sample's rows.
Json identification_json(const Model& model, const Identification& x, const std::vector<double>& urdf, const TorqueErrors& rms,
                         const std::vector<std::string>& rows);
std::string identification_text(const Identification& x, const TorqueErrors& rms, const std::vector<std::string>& rows);
/// The fitted joints as --joints reads them; `model`: with_smoothing.
Json fitted_joints_json(const Model& model, const std::vector<double>& value);

}  // namespace sparsedyn::cli
