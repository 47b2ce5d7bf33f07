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

/// Refuses the second of two equal names. `seen` maps names to lines.
void once(const XmlFile& file, std::map<std::string, long>& seen, const std::string& kind, const std::string& name, long line) {
  const auto [first, is_new] = seen.emplace(name, line);
  if (!is_new)
    file.fail(line, kind + " \"" + name + "\"", "a second " + kind + " of that name",
              "names given once; line " + std::to_string(first->second) + " has it too");
}

}  // namespace

RobotElements read_robot(const XmlFile& file, LoadReport& report) {
  check_outermost(file);
  const XMLElement& root = file.root();
  RobotElements robot;
  robot.line = root.GetLineNum();
  robot.name = root.FindAttribute("name") ? root.Attribute("name") : "";
  note_ignored_children(file, root, "<robot>", {"link", "joint"}, {"material", "sensor"}, report);

  std::map<std::string, long> links, joints;
  for (auto* e = root.FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
    robot.links.push_back(read_link(file, *e, report));
    once(file, links, "link", robot.links.back().name, e->GetLineNum());
  }
  if (robot.links.empty()) file.fail(robot.line, "<robot>", "no <link>", "at least one link");
  for (auto* e = root.FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
    robot.joints.push_back(read_joint(file, *e, robot.links, report));
    once(file, joints, "joint", robot.joints.back().name, e->GetLineNum());
  }
  connect(file, robot);
  check_massless(file, robot, report);
  return robot;
}

}  // namespace sparsedyn::urdf
