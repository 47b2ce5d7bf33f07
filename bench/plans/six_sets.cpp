#include "six_sets.hpp"

namespace sparsedyn::bench {
namespace {

Sensor on_all(const std::string& name, const std::string& type) {
  Sensor s;
  s.name = name, s.type = type, s.all = true;
  return s;
}
Sensor on(const std::string& name, const std::string& type, const std::string& target,
          const std::vector<std::string>& components = {}) {
  Sensor s;
  s.name = name, s.type = type, s.components = components;
  s.targets = {{target, 0}};
  return s;
}
/// One quantity of every joint, the base included.
std::vector<Sensor> of_joints(const std::string& type) {
  Sensor base = on(type + "-base", type, "base");
  base.optional = true;
  return {on_all(type, type), base};
}
Sensor air() {
  Sensor s = on_all("air", "external_wrench");
  s.fallback = {0.0};
  return s;
}

KnownRobot plain(const std::string& name, const std::string& type, const char* output) {
  KnownRobot known{{}, {output}};
  known.set.name = name;
  known.set.sensors = of_joints(type);
  known.set.sensors.push_back(air());
  return known;
}

KnownRobot hybrid(const Model& model) {
  KnownRobot known = plain("hybrid", "joint_acceleration", "tau");
  known.outputs = {"tau", "ddq"};
  Sensor torques;
  torques.name = "torques", torques.type = "joint_torque";
  for (std::size_t j = 1; j < model.joints.size(); j += 2) {
    if (model.joints[j].name == "base") continue;
    known.set.sensors[0].except.push_back({model.joints[j].name, 0});
    torques.targets.push_back({model.joints[j].name, 0});
  }
  known.set.sensors.push_back(torques);
  return known;
}

/// An unknown wrench on the last joint's link.
KnownRobot with_contact(const Model& model, const std::string& name, const std::string& type, const char* output) {
  KnownRobot known = plain(name, type, output);
  const std::string tip = model.links[model.joints.back().child_link].name;
  known.set.sensors.back().except = {{tip, 0}};
  known.outputs.push_back("fx." + tip);
  return known;
}

KnownRobot wrist(const Model& model) {
  KnownRobot known = with_contact(model, "wrist", "joint_acceleration", "tau");
  known.set.sensors.push_back(on("cell", "force_torque", model.joints.back().name));
  return known;
}

KnownRobot foot(const Model& model) {
  KnownRobot known = with_contact(model, "foot", "joint_torque", "ddq");
  const std::string tip = model.links[model.joints.back().child_link].name;
  Sensor no_moment = on("point", "external_wrench", tip, {"nx", "ny", "nz"}), held = on("held", "contact", tip);
  no_moment.frame.d = held.frame.d = {{0.05, 0.03, -0.08}};
  no_moment.framed = held.framed = true;
  no_moment.value = {0.0};
  known.set.sensors.push_back(no_moment);
  known.set.sensors.push_back(held);
  return known;
}

KnownRobot gyros(const Model& model) {
  KnownRobot known = plain("gyros", "joint_acceleration", "tau");
  for (std::size_t j = 1; j < model.joints.size(); j += 2) {
    const Joint& joint = model.joints[j];
    if (joint.bodies != 1 || model.bodies[joint.first_body].joint != BodyJoint::revolute) continue;
    known.set.sensors[0].except.push_back({joint.name, 0});
    const Link& link = model.links[joint.child_link];
    Sensor gyro = on("gyro-" + joint.name, "angular_accelerometer", link.name, {"z"});
    gyro.frame = {transpose(link.pose.R), zero3<double>()};  // z along the joint's axis
    gyro.framed = true;
    known.set.sensors.push_back(gyro);
  }
  return known;
}

}  // namespace

std::vector<KnownRobot> six_sets(const Model& model) {
  return {plain("inverse-dynamics", "joint_acceleration", "tau"),
          plain("forward-dynamics", "joint_torque", "ddq"),
          hybrid(model),
          wrist(model),
          foot(model),
          gyros(model)};
}

}  // namespace sparsedyn::bench
