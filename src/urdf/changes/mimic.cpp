#include "mimic.hpp"

#include <algorithm>

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
  const auto found = robot.joint_index.find(name);
  if (found == robot.joint_index.end()) {
    std::vector<std::string> names;
    for (const JointElement& other : robot.joints) names.push_back(other.name);
    file.fail(element.GetLineNum(), here, "no joint is called \"" + name + "\"",
              "a joint of the robot" + suggestions_text(name, names));
  }
  const JointElement& leader = robot.joints[static_cast<std::size_t>(found->second)];
  if (leader.name == joint.name) file.fail(element.GetLineNum(), here, "the joint itself", "another joint");
  if (leader.kind == JointKind::fixed)
    file.fail(element.GetLineNum(), here, "\"" + name + "\", a fixed joint", "a joint that moves");
  if (!has_one_freedom(leader.kind))
    file.fail(element.GetLineNum(), here, "\"" + name + "\", a joint of several freedoms", "a joint of one freedom");
  return found->second;
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
  std::vector<bool> reached(mimics.size(), false);
  for (int j : leaders_first(mimics)) reached[static_cast<std::size_t>(j)] = true;
  const auto j = static_cast<std::size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin());
  if (j == mimics.size()) return mimics;
  const JointElement& joint = robot.joints[j];
  const XMLElement* element = joint.element->FirstChildElement("mimic");
  file.fail(element->GetLineNum(), inside(quoted(joint), *element),
            "\"" + robot.joints[static_cast<std::size_t>(mimics[j].leader)].name + "\", which leads back in a circle",
            "a chain of joints that ends");
}

std::vector<int> leaders_first(const std::vector<Mimic>& mimics) {
  std::vector<std::vector<int>> followers(mimics.size());
  std::vector<int> order;
  for (std::size_t j = 0; j < mimics.size(); ++j)
    (mimics[j].leader < 0 ? order : followers[static_cast<std::size_t>(mimics[j].leader)]).push_back(static_cast<int>(j));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::vector<int>& next = followers[static_cast<std::size_t>(order[k])];
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

}  // namespace sparsedyn::urdf
