#include "joint_physics.hpp"

#include <algorithm>

#include "io/number.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

std::string owner_of(const JointElement& joint) { return "joint \"" + joint.name + "\""; }

/// Joints that move with one freedom, with the element of that kind below them.
template <class Visit>
void for_each_element(const RobotElements& robot, const Model& model, const char* kind, Visit&& visit) {
  for (const JointElement& joint : robot.joints) {
    const XMLElement* element = joint.element->FirstChildElement(kind);
    const int j = element ? model.find_joint(joint.name) : -1;
    if (j >= 0) visit(joint, *element, model.joints[j].nv);
  }
}

/// One limit, or what there is without it: a number that cannot be read is no reason to refuse a robot whose dynamics is known.
double read_limit(const XmlFile& file, const JointElement& joint, const XMLElement& element, const char* name, double without,
                  LoadReport& report) {
  const char* const text = element.Attribute(name);
  if (!text) return without;
  double value = 0;
  if (read_number(text, value) == NumberText::number) return value;
  warn(file, element.GetLineNum(), inside(owner_of(joint), element), std::string(name) + "=\"" + text + "\" is passed over",
       report);
  return without;
}

double read_not_negative(const XmlFile& file, const JointElement& joint, const XMLElement& element, const char* name) {
  if (!element.Attribute(name)) return 0;
  const std::string here = inside(owner_of(joint), element);
  const double x = file.number(element, name, here);
  if (x < 0) file.fail(element.GetLineNum(), here, std::string(name) + "=\"" + element.Attribute(name) + "\"", "a number >= 0");
  return x;
}

}  // namespace

void set_limits(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report) {
  for_each_element(robot, model, "limit", [&](const JointElement& joint, const XMLElement& element, int freedoms) {
    if (freedoms != 1) return;
    JointLimits limits;
    const auto read = [&](const char* name, double without) { return read_limit(file, joint, element, name, without, report); };
    if (joint.kind != JointKind::continuous && (element.Attribute("lower") || element.Attribute("upper")))
      limits.lower = read("lower", 0), limits.upper = read("upper", 0);
    limits.velocity = read("velocity", limits.velocity), limits.effort = read("effort", limits.effort);
    if (limits.lower <= limits.upper && limits.velocity >= 0 && limits.effort >= 0)
      return set_joint_limits(model, joint.name, limits);
    warn(file, element.GetLineNum(), inside(owner_of(joint), element), "limits that leave nothing; passed over", report);
  });
}

void set_dynamics(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report) {
  for_each_element(robot, model, "dynamics", [&](const JointElement& joint, const XMLElement& element, int freedoms) {
    JointPhysics physics;
    physics.damping = read_not_negative(file, joint, element, "damping");
    physics.friction = read_not_negative(file, joint, element, "friction");
    note_ignored_attributes(file, element, inside(owner_of(joint), element), {"damping", "friction"}, report);
    if (physics.none()) return;
    if (freedoms != 1)
      file.fail(element.GetLineNum(), inside(owner_of(joint), element),
                "damping or friction of a joint with " + std::to_string(freedoms) + " freedoms", "a joint with one");
    set_joint_physics(model, joint.name, physics);
  });
  report.ignored.erase(std::remove(report.ignored.begin(), report.ignored.end(), "dynamics"), report.ignored.end());
}

}  // namespace sparsedyn::urdf
