#include "check_model.hpp"

#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "model/loads.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn::urdf {
namespace {

std::string quoted(const Joint& joint) { return "joint \"" + joint.name + "\""; }

/// The line of the joint (of <robot> for the base).
long line_of(const RobotElements& robot, const std::string& joint) {
  const auto found = robot.joint_index.find(joint);
  return found == robot.joint_index.end() ? robot.line : robot.joints[static_cast<std::size_t>(found->second)].line;
}

bool finite(const Vec3<double>& v) { return std::isfinite(v[0] + v[1] + v[2]); }
bool finite(const Body& b) {
  const Sym3<double>& s = b.inertia.moments;
  return finite(b.placement.d) && finite(b.inertia.h) && std::isfinite(b.inertia.m + s.xx + s.xy + s.xz + s.yy + s.yz + s.zz);
}

void check_finite(const XmlFile& file, const RobotElements& robot, const Model& model) {
  for (const Joint& joint : model.joints)
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b)
      if (!finite(model.bodies[b]))
        file.fail(line_of(robot, joint.name), quoted(joint), "lengths or masses that overflow", "the size of a robot");
  for (const Link& link : model.links)
    if (!finite(link.pose.d) || !finite(link.inertia.h))
      file.fail(line_of(robot, link.joint), "link \"" + link.name + "\"", "lengths that overflow", "the size of a robot");
}

/// Two joints whose names make the same column, such as "base.x" beside a floating base.
void check_columns(const XmlFile& file, const RobotElements& robot, const Model& model) {
  for (const auto& names : {coordinate_names(model), velocity_names(model), force_names(model)}) {
    std::map<std::string, const Joint*> owner;
    std::size_t k = 0;
    for (const Joint& joint : model.joints) {
      const int entries = static_cast<int>(names.size()) == model.nq ? joint.nq : joint.nv;
      for (int i = 0; i < entries; ++i, ++k) {
        const auto [first, is_new] = owner.emplace(names[k], &joint);
        if (!is_new)
          file.fail(line_of(robot, joint.name), quoted(joint), "the column " + names[k],
                    "columns of its own; " + quoted(*first->second) + " has that one");
      }
    }
  }
}

void warn_of_mimics(const XmlFile& file, const RobotElements& robot, const Model& model, LoadReport& report) {
  std::unordered_set<std::string> moving;
  for (const Joint& joint : model.joints) moving.insert(joint.name);
  for (const JointElement& joint : robot.joints)
    if (!joint.mimics.empty() && moving.count(joint.name))
      warn(file, joint.line, "joint \"" + joint.name + "\"", "mimics " + joint.mimics + "; taken as independent", report);
}

bool shifts(const Model& model, const Joint& joint) {
  const BodyJoint type = model.bodies[joint.first_body].joint;
  for (int k = 0; k < freedoms(type); ++k)
    if (is_shift(type, k)) return true;
  return false;
}

/// A joint that moves nothing, or shifts inertia without mass: nothing then determines its acceleration.
void warn_of_massless(const XmlFile& file, const RobotElements& robot, const Model& model, LoadReport& report) {
  std::unordered_map<std::string, long> lines;
  for (const JointElement& joint : robot.joints) lines.emplace(joint.name, joint.line);
  lines.emplace("base", robot.line);
  const std::vector<Load> loads = joint_loads(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (loads[j] == Load::mass || (loads[j] == Load::inertia && !shifts(model, joint))) continue;
    warn(file, lines.at(joint.name), quoted(joint),
         std::string(loads[j] == Load::nothing ? "moves no mass and no inertia" : "moves no mass") +
             "; forward dynamics does not determine its acceleration" +
             (loads[j] == Load::nothing && joint.parent_link >= 0 ? " (--lock massless fixes such joints)" : ""),
         report);
  }
}

}  // namespace

void check_reserved_names(const XmlFile& file, const RobotElements& robot, bool floating) {
  const std::string taken = floating ? "base" : "world";
  for (const JointElement& joint : robot.joints)
    if (joint.name == taken)
      file.fail(joint.line, "joint \"" + joint.name + "\"", "the name of what holds the root link", "another name");
}

void check_model(const XmlFile& file, const RobotElements& robot, const Model& model,
                 const std::vector<JointCoupling>& couplings, const LoadOptions& options, LoadReport& report) {
  check_finite(file, robot, model);
  check_columns(file, robot, model);
  check_bodies(file, robot, model, options.lenient, report);
  if (!options.mimic) warn_of_mimics(file, robot, model, report);
  warn_of_massless(file, robot, coupled(model, couplings), report);
}

}  // namespace sparsedyn::urdf
