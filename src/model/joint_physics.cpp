#include "sparsedyn/model/joint_physics.hpp"

#include <stdexcept>

#include "change_tree.hpp"
#include "io/number.hpp"
#include "joint_numbers.hpp"

namespace sparsedyn {
namespace {

/// The entry of v of a joint of one freedom.
std::size_t freedom_of(const Joint& joint) {
  if (joint.nv != 1)
    throw std::invalid_argument("joint " + joint.name + ": " + std::to_string(joint.nv) +
                                " freedoms; expected a joint with one");
  return static_cast<std::size_t>(joint.v);
}

void check(const std::string& joint, const char* what, double x, bool fits, const char* expected) {
  if (!fits || std::isnan(x))
    throw std::invalid_argument("joint " + joint + ": " + what + " " + std::to_string(x) + "; expected " + expected);
}

/// Whether a model without any numbers of joints says as much.
bool is_default(const JointPhysics& p) {
  const FrictionShape usual;
  return p.none() && !p.stiffness && p.smoothing == usual.smoothing && p.stribeck == usual.stribeck &&
         p.stribeck_velocity == usual.stribeck_velocity;
}

}  // namespace

void set_joint_physics(Model& model, const std::string& joint, const JointPhysics& physics) {
  if (model.coordinate_map) return change_tree(model, [&](Model& tree) { set_joint_physics(tree, joint, physics); });
  set_physics_of(model, model.joint(joint), physics);
}

void set_joint_limits(Model& model, const std::string& joint, const JointLimits& limits) {
  if (model.coordinate_map) change_tree(model, [&](Model& tree) { set_joint_limits(tree, joint, limits); });
  const int j = model.joint(joint);
  if (!model.joints[static_cast<std::size_t>(j)].follows()) set_limits_of(model, j, limits);
}

void set_physics_of(Model& model, int j, const JointPhysics& physics) {
  const std::string& joint = model.joints[static_cast<std::size_t>(j)].name;
  const std::size_t v = freedom_of(model.joints[static_cast<std::size_t>(j)]);
  const auto not_negative = [&](const char* what, double x) {
    check(joint, what, x, x >= 0 && std::isfinite(x), "a finite number >= 0");
  };
  not_negative("armature", physics.armature);
  not_negative("damping", physics.damping);
  not_negative("friction", physics.friction);
  not_negative("stiffness", physics.stiffness.value_or(0));
  check(joint, "offset", physics.offset, std::isfinite(physics.offset), "a finite number");
  check(joint, "smoothing", physics.smoothing, physics.smoothing > 0 && std::isfinite(physics.smoothing),
        "a finite number > 0");
  check(joint, "friction / smoothing", physics.friction / physics.smoothing,
        std::isfinite(physics.friction / (physics.smoothing * physics.smoothing)) && std::isfinite(1 / physics.smoothing),
        "a slope that a double can hold");
  check(joint, "stribeck", physics.stribeck, physics.stribeck >= 0 && physics.stribeck <= 1, "a number from 0 to 1");
  check(joint, "stribeck_velocity", physics.stribeck_velocity,
        physics.stribeck_velocity >= 1e-10 && physics.stribeck_velocity <= 1e10, "a number from 1e-10 to 1e10");
  if (model.physics.empty() && is_default(physics)) return;
  model.physics.resize(static_cast<std::size_t>(model.nv));
  model.physics[v] = physics;
}

std::string beyond_limits(const std::string& joint, double value, const JointLimits& limits) {
  if (value >= limits.lower && value <= limits.upper) return "";
  return "joint \"" + joint + "\": locked at " + number_text(value) + ", beyond its limits of " + number_text(limits.lower) +
         " and " + number_text(limits.upper);
}

void set_limits_of(Model& model, int j, const JointLimits& limits) {
  const std::string& joint = model.joints[static_cast<std::size_t>(j)].name;
  const std::size_t v = freedom_of(model.joints[static_cast<std::size_t>(j)]);
  check(joint, "lower limit", limits.lower, limits.lower <= limits.upper, "no more than the upper one");
  check(joint, "velocity limit", limits.velocity, limits.velocity >= 0, "a number >= 0");
  check(joint, "effort limit", limits.effort, limits.effort >= 0, "a number >= 0");
  model.limits.resize(static_cast<std::size_t>(model.nv));
  model.limits[v] = limits;
}

}  // namespace sparsedyn
