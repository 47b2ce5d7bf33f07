#include "fitted_parameters.hpp"

#include <algorithm>
#include <array>

#include "io/suggestions.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

constexpr std::array<const char*, 3> shape_names{"smoothing", "stribeck", "stribeck_velocity"};  // by FrictionNumber

bool is_shape(const std::string& kind) { return kind == "smoothing" || kind == "stribeck"; }

std::array<double, 3> numbers_of(const FrictionShape& g) { return {g.smoothing, g.stribeck, g.stribeck_velocity}; }

bool names(const std::vector<std::string>& fit, const std::string& kind) {
  return std::find(fit.begin(), fit.end(), kind) != fit.end();
}

}  // namespace

const std::vector<std::string>& parameter_kinds() {
  static const std::vector<std::string> kinds{"inertia", "armature",  "damping",   "friction",
                                              "offset",  "stiffness", "smoothing", "stribeck"};
  return kinds;
}

std::vector<char> fitted_parameters(const Model& model, const std::vector<std::string>& fit) {
  for (const std::string& kind : fit)
    if (std::find(parameter_kinds().begin(), parameter_kinds().end(), kind) == parameter_kinds().end())
      throw UsageError("--fit " + kind + ": unknown" + suggestions_text(kind, parameter_kinds()) + "; expected " +
                       listing(parameter_kinds()));
  const bool all = fit.empty() || std::all_of(fit.begin(), fit.end(), is_shape);
  const auto named = [&](const std::string& kind) { return static_cast<char>(all || names(fit, kind)); };
  const ParameterIndex index(model);
  std::vector<char> fitted(static_cast<std::size_t>(index.count), named("inertia"));
  for (std::size_t j = 0; j < index.of_joints.size(); ++j)
    for (int k = 0; k < index.counts[j]; ++k)
      fitted[static_cast<std::size_t>(index.of_joints[j] + k)] = named(parameter_kinds()[static_cast<std::size_t>(1 + k)]);
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

PassOptions pass_options(const Model& model, const std::vector<std::string>& fit, double prior, bool huber) {
  PassOptions options;
  options.fit.fitted = fitted_parameters(model, fit);
  options.fit.prior = prior;
  options.smoothing = fitted_shapes(model, fit, "smoothing");
  options.stribeck = fitted_shapes(model, fit, "stribeck");
  options.huber = huber;
  return options;
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

}  // namespace sparsedyn
