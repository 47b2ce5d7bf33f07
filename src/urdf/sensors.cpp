#include "io/text_file.hpp"
#include "sensor_elements.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "urdf/changes/options.hpp"

namespace sparsedyn {
namespace urdf {
namespace {

using tinyxml2::XMLElement;

/// The type of a <sensor>: its attribute, or in ROS's style the child that describes a camera or a ray.
std::string type_of(const XmlFile& file, const XMLElement& sensor, const std::string& name) {
  if (!sensor.FindAttribute("type"))
    for (const char* child : {"camera", "ray"})
      if (sensor.FirstChildElement(child)) return child;
  return file.attribute(sensor, "type", "sensor \"" + name + "\"").Value();
}

/// All sensors of a file, the top-level ones first.
std::vector<SensorElement> sensor_elements(const XmlFile& file) {
  std::vector<SensorElement> found;
  const auto add = [&](const XMLElement& holder, const XMLElement* gazebo) {
    for (auto* e = holder.FirstChildElement("sensor"); e; e = e->NextSiblingElement("sensor")) {
      const std::string name = file.name_of(*e, "name", "<sensor>");
      found.push_back({e, gazebo, name, type_of(file, *e, name)});
    }
  };
  add(file.root(), nullptr);
  for (auto* e = file.root().FirstChildElement("gazebo"); e; e = e->NextSiblingElement("gazebo")) add(*e, e);
  return found;
}

/// A <sensor> in a link or joint is read by nobody.
void warn_of_misplaced(const XmlFile& file, LoadReport& report) {
  for (const char* kind : {"link", "joint"})
    for (auto* holder = file.root().FirstChildElement(kind); holder; holder = holder->NextSiblingElement(kind))
      for (auto* e = holder->FirstChildElement("sensor"); e; e = e->NextSiblingElement("sensor")) {
        const char* const name = holder->Attribute("name");
        warn(file, e->GetLineNum(), std::string(kind) + " \"" + (name ? name : "") + "\" <sensor>",
             "is not read here; it belongs in <robot> itself, with <parent " + std::string(kind) + "=\"…\"/>", report);
      }
}

/// Which links are cut off: those that `changes` names and all below them.
std::vector<bool> without(const RobotElements& robot, const Changes& changes) {
  std::vector<bool> cut(robot.links.size(), false);
  std::vector<int> open{robot.root};
  while (!open.empty()) {
    const int link = open.back();
    open.pop_back();
    for (int j : robot.joints_below[link]) {
      const int child = robot.joints[j].child;
      cut[child] = cut[link] || changes.cut[child];
      open.push_back(child);
    }
  }
  return cut;
}

bool is_cut(const RobotElements& robot, const std::vector<bool>& cut, const UrdfSensor& sensor) {
  const bool on_joint = sensor.type == "force_torque";
  return cut[on_joint ? robot.joints[robot.joint_index.at(sensor.at)].child : robot.link_index.at(sensor.at)];
}

/// One warning for all sensors that do not measure dynamics, counted by type.
void warn_of_others(const XmlFile& file, const std::map<std::string, int>& others, long line, LoadReport& report) {
  std::string text;
  for (const auto& [type, count] : others) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + type;
  if (!text.empty()) warn(file, line, "<sensor>", text + " passed over: no measurement of the dynamics", report);
}

/// Sensors by name, each with the line that it comes from.
struct Collection {
  std::vector<UrdfSensor> sensors;
  std::map<std::string, const SensorElement*> origin;

  void add(const XmlFile& file, const SensorElement& from, const UrdfSensor& sensor) {
    const auto [first, is_new] = origin.emplace(sensor.name, &from);
    if (is_new) return sensors.push_back(sensor);
    if (from.gazebo && !first->second->gazebo) return;
    file.fail(from.element->GetLineNum(), "sensor \"" + sensor.name + "\"", "a second sensor of that name",
              "names given once; line " + std::to_string(first->second->element->GetLineNum()) + " has it too");
  }
};

}  // namespace
}  // namespace urdf

UrdfSensorSet parse_urdf_sensors(const std::string& text, const std::string& name, const LoadOptions& options,
                                 LoadReport* report) {
  LoadReport own;
  LoadReport& notes = report ? *report : own;
  const urdf::XmlFile file(text, name);
  const urdf::RobotElements robot = urdf::read_robot(file, options.lenient, own);
  const std::vector<urdf::Mimic> mimics = options.mimic ? urdf::read_mimics(file, robot, own) : std::vector<urdf::Mimic>();
  const std::vector<bool> cut = urdf::without(robot, urdf::Changes(robot, options, mimics));

  urdf::warn_of_misplaced(file, notes);
  const std::vector<urdf::SensorElement> elements = urdf::sensor_elements(file);
  urdf::Collection collection;
  std::map<std::string, int> others;
  long first_other = 0;
  for (const urdf::SensorElement& e : elements) {
    const auto same = collection.origin.find(e.name);
    if (e.gazebo && same != collection.origin.end() && !same->second->gazebo) continue;
    if (urdf::measures_dynamics(e.type)) {
      for (const UrdfSensor& s : urdf::read_sensor(file, robot, e, notes))
        if (!urdf::is_cut(robot, cut, s)) collection.add(file, e, s);
    } else {
      ++others[e.type];
      if (!first_other) first_other = e.element->GetLineNum();
    }
  }
  urdf::warn_of_others(file, others, first_other, notes);
  return {robot.name, collection.sensors};
}

UrdfSensorSet load_urdf_sensors(const std::string& path, const LoadOptions& options, LoadReport* report) {
  return parse_urdf_sensors(read_text_file(path, "a URDF file"), path, options, report);
}

}  // namespace sparsedyn
