#include <algorithm>
#include <cmath>
#include <utility>

#include "io/number.hpp"
#include "io/suggestions.hpp"
#include "model/joint_numbers.hpp"
#include "robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

const std::vector<std::pair<std::string, JointKind>> kinds = {
    {"fixed", JointKind::fixed},         {"revolute", JointKind::revolute}, {"continuous", JointKind::continuous},
    {"prismatic", JointKind::prismatic}, {"planar", JointKind::planar},     {"floating", JointKind::floating}};

JointKind read_kind(const XmlFile& file, const XMLElement& element, const std::string& owner) {
  const tinyxml2::XMLAttribute& at = file.attribute(element, "type", owner);
  const std::string type = at.Value();
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) {
    if (name == type) return kind;
    names.push_back(name);
  }
  const std::string expected = "fixed, revolute, continuous, prismatic, planar or floating" + suggestions_text(type, names);
  file.fail(at.GetLineNum(), owner, "type=\"" + type + "\"", expected);
}

/// The link that <parent> or <child> names.
int read_link_reference(const XmlFile& file, const XMLElement& joint, const char* end, const std::string& owner,
                        const std::map<std::string, int>& links) {
  const XMLElement* element = file.child(joint, end, owner);
  if (!element) file.fail(joint.GetLineNum(), owner, "no <" + std::string(end) + ">", "<" + std::string(end) + " link=\"…\"/>");
  const std::string name = file.name_of(*element, "link", inside(owner, *element));
  const auto found = links.find(name);
  if (found != links.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& link : links) names.push_back(link.first);
  file.fail(element->FindAttribute("link")->GetLineNum(), inside(owner, *element), "no link is called \"" + name + "\"",
            "a link of the robot" + suggestions_text(name, names));
}

/// A second axis that says the same is a copy, any other a contradiction.
const XMLElement* read_only_axis(const XmlFile& file, const XMLElement& joint, const std::string& owner, LoadReport& report) {
  const XMLElement* first = joint.FirstChildElement("axis");
  const XMLElement* second = first ? first->NextSiblingElement("axis") : nullptr;
  if (!second) return first;
  const std::string here = inside(owner, *second);
  for (const XMLElement* e = second; e; e = e->NextSiblingElement("axis")) {
    const Vec3<double> a = file.vector(*first, "xyz", here), b = file.vector(*e, "xyz", here);
    if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
      file.fail(e->GetLineNum(), here, "a second one, another than that of line " + std::to_string(first->GetLineNum()),
                "one <axis>");
  }
  note_repeated(file, joint, "axis", owner, report);
  return first;
}

Vec3<double> read_axis(const XmlFile& file, const XMLElement& joint, JointKind kind, const std::string& owner,
                       LoadReport& report) {
  const XMLElement* element = read_only_axis(file, joint, owner, report);
  if (kind == JointKind::fixed || kind == JointKind::floating) return {{1, 0, 0}};
  if (!element && kind == JointKind::planar)
    file.fail(joint.GetLineNum(), owner, "no <axis>", "<axis xyz=\"…\"/>, the normal of the plane");
  if (!element) return {{1, 0, 0}};
  const std::string here = inside(owner, *element);
  Vec3<double> axis = file.vector(*element, "xyz", here);
  note_ignored_attributes(file, *element, here, {"xyz"}, report);
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 1e-9) || !(length < 1e100))
    file.fail(element->GetLineNum(), here, "a vector without a length", "the direction of the joint's axis");
  if (std::abs(length - 1.0) > 1e-6) warn(file, element->GetLineNum(), here, "not of unit length; normalised", report);
  return {{axis[0] / length, axis[1] / length, axis[2] / length}};
}

}  // namespace

JointElement read_joint(const XmlFile& file, const XMLElement& element, const std::map<std::string, int>& links,
                        LoadReport& report) {
  JointElement joint;
  joint.element = &element;
  joint.line = element.GetLineNum();
  joint.name = file.name_of(element, "name", "<joint>");
  const std::string owner = "joint \"" + joint.name + "\"";
  joint.kind = read_kind(file, element, owner);
  joint.parent = read_link_reference(file, element, "parent", owner, links);
  joint.child = read_link_reference(file, element, "child", owner, links);
  joint.origin = read_origin(file, element, owner, report);
  joint.axis = read_axis(file, element, joint.kind, owner, report);
  if (const XMLElement* mimic = element.FirstChildElement("mimic"))
    joint.mimics = mimic->Attribute("joint") ? mimic->Attribute("joint") : "?";
  note_ignored_children(file, element, owner, {"parent", "child", "origin", "axis", "mimic"}, {}, report);
  for (const char* kind : {"limit", "dynamics", "mimic"}) note_repeated(file, element, kind, owner, report);
  return joint;
}
namespace {

std::string owner_of(const JointElement& joint) { return "joint \"" + joint.name + "\""; }

/// Joints that move, in the order of the file, with the element of that kind below them: visit(as read, element, index in the
/// model).
template <class Visit>
void for_each_element(const RobotElements& robot, const Model& model, const char* kind, Visit&& visit) {
  std::vector<int> in_model(robot.joints.size(), -1);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const auto read = robot.joint_index.find(model.joints[j].name); read != robot.joint_index.end())  // not the base
      in_model[static_cast<std::size_t>(read->second)] = static_cast<int>(j);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const XMLElement* element = robot.joints[i].element->FirstChildElement(kind);
    if (element && in_model[i] >= 0) visit(robot.joints[i], *element, in_model[i]);
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
  for_each_element(robot, model, "limit", [&](const JointElement& joint, const XMLElement& element, int j) {
    if (model.joints[static_cast<std::size_t>(j)].nv != 1) return;
    JointLimits limits;
    const auto read = [&](const char* name, double without) { return read_limit(file, joint, element, name, without, report); };
    if (joint.kind != JointKind::continuous && (element.Attribute("lower") || element.Attribute("upper")))
      limits.lower = read("lower", 0), limits.upper = read("upper", 0);
    limits.velocity = read("velocity", limits.velocity), limits.effort = read("effort", limits.effort);
    if (limits.lower <= limits.upper && limits.velocity >= 0 && limits.effort >= 0) return set_limits_of(model, j, limits);
    warn(file, element.GetLineNum(), inside(owner_of(joint), element), "limits that leave nothing; passed over", report);
  });
}

void check_locks(const XmlFile& file, const RobotElements& robot, const LoadOptions& options, LoadReport& report) {
  for (const auto& [name, value] : options.lock) {
    const auto found = robot.joint_index.find(name);
    if (found == robot.joint_index.end()) continue;
    const JointElement& joint = robot.joints[static_cast<std::size_t>(found->second)];
    const XMLElement* element = joint.element->FirstChildElement("limit");
    if (!element || (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic)) continue;
    JointLimits limits;
    double number = 0;
    const auto read = [&](const char* side, double& into) {
      if (const char* text = element->Attribute(side); text && read_number(text, number) == NumberText::number) into = number;
    };
    if (!element->Attribute("lower") && !element->Attribute("upper")) continue;
    limits.lower = limits.upper = 0, read("lower", limits.lower), read("upper", limits.upper);
    const std::string beyond = limits.lower <= limits.upper ? beyond_limits(name, value, limits) : "";
    if (!beyond.empty()) report.warnings.push_back(file.name() + ":" + std::to_string(element->GetLineNum()) + ": " + beyond);
  }
}

void set_dynamics(const XmlFile& file, const RobotElements& robot, Model& model, LoadReport& report) {
  for_each_element(robot, model, "dynamics", [&](const JointElement& joint, const XMLElement& element, int j) {
    const int freedoms = model.joints[static_cast<std::size_t>(j)].nv;
    JointPhysics physics;
    physics.damping = read_not_negative(file, joint, element, "damping");
    physics.friction = read_not_negative(file, joint, element, "friction");
    note_ignored_attributes(file, element, inside(owner_of(joint), element), {"damping", "friction"}, report);
    if (physics.none()) return;
    if (freedoms != 1)
      file.fail(element.GetLineNum(), inside(owner_of(joint), element),
                "damping or friction of a joint with " + std::to_string(freedoms) + " freedoms", "a joint with one");
    set_physics_of(model, j, physics);
  });
  report.ignored.erase(std::remove(report.ignored.begin(), report.ignored.end(), "dynamics"), report.ignored.end());
}

}  // namespace sparsedyn::urdf
