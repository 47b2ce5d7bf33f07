#include "mimic.hpp"

#include "io/suggestions.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

bool has_one_freedom(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous || kind == JointKind::prismatic;
}

std::string quoted(const JointElement& joint) { return "joint \"" + joint.name + "\""; }

int read_leader(const XmlFile& file, const RobotElements& robot, const JointElement& joint, const XMLElement& element,
                const std::string& here) {
  const std::string name = file.name_of(element, "joint", here);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const JointElement& leader = robot.joints[j];
    names.push_back(leader.name);
    if (leader.name != name) continue;
    if (leader.name == joint.name) file.fail(element.GetLineNum(), here, "the joint itself", "another joint");
    if (leader.kind == JointKind::fixed)
      file.fail(element.GetLineNum(), here, "\"" + name + "\", a fixed joint", "a joint that moves");
    if (!has_one_freedom(leader.kind))
      file.fail(element.GetLineNum(), here, "\"" + name + "\", a joint of several freedoms", "a joint of one freedom");
    return static_cast<int>(j);
  }
  file.fail(element.GetLineNum(), here, "no joint is called \"" + name + "\"",
            "a joint of the robot" + suggestions_text(name, names));
}

Mimic read_mimic(const XmlFile& file, const RobotElements& robot, const JointElement& joint, LoadReport& report) {
  const XMLElement* element = file.child(*joint.element, "mimic", quoted(joint));
  if (!element) return {};
  const std::string here = inside(quoted(joint), *element);
  if (joint.kind == JointKind::fixed) {
    warn(file, element->GetLineNum(), here, "the joint is fixed; passed over", report);
    return {};
  }
  if (!has_one_freedom(joint.kind))
    file.fail(element->GetLineNum(), here, "a follower of several freedoms", "a joint of one freedom");
  Mimic mimic;
  mimic.leader = read_leader(file, robot, joint, *element, here);
  if (element->Attribute("multiplier")) mimic.multiplier = file.number(*element, "multiplier", here);
  if (element->Attribute("offset")) mimic.offset = file.number(*element, "offset", here);
  note_ignored_attributes(file, *element, here, {"joint", "multiplier", "offset"}, report);
  return mimic;
}

}  // namespace

std::vector<Mimic> read_mimics(const XmlFile& file, const RobotElements& robot, LoadReport& report) {
  std::vector<Mimic> mimics;
  for (const JointElement& joint : robot.joints) mimics.push_back(read_mimic(file, robot, joint, report));
  for (std::size_t j = 0; j < mimics.size(); ++j) {
    std::size_t steps = 0;
    for (int up = mimics[j].leader; up >= 0; up = mimics[static_cast<std::size_t>(up)].leader)
      if (++steps > mimics.size()) {
        const JointElement& joint = robot.joints[j];
        const XMLElement* element = joint.element->FirstChildElement("mimic");
        file.fail(element->GetLineNum(), inside(quoted(joint), *element),
                  "\"" + robot.joints[static_cast<std::size_t>(mimics[j].leader)].name + "\", which leads back in a circle",
                  "a chain of joints that ends");
      }
  }
  return mimics;
}

}  // namespace sparsedyn::urdf
