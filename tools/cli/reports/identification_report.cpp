#include "identification_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/support/exit_code.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/output_names.hpp"
#include "io/suggestions.hpp"

namespace sparsedyn::cli {
namespace {

const std::vector<std::string> parameter_kinds{"inertia", "armature", "damping", "friction", "offset"};

std::string three_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

Json by_torque(const Model& model, const std::vector<double>& numbers) {
  Json json = Json::object();
  const std::vector<std::string> names = force_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) json[names[i]] = numbers[i];
  return json;
}

}  // namespace

std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit) {
  for (const std::string& kind : fit)
    if (std::find(parameter_kinds.begin(), parameter_kinds.end(), kind) == parameter_kinds.end())
      throw UsageError("--fit " + kind + ": unknown" + suggestions_text(kind, parameter_kinds) + "; expected " +
                       listing(parameter_kinds));
  const auto named = [&](const std::string& kind) {
    return static_cast<char>(fit.empty() || std::find(fit.begin(), fit.end(), kind) != fit.end());
  };
  const ParameterIndex index(model);
  std::vector<char> fitted(static_cast<std::size_t>(index.count), named("inertia"));
  for (int own : index.of_joints)
    for (std::size_t k = 0; own >= 0 && k < 4; ++k) fitted[static_cast<std::size_t>(own) + k] = named(parameter_kinds[1 + k]);
  return fitted;
}

std::vector<double> torque_rms(TorqueInformation& information, const std::vector<double>& pi) {
  std::vector<double> rms;
  for (std::size_t i = 0; i < information.factors().size(); ++i)
    rms.push_back(std::sqrt(information.squares(static_cast<int>(i), pi) /
                            static_cast<double>(std::max(1L, information.factors()[i].rows))));
  return rms;
}

Json identification_json(const Model& model, const Identification& x, const std::vector<double>& urdf,
                         const TorqueErrors& rms) {
  const std::vector<std::string> names = parameter_names(model);
  Json parameters = Json::array(), base = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k)
    parameters.push_back({{"name", names[k]},
                          {"urdf", urdf[k]},
                          {"value", x.value[k]},
                          {"sd", x.sd[k]},
                          {"determined", static_cast<bool>(x.determined[k])}});
  for (std::size_t k = 0; k < x.base_value.size(); ++k)
    base.push_back(
        {{"expression", x.base.expression(static_cast<int>(k), names)}, {"value", x.base_value[k]}, {"sd", x.base_sd[k]}});
  Json torques{{"before", by_torque(model, rms.before)}, {"after", by_torque(model, rms.after)}};
  if (!rms.holdout_after.empty()) {
    torques["holdout_before"] = by_torque(model, rms.holdout_before);
    torques["holdout_after"] = by_torque(model, rms.holdout_after);
  }
  return {{"parameters", parameters},           {"base_parameters", base}, {"rank", x.rank},
          {"condition", x.condition},           {"rows", x.rows},          {"chi_square", x.chi_square},
          {"noise", by_torque(model, x.sigma)}, {"torque_rms", torques}};
}

std::string identification_text(const Model& model, const Identification& x, const TorqueErrors& rms) {
  const std::size_t determined = static_cast<std::size_t>(std::count(x.determined.begin(), x.determined.end(), 1));
  std::string text = "identify: " + std::to_string(determined) + " of " + std::to_string(x.value.size()) +
                     " parameters determined; rank " + std::to_string(x.rank) + " of " + std::to_string(x.base_value.size()) +
                     " base parameters, condition " + three_digits(x.condition) + "\n\ntorques' rms error, before -> after" +
                     (rms.holdout_after.empty() ? "" : "; held out, before -> after") + "\n";
  const std::vector<std::string> names = force_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += "  " + names[i] + ": " + three_digits(rms.before[i]) + " -> " + three_digits(rms.after[i]);
    if (!rms.holdout_after.empty())
      text += "; " + three_digits(rms.holdout_before[i]) + " -> " + three_digits(rms.holdout_after[i]);
    text += "\n";
  }
  return text;
}

Json fitted_joints_json(const Model& robot, const std::vector<double>& value) {
  const Model& model = robot.tree();
  const ParameterIndex index(model);
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (index.of_joints[j] < 0) continue;
    Json& joint = joints[model.joints[j].name];
    for (std::size_t k = 0; k < 4; ++k) joint[parameter_kinds[1 + k]] = value[static_cast<std::size_t>(index.of_joints[j]) + k];
    joint["smoothing"] = smoothing_of(model, model.joints[j].v);
  }
  return {{"joints", joints}};
}

}  // namespace sparsedyn::cli
