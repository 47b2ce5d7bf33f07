#include "sparsedyn/model/joint_physics.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "change_tree.hpp"
#include "io/number.hpp"
#include "joint_numbers.hpp"

namespace sparsedyn {
namespace {

/// Refuses a joint of several.
void check_one_freedom(const Joint& joint) {
  if (joint.nv != 1)
    throw std::invalid_argument("joint " + joint.name + ": " + std::to_string(joint.nv) +
                                " freedoms; expected a joint with one");
}

void check_count(const Joint& joint, std::size_t count) {
  if (static_cast<int>(count) != joint.nv)
    throw std::invalid_argument("joint " + joint.name + ": numbers of " + std::to_string(count) + " freedoms; expected " +
                                std::to_string(joint.nv));
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

void check_physics(const std::string& joint, const JointPhysics& physics) {
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
}

/// What a body of several freedoms may have.
void check_body(const Joint& joint, const Body& body, const std::vector<JointPhysics>& each) {
  const auto first = static_cast<std::size_t>(body.v - joint.v);
  const int count = freedoms(body.joint);
  for (std::size_t k = first; count > 1 && k < first + static_cast<std::size_t>(count); ++k) {
    check(joint.name, "armature", each[k].armature, each[k].armature == each[first].armature,
          "the same for all freedoms that one body has there");
    check(joint.name, "stiffness", each[k].stiffness.value_or(0), !each[k].stiffness,
          "none where one body has several freedoms");
  }
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
  check_one_freedom(model.joints[static_cast<std::size_t>(j)]);
  set_physics_of(model, j, std::vector<JointPhysics>{physics});
}

std::string beyond_limits(const std::string& joint, double value, const JointLimits& limits) {
  if (value >= limits.lower && value <= limits.upper) return "";
  return "joint \"" + joint + "\": locked at " + number_text(value) + ", beyond its limits of " + number_text(limits.lower) +
         " and " + number_text(limits.upper);
}

void set_limits_of(Model& model, int j, const JointLimits& limits) {
  check_one_freedom(model.joints[static_cast<std::size_t>(j)]);
  set_limits_of(model, j, std::vector<JointLimits>{limits});
}

void set_physics_of(Model& model, int j, const std::vector<JointPhysics>& each) {
  const Joint& joint = model.joints[static_cast<std::size_t>(j)];
  check_count(joint, each.size());
  for (const JointPhysics& physics : each) check_physics(joint.name, physics);
  for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b)
    check_body(joint, model.bodies[static_cast<std::size_t>(b)], each);
  if (model.physics.empty() && std::all_of(each.begin(), each.end(), is_default)) return;
  model.physics.resize(static_cast<std::size_t>(model.nv));
  std::copy(each.begin(), each.end(), model.physics.begin() + joint.v);
}

void set_limits_of(Model& model, int j, const std::vector<JointLimits>& each) {
  const Joint& joint = model.joints[static_cast<std::size_t>(j)];
  check_count(joint, each.size());
  for (const JointLimits& limits : each) {
    check(joint.name, "lower limit", limits.lower, limits.lower <= limits.upper, "no more than the upper one");
    check(joint.name, "velocity limit", limits.velocity, limits.velocity >= 0, "a number >= 0");
    check(joint.name, "effort limit", limits.effort, limits.effort >= 0, "a number >= 0");
  }
  model.limits.resize(static_cast<std::size_t>(model.nv));
  std::copy(each.begin(), each.end(), model.limits.begin() + joint.v);
}

}  // namespace sparsedyn
