#include <algorithm>
#include <map>

#include "robot_elements.hpp"
#include "urdf/dialects/dialects.hpp"
#include "urdf/places/places.hpp"

namespace sparsedyn::urdf {
namespace {

using tinyxml2::XMLElement;

void check_outermost(const XmlFile& file) {
  const XMLElement& root = file.root();
  if (std::string(root.Name()) != "robot")
    file.fail(root.GetLineNum(), "<" + std::string(root.Name()) + ">", "the outermost element", "<robot>");
}

/// Versions 1.0 and 1.1 differ for what enters in quat_xyzw alone, which is read in both.
void check_version(const XmlFile& file, LoadReport& report) {
  const tinyxml2::XMLAttribute* version = file.root().FindAttribute("version");
  if (!version) return;
  const std::string text = version->Value();
  const std::size_t dot = text.find('.');
  const auto is_count = [](const std::string& part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
  };
  const bool is_version = dot != std::string::npos && is_count(text.substr(0, dot)) && is_count(text.substr(dot + 1));
  const std::string shown = "version=\"" + (text.size() > 40 ? text.substr(0, 40) + "…" : text) + "\"";
  if (!is_version)
    warn(file, version->GetLineNum(), "<robot>", shown + " is no version, such as 1.1; passed over", report);
  else if (text.substr(0, dot) != "1")
    warn(file, version->GetLineNum(), "<robot>", shown + " is not known; read as 1.1", report);
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

RobotElements read_robot(const XmlFile& file, bool lenient, LoadReport& report) {
  check_outermost(file);
  const XMLElement& root = file.root();
  RobotElements robot;
  robot.line = root.GetLineNum();
  robot.name = root.FindAttribute("name") ? root.Attribute("name") : "";
  check_version(file, report);
  for (const LeanText::Surplus& many : file.surplus())
    warn(file, many.line, "<" + many.element + ">", std::to_string(many.count) + " attributes are passed over", report);
  check_places(file, lenient, report);
  note_loops(file, report);
  note_ignored_children(file, root, "<robot>", {"link", "joint"}, {"material", "sensor"}, report);

  for (auto* e = root.FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
    robot.links.push_back(read_link(file, *e, report));
    once(file, "link", robot.links, robot.link_index);
  }
  if (robot.links.empty()) file.fail(robot.line, "<robot>", "no <link>", "at least one link");
  for (auto* e = root.FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
    robot.joints.push_back(read_joint(file, *e, robot.link_index, report));
    once(file, "joint", robot.joints, robot.joint_index);
  }
  connect(file, robot);
  std::sort(report.ignored.begin(), report.ignored.end());
  report.ignored.erase(std::unique(report.ignored.begin(), report.ignored.end()), report.ignored.end());
  return robot;
}

}  // namespace sparsedyn::urdf
