#include <algorithm>
#include <cmath>

#include "io/suggestions.hpp"
#include "sensor_elements.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

/// The name that the sensor's <parent link="…"> (or joint) or Gazebo's reference holds, which one of `elements` must have.
template <class Element>
const Element& read_place(const XmlFile& file, const SensorElement& sensor, const std::vector<Element>& elements,
                          const std::map<std::string, int>& index, const char* kind, const std::string& owner) {
  const XMLElement* holder = sensor.gazebo ? sensor.gazebo : file.child(*sensor.element, "parent", owner);
  if (!holder) file.fail(sensor.element->GetLineNum(), owner, "no <parent>", "<parent " + std::string(kind) + "=\"…\"/>");
  const char* attribute = sensor.gazebo ? "reference" : kind;
  const std::string name = file.name_of(*holder, attribute, inside(owner, *holder));
  if (const auto found = index.find(name); found != index.end()) return elements[static_cast<std::size_t>(found->second)];
  std::vector<std::string> names;
  for (const Element& e : elements) names.push_back(e.name);
  file.fail(holder->FindAttribute(attribute)->GetLineNum(), inside(owner, *holder),
            "no " + std::string(kind) + " is called \"" + name + "\"",
            "a " + std::string(kind) + " of the robot" + suggestions_text(name, names));
}

/// SDF's <pose>: x y z and roll pitch yaw, in degrees where it says so, or with rotation_format="quat_xyzw" a quaternion.
Origin read_pose(const XmlFile& file, const XMLElement& pose, const std::string& owner, LoadReport& report) {
  const std::string here = inside(owner, pose);
  note_ignored_attributes(file, pose, here, {"rotation_format", "degrees"}, report);
  const auto says = [&](const char* name, const char* usual, const char* other) {
    const std::string text = pose.Attribute(name) ? pose.Attribute(name) : usual;
    if (text != usual && text != other)
      file.fail(pose.GetLineNum(), here, std::string(name) + "=\"" + text + "\"", std::string(usual) + " or " + other);
    return text == other;
  };
  if (says("rotation_format", "euler_rpy", "quat_xyzw")) {
    if (says("degrees", "false", "true")) file.fail(pose.GetLineNum(), here, "a quaternion in degrees", "one of the two");
    const std::vector<double> n = file.numbers_in(pose, 7, owner);
    return {{{n[0], n[1], n[2]}}, rpy_from_quaternion(file, pose.GetLineNum(), here, {n[3], n[4], n[5], n[6]}, report)};
  }
  const double unit = says("degrees", "false", "true") ? std::acos(-1.0) / 180 : 1;
  const std::vector<double> n = file.numbers_in(pose, 6, owner);
  return {{{n[0], n[1], n[2]}}, {{unit * n[3], unit * n[4], unit * n[5]}}};
}

/// The sensor's frame: <pose> under <gazebo>, else <origin>.
Origin read_frame(const XmlFile& file, const SensorElement& sensor, const std::string& owner, LoadReport& report) {
  if (!sensor.gazebo) return read_origin(file, *sensor.element, owner, report);
  const XMLElement* pose = file.child(*sensor.element, "pose", owner);
  return pose ? read_pose(file, *pose, owner, report) : Origin{};
}

UrdfSensor sensor_of(const std::string& name, const std::string& type, const std::string& at, const Origin& frame) {
  UrdfSensor sensor;
  sensor.name = name;
  sensor.type = type;
  sensor.at = at;
  sensor.xyz = frame.xyz;
  sensor.rpy = frame.rpy;
  return sensor;
}

void set_sigma(UrdfSensor& sensor, std::initializer_list<Vec3<double>> deviations) {
  for (const Vec3<double>& d : deviations) sensor.sigma.insert(sensor.sigma.end(), d.e, d.e + 3);
  if (std::all_of(sensor.sigma.begin(), sensor.sigma.end(), [](double s) { return s == 0; })) sensor.sigma.clear();
}

const XMLElement* below(const XMLElement* element, const char* name) {
  return element ? element->FirstChildElement(name) : nullptr;
}

/// A text that must be one of `allowed`; `otherwise` where the element is missing.
std::string choice(const XmlFile& file, const XMLElement* element, std::initializer_list<const char*> allowed,
                   const char* otherwise, const std::string& owner) {
  if (!element) return otherwise;
  const std::string text = element->GetText() ? element->GetText() : "";
  std::string expected;
  for (const char* a : allowed) {
    if (text == a) return a;
    expected += (expected.empty() ? "" : " or ") + std::string(a);
  }
  file.fail(element->GetLineNum(), inside(owner, *element), "\"" + text + "\"", expected);
}

/// The frame of the wrench, in the joint's child link, or nothing where it moves in that link. SDF's <frame> is child
/// (default), parent or sensor: the link whose frame, or the sensor's own, the wrench is given in.
bool wrench_frame(const JointElement& joint, const std::string& frame, Origin& origin) {
  if (frame == "sensor") return true;
  origin = {};
  if (frame == "child") return true;
  const Pose<double> parent = inverse(Pose<double>{rotation_from_rpy(joint.origin.rpy), joint.origin.xyz});
  origin = {parent.d, rpy_from_rotation(parent.R)};
  return joint.kind == JointKind::fixed;
}

std::vector<UrdfSensor> read_force_torque(const XmlFile& file, const RobotElements& robot, const SensorElement& sensor,
                                          const std::string& owner, LoadReport& report) {
  const JointElement& joint = read_place(file, sensor, robot.joints, robot.joint_index, "joint", owner);
  Origin origin = read_frame(file, sensor, owner, report);
  const XMLElement* details = file.child(*sensor.element, "force_torque", owner);
  const std::string frame = choice(file, below(details, "frame"), {"child", "parent", "sensor"}, "child", owner);
  if (!wrench_frame(joint, frame, origin)) {
    warn(file, sensor.element->GetLineNum(), owner, "reports in the parent's frame across a moving joint; left out", report);
    return {};
  }
  UrdfSensor found = sensor_of(sensor.name, "force_torque", joint.name, origin);
  found.direction =
      choice(file, below(details, "measure_direction"), {"child_to_parent", "parent_to_child"}, "child_to_parent", owner);
  set_sigma(found,
            {read_deviations(file, below(details, "torque"), owner), read_deviations(file, below(details, "force"), owner)});
  return {found};
}

}  // namespace

bool measures_dynamics(const std::string& type) {
  return type == "accelerometer" || type == "gyroscope" || type == "imu" || type == "force_torque" ||
         type == "three_axis_angular_accelerometer";
}

std::vector<UrdfSensor> read_sensor(const XmlFile& file, const RobotElements& robot, const SensorElement& sensor,
                                    LoadReport& report) {
  const std::string owner = "sensor \"" + sensor.name + "\"";
  if (sensor.type == "force_torque") return read_force_torque(file, robot, sensor, owner, report);
  const std::string link = read_place(file, sensor, robot.links, robot.link_index, "link", owner).name;
  const Origin frame = read_frame(file, sensor, owner, report);
  if (sensor.type == "three_axis_angular_accelerometer") return {sensor_of(sensor.name, "angular_accelerometer", link, frame)};
  if (sensor.type != "imu") return {sensor_of(sensor.name, sensor.type, link, frame)};

  const XMLElement* imu = file.child(*sensor.element, "imu", owner);
  UrdfSensor accelerometer = sensor_of(sensor.name + "_acc", "accelerometer", link, frame);
  UrdfSensor gyroscope = sensor_of(sensor.name + "_gyro", "gyroscope", link, frame);
  set_sigma(accelerometer, {read_deviations(file, below(imu, "linear_acceleration"), owner)});
  set_sigma(gyroscope, {read_deviations(file, below(imu, "angular_velocity"), owner)});
  return {accelerometer, gyroscope};
}

Vec3<double> read_deviations(const XmlFile& file, const XMLElement* quantity, const std::string& owner) {
  Vec3<double> deviations{};
  const char* const axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    const XMLElement* stddev = below(below(below(quantity, axes[k]), "noise"), "stddev");
    if (!stddev) continue;
    deviations[k] = file.numbers_in(*stddev, 1, owner)[0];
    if (deviations[k] < 0) file.fail(stddev->GetLineNum(), inside(owner, *stddev), "a negative number", "a standard deviation");
  }
  return deviations;
}

}  // namespace sparsedyn::urdf
