#include "identification_report.hpp"

#include <algorithm>

#include "identification/logs/fitted_parameters.hpp"

namespace sparsedyn {
namespace {

Json parameter_json(const std::string& name, double before, double value, double sd, bool determined) {
  return {{"name", name}, {"urdf", before}, {"value", value}, {"sd", sd}, {"determined", determined}};
}

}  // namespace

Json identification_json(const Model& model, const Identification& x, const std::vector<double>& urdf, const TorqueErrors& rms,
                         const std::vector<std::string>& rows) {
  const std::vector<std::string> names = fitted_names(model, x);
  Json parameters = Json::array(), base = Json::array();
  for (std::size_t k = 0; k < x.value.size(); ++k)
    parameters.push_back(parameter_json(names[k], urdf[k], x.value[k], x.sd[k], x.determined[k]));
  for (const ShapeNumber& each : shape_numbers(model, x))
    parameters.push_back(parameter_json(each.name, each.before, each.value, each.sd, each.determined));
  for (std::size_t k = 0; k < x.base_value.size(); ++k)
    base.push_back(
        {{"expression", x.base.expression(static_cast<int>(k), names)}, {"value", x.base_value[k]}, {"sd", x.base_sd[k]}});
  Json torques{{"before", by_row(rows, rms.before)}, {"after", by_row(rows, rms.after)}};
  if (!rms.holdout_after.empty()) {
    torques["holdout_before"] = by_row(rows, rms.holdout_before);
    torques["holdout_after"] = by_row(rows, rms.holdout_after);
  }
  Json json{{"parameters", parameters},
            {"base_parameters", base},
            {"rank", x.rank},
            {"condition", x.condition},
            {"rows", x.rows},
            {"chi_square", x.chi_square},
            {"noise", by_row(rows, x.sigma)},
            {"torque_rms", torques},
            {"passes", x.passes},
            {"settled", x.settled}};
  json["beside_least_squares"] = by_row(rows, x.beside_least_squares);
  const double wider = std::max(x.sufficient_prior, x.prior_not_overrun);
  if (wider > 0) json["sufficient_prior"] = wider;  // infinite: null
  if (!x.overrun.empty()) json["overrun"] = Json::array();
  for (std::size_t k = 0; k < x.overrun.size(); ++k)
    json["overrun"].push_back({{"name", names[static_cast<std::size_t>(x.overrun[k])]},
                               {"prior_deviations", x.overrun_deviations[k]},
                               {"pulled_by", x.overrun_pull[k]}});
  if (!x.outliers.empty()) json["outliers"] = by_row(rows, x.outliers);
  return json;
}

Json fitted_joints_json(const Model& robot, const std::vector<double>& value) {
  const Model& model = robot.tree();
  const ParameterIndex index(model);
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (index.of_joints[j] < 0) continue;
    Json& joint = joints[model.joints[j].name];
    for (int k = 0; k < index.counts[j]; ++k)
      joint[parameter_kinds()[static_cast<std::size_t>(1 + k)]] = value[static_cast<std::size_t>(index.of_joints[j] + k)];
    const FrictionShape g = physics_of(model, model.joints[j].v);
    joint["smoothing"] = g.smoothing;
    if (g.stribeck != 0) joint["stribeck"] = g.stribeck, joint["stribeck_velocity"] = g.stribeck_velocity;
  }
  return {{"joints", joints}};
}

Json cross_validation_json(const CrossValidation& x, const std::vector<std::string>& rows) {
  Json logs = Json::array();
  for (std::size_t l = 0; l < x.logs.size(); ++l) logs.push_back({{"log", x.logs[l]}, {"rms", by_row(rows, x.by_log[l])}});
  return {{"rms", by_row(rows, x.rms)}, {"logs", logs}};
}

}  // namespace sparsedyn
