// <transmission>: what a motor's rotor adds to the joint that it drives, n² J for a reduction n and an inertia J.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "dialects.hpp"
#include "io/suggestions.hpp"
#include "sparsedyn/model/joint_physics.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

/// ROS's names, ros2_control's and Drake's.
const std::vector<const char*> inertias{"motorInertia", "motor_inertia", "drake:rotor_inertia"};
const std::vector<const char*> reductions{"mechanicalReduction", "mechanical_reduction", "drake:gear_ratio"};

int count(const XMLElement& of, const char* kind) {
  int n = 0;
  for (auto* e = of.FirstChildElement(kind); e; e = e->NextSiblingElement(kind)) ++n;
  return n;
}

bool has_any(const XMLElement& of, const std::vector<const char*>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) { return of.FirstChildElement(kind) != nullptr; });
}

/// Whether one of the kinds stands in the transmission, an actuator or a joint of it.
bool holds_any(const XMLElement& transmission, const std::vector<const char*>& kinds) {
  for (auto* e = transmission.FirstChildElement(); e; e = e->NextSiblingElement())
    if (has_any(*e, kinds)) return true;
  return has_any(transmission, kinds);
}

/// A number that may stand in the <actuator>, in the <joint> or in the transmission itself, once, under one of the names.
const XMLElement* find(const XmlFile& file, const XMLElement& transmission, const std::vector<const char*>& kinds,
                       const std::string& owner) {
  const XMLElement* found = nullptr;
  for (const XMLElement* of :
       {transmission.FirstChildElement("actuator"), transmission.FirstChildElement("joint"), &transmission})
    for (const char* kind : kinds) {
      const XMLElement* const here = of ? file.child(*of, kind, owner) : nullptr;
      if (here && found)
        file.fail(here->GetLineNum(), inside(owner, *here), "a second one in the transmission",
                  "it once; line " + std::to_string(found->GetLineNum()) + " has it too");
      if (here) found = here;
    }
  return found;
}

/// The element's text, or Drake's value="…".
double number_in(const XmlFile& file, const XMLElement& element, const std::string& owner) {
  if (element.FindAttribute("value")) return file.number(element, "value", inside(owner, element));
  return file.numbers_in(element, 1, owner)[0];
}

/// The joint, which may have any number of freedoms.
const JointElement& joint_of(const XmlFile& file, const RobotElements& robot, const XMLElement& element,
                             const std::string& owner) {
  const std::string name = file.name_of(element, "name", inside(owner, element));
  if (const auto found = robot.joint_index.find(name); found != robot.joint_index.end())
    return robot.joints[static_cast<std::size_t>(found->second)];
  std::vector<std::string> names;
  for (const JointElement& joint : robot.joints) names.push_back(joint.name);
  file.fail(element.GetLineNum(), inside(owner, element), "no joint is called \"" + name + "\"",
            "a joint of the robot" + suggestions_text(name, names));
}

/// n² J; the reduction is 1 where none is given, its sign (a motor that turns the other way) does not matter.
double reflected_inertia(const XmlFile& file, const XMLElement& transmission, const XMLElement& inertia,
                         const std::string& owner) {
  const double J = number_in(file, inertia, owner);
  if (J < 0)
    file.fail(inertia.GetLineNum(), inside(owner, inertia),
              inertia.Attribute("value") ? inertia.Attribute("value") : inertia.GetText(), "a number >= 0");
  const XMLElement* const reduction = find(file, transmission, reductions, owner);
  const double n = reduction ? number_in(file, *reduction, owner) : 1;
  if (n == 0) file.fail(reduction->GetLineNum(), inside(owner, *reduction), "0", "a reduction other than 0");
  if (!std::isfinite(n * n * J))
    file.fail(inertia.GetLineNum(), inside(owner, inertia), "an armature (reduction² inertia) that is not finite",
              "numbers of a motor");
  return n * n * J;
}

/// A reduction alone adds nothing, and neither does what a controller commands.
void warn_of_nothing(const XmlFile& file, const XMLElement& transmission, const std::string& owner, LoadReport& report) {
  const XMLElement* spelt = nullptr;  // as an inertia, but not by a name that is read
  for (const XMLElement* of :
       {transmission.FirstChildElement("actuator"), transmission.FirstChildElement("joint"), &transmission})
    for (auto* e = of ? of->FirstChildElement() : nullptr; e && !spelt; e = e->NextSiblingElement())
      if (std::strstr(e->Name(), "nertia")) spelt = e;
  if (spelt) return warn(file, spelt->GetLineNum(), inside(owner, *spelt), "is not read; motorInertia is", report);
  warn(file, transmission.GetLineNum(), owner,
       std::string(holds_any(transmission, reductions) ? "a reduction without a motorInertia" : "no motorInertia") +
           ": it adds nothing (an armature of --joints does)",
       report);
}

void add_rotor(const XmlFile& file, const RobotElements& robot, const XMLElement& transmission, Model& model,
               LoadReport& report) {
  const std::string owner =
      "transmission \"" + std::string(transmission.Attribute("name") ? transmission.Attribute("name") : "") + "\"";
  if (!holds_any(transmission, inertias)) return warn_of_nothing(file, transmission, owner, report);
  if (const int joints = count(transmission, "joint"), motors = count(transmission, "actuator"); joints != 1 || motors > 1)
    file.fail(transmission.GetLineNum(), owner,
              "a motorInertia between " + std::to_string(motors) + " actuators and " + std::to_string(joints) + " joints",
              "one actuator and one joint");
  const XMLElement& element = *transmission.FirstChildElement("joint");
  const JointElement& joint = joint_of(file, robot, element, owner);
  const XMLElement* const inertia = find(file, transmission, inertias, owner);
  if (!inertia)
    file.fail(transmission.GetLineNum(), owner, "a motorInertia that is neither the actuator's nor the joint's",
              "it in <actuator>, in <joint> or in <transmission>");
  const double armature = reflected_inertia(file, transmission, *inertia, owner);
  if (joint.kind == JointKind::fixed)
    return warn(file, element.GetLineNum(), inside(owner, element), "the joint is fixed; its motor is passed over", report);
  if (armature == 0) return;
  change_physics(file, element, owner, "motor", joint.name, model,
                 [&](JointPhysics& physics) { physics.armature += armature; });  // several motors may drive a joint
}

void add_rotors_in(const XmlFile& file, const RobotElements& robot, const XMLElement& holder, Model& model,
                   LoadReport& report) {
  for (auto* e = holder.FirstChildElement("transmission"); e; e = e->NextSiblingElement("transmission"))
    add_rotor(file, robot, *e, model, report);
}

}  // namespace

void set_rotors(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report) {
  add_rotors_in(file, robot, file.root(), model, report);
  for (auto* e = file.root().FirstChildElement("ros2_control"); e; e = e->NextSiblingElement("ros2_control"))
    add_rotors_in(file, robot, *e, model, report);
  report.ignored.erase(std::remove(report.ignored.begin(), report.ignored.end(), "transmission"), report.ignored.end());
}

}  // namespace sparsedyn::urdf
