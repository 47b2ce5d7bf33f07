#include <map>

#include "robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

void check_outermost(const XmlFile& file) {
  const XMLElement& root = file.root();
  if (std::string(root.Name()) != "robot")
    file.fail(root.GetLineNum(), "<" + std::string(root.Name()) + ">", "the outermost element", "<robot>");
  for (auto* e = root.FirstChildElement(); e; e = e->NextSiblingElement())
    if (std::string(e->Name()).rfind("xacro:", 0) == 0)
      file.fail(e->GetLineNum(), "<" + std::string(e->Name()) + ">", "a macro", "a URDF whose macros xacro has expanded");
}

/// Notes the name of `elements.back()`; refuses one that an earlier element has.
template <class Element>
void once(const XmlFile& file, const std::string& kind, const std::vector<Element>& elements,
          std::map<std::string, int>& indices) {
  const Element& last = elements.back();
  const auto [first, is_new] = indices.emplace(last.name, static_cast<int>(elements.size()) - 1);
  if (!is_new)
    file.fail(last.line, kind + " \"" + last.name + "\"", "a second " + kind + " of that name",
              "names given once; line " + std::to_string(elements[first->second].line) + " has it too");
}

}  // namespace

RobotElements read_robot(const XmlFile& file, LoadReport& report) {
  check_outermost(file);
  const XMLElement& root = file.root();
  RobotElements robot;
  robot.line = root.GetLineNum();
  robot.name = root.FindAttribute("name") ? root.Attribute("name") : "";
  note_ignored_children(file, root, "<robot>", {"link", "joint"}, {"material", "sensor"}, report);

  std::map<std::string, int> links, joints;
  for (auto* e = root.FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
    robot.links.push_back(read_link(file, *e, report));
    once(file, "link", robot.links, links);
  }
  if (robot.links.empty()) file.fail(robot.line, "<robot>", "no <link>", "at least one link");
  for (auto* e = root.FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
    robot.joints.push_back(read_joint(file, *e, links, report));
    once(file, "joint", robot.joints, joints);
  }
  connect(file, robot);
  return robot;
}

}  // namespace sparsedyn::urdf
