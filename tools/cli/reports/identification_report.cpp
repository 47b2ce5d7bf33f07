#include "identification_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "cli/support/exit_code.hpp"
#include "cli/support/messages.hpp"
#include "cli/support/output_names.hpp"
#include "io/suggestions.hpp"
#include "sparsedyn/model/detail/coordinate_map.hpp"

namespace sparsedyn::cli {
namespace {

// What --fit names: the bodies', the numbers of a joint in their order, and what friction's shape depends on.
const std::vector<std::string> parameter_kinds{"inertia", "armature",  "damping",   "friction",
                                               "offset",  "stiffness", "smoothing", "stribeck"};
constexpr std::array<const char*, 3> shape_names{"smoothing", "stribeck", "stribeck_velocity"};  // by FrictionNumber

bool is_shape(const std::string& kind) { return kind == "smoothing" || kind == "stribeck"; }

std::array<double, 3> numbers_of(const FrictionShape& g) { return {g.smoothing, g.stribeck, g.stribeck_velocity}; }

bool names(const std::vector<std::string>& fit, const std::string& kind) {
  return std::find(fit.begin(), fit.end(), kind) != fit.end();
}

}  // namespace

std::vector<std::string> fitted_kinds(const std::string& fit) {
  return fit.empty() ? std::vector<std::string>() : listed("--fit", fit);
}

std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit) {
  for (const std::string& kind : fit)
    if (std::find(parameter_kinds.begin(), parameter_kinds.end(), kind) == parameter_kinds.end())
      throw UsageError("--fit " + kind + ": unknown" + suggestions_text(kind, parameter_kinds) + "; expected " +
                       listing(parameter_kinds));
  const bool all = fit.empty() || std::all_of(fit.begin(), fit.end(), is_shape);
  const auto named = [&](const std::string& kind) { return static_cast<char>(all || names(fit, kind)); };
  const ParameterIndex index(model);
  std::vector<char> fitted(static_cast<std::size_t>(index.count), named("inertia"));
  for (std::size_t j = 0; j < index.of_joints.size(); ++j)
    for (int k = 0; k < index.counts[j]; ++k)
      fitted[static_cast<std::size_t>(index.of_joints[j] + k)] = named(parameter_kinds[static_cast<std::size_t>(1 + k)]);
  if (names(fit, "stiffness") && std::find(index.counts.begin(), index.counts.end(), 5) == index.counts.end())
    throw UsageError("--fit stiffness: expected a robot with springs in its joints");
  return fitted;
}

Model with_fitted_springs(const Model& model, const std::vector<std::string>& fit) {
  if (!names(fit, "stiffness")) return model;
  Model sprung = model;
  for (const Joint& joint : model.tree().joints) {
    if (joint.nv != 1) continue;
    JointPhysics physics = physics_of(model.tree(), joint.v);
    if (!physics.stiffness) physics.stiffness = 0;
    set_joint_physics(sprung, joint.name, physics);
  }
  return sprung;
}

std::vector<char> fitted_shapes(const Model& model, const std::vector<std::string>& fit, const std::string& kind) {
  if (!names(fit, kind)) return {};
  std::vector<char> fitted(static_cast<std::size_t>(model.nv), 0);
  const ParameterIndex index(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (index.of_joints[j] >= 0 && moves_alone(model, model.joints[j])) fitted[static_cast<std::size_t>(model.joints[j].v)] = 1;
  if (std::count(fitted.begin(), fitted.end(), 1) == 0)
    throw UsageError("--fit " + kind + ": expected a robot with joints of one freedom that move on their own");
  return fitted;
}

Model with_friction(const Model& model, const Identification& x) {
  if (x.friction.empty()) return model;
  Model changed = model.tree();
  changed.physics.resize(static_cast<std::size_t>(changed.nv));  // also where no joint adds anything yet
  for (std::size_t v = 0; v < x.friction.size(); ++v) {
    const CoordinateMap* map = model.coordinate_map.get();
    const std::size_t own = map ? static_cast<std::size_t>(map->joined[v].front()) : v;
    static_cast<FrictionShape&>(changed.physics[own]) = x.friction[v];
  }
  return model.coordinate_map ? coupled(changed, model.coordinate_map->couplings) : changed;
}

namespace {

Json parameter_json(const std::string& name, double before, double value, double sd, bool determined) {
  return {{"name", name}, {"urdf", before}, {"value", value}, {"sd", sd}, {"determined", determined}};
}

}  // namespace

std::vector<ShapeNumber> shape_numbers(const Model& model, const Identification& x) {
  std::vector<ShapeNumber> found;
  for (std::size_t k = 0; k < shape_names.size(); ++k) {
    const auto fitted = [&](std::size_t v) { return numbers_of(x.friction_sd[v])[k] > 0; };
    bool any = false;
    for (std::size_t v = 0; v < x.friction.size(); ++v) any = any || fitted(v);
    for (const Joint& joint : model.joints) {
      const auto v = static_cast<std::size_t>(joint.v);
      if (any && joint.nv == 1)
        found.push_back({joint.name + "." + shape_names[k], joint.v, numbers_of(physics_of(model, joint.v))[k],
                         numbers_of(x.friction[v])[k], numbers_of(x.friction_sd[v])[k], x.friction_determined[v][k] != 0});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.freedom < b.freedom; });
  return found;
}

std::vector<std::string> fitted_names(const Model& model, const Identification& x) {
  std::vector<std::string> names = parameter_names(model);
  for (const ShapeNumber& each : shape_numbers(model, x))
    if (each.sd > 0) names.push_back(each.name);
  return names;
}

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

std::string identification_text(const Model& model, const Identification& x, const TorqueErrors& rms,
                                const std::vector<std::string>& rows) {
  auto determined = std::count(x.determined.begin(), x.determined.end(), 1);
  std::size_t parameters = x.value.size();
  for (const ShapeNumber& each : shape_numbers(model, x)) determined += each.determined, parameters += each.sd > 0;
  std::string text = "identify: " + std::to_string(determined) + " of " + std::to_string(parameters) +
                     " parameters determined; rank " + std::to_string(x.rank) + " of " + std::to_string(x.base_value.size()) +
                     " base parameters, condition " + three_digits(x.condition) +
                     (x.passes > 1 ? ", " + std::to_string(x.passes) + " passes" : std::string()) +
                     (x.settled ? "" : " (not settled)") + "\n\ntorques' rms error, before -> after" +
                     (rms.holdout_after.empty() ? "" : "; held out, before -> after") +
                     (x.outliers.empty() ? "" : "; rows beyond 5 deviations") + "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "  " + rows[i] + ": " + three_digits(rms.before[i]) + " -> " + three_digits(rms.after[i]);
    if (!rms.holdout_after.empty())
      text += "; " + three_digits(rms.holdout_before[i]) + " -> " + three_digits(rms.holdout_after[i]);
    if (!x.outliers.empty()) text += "; " + std::to_string(x.outliers[i]);
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
    for (int k = 0; k < index.counts[j]; ++k)
      joint[parameter_kinds[static_cast<std::size_t>(1 + k)]] = value[static_cast<std::size_t>(index.of_joints[j] + k)];
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

std::string cross_validation_text(const CrossValidation& x, const std::vector<std::string>& rows) {
  const auto line = [&](const std::string& title, const std::vector<double>& rms) {
    std::string text = "  " + title + ":";
    for (std::size_t i = 0; i < rows.size(); ++i) text += (i ? ", " : " ") + rows[i] + " " + three_digits(rms[i]);
    return text + "\n";
  };
  std::string text = "\neach log left out in its turn, rms error of what the others say\n";
  for (std::size_t l = 0; l < x.logs.size(); ++l) text += line(x.logs[l], x.by_log[l]);
  return text + line("all", x.rms);
}

}  // namespace sparsedyn::cli
