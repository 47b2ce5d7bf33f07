#include "robot_elements.hpp"

namespace sparsedyn::urdf {

using tinyxml2::XMLElement;

Origin read_origin(const XmlFile& file, const XMLElement& of, const std::string& owner, LoadReport& report) {
  Origin origin;
  const XMLElement* element = file.child(of, "origin", owner);
  if (!element) return origin;
  const std::string here = inside(owner, *element);
  if (element->FindAttribute("xyz")) origin.xyz = file.vector(*element, "xyz", here);
  if (element->FindAttribute("rpy")) origin.rpy = file.vector(*element, "rpy", here);
  note_ignored_attributes(file, *element, here, {"xyz", "rpy"}, report);
  return origin;
}

LinkElement read_link(const XmlFile& file, const XMLElement& element, LoadReport& report) {
  LinkElement link;
  link.line = element.GetLineNum();
  link.name = file.name_of(element, "name", "<link>");
  const std::string owner = "link \"" + link.name + "\"";
  note_ignored_children(file, element, owner, {"inertial"}, {"visual", "collision", "sensor"}, report);

  const XMLElement* inertial = file.child(element, "inertial", owner);
  if (!inertial) return link;
  link.has_inertial = true;
  link.inertial_origin = read_origin(file, *inertial, inside(owner, *inertial), report);
  note_ignored_children(file, *inertial, owner, {"origin", "mass", "inertia"}, {}, report);

  const XMLElement* mass = file.child(*inertial, "mass", owner);
  const XMLElement* tensor = file.child(*inertial, "inertia", owner);
  if (!mass) file.fail(inertial->GetLineNum(), inside(owner, *inertial), "no <mass>", "<mass value=\"…\"/>");
  if (!tensor) file.fail(inertial->GetLineNum(), inside(owner, *inertial), "no <inertia>", "<inertia ixx=\"…\" …/>");
  link.mass = file.number(*mass, "value", inside(owner, *mass));
  link.tensor_line = tensor->GetLineNum();
  const auto entry = [&](const char* name) { return file.number(*tensor, name, inside(owner, *tensor)); };
  link.tensor = {entry("ixx"), entry("ixy"), entry("ixz"), entry("iyy"), entry("iyz"), entry("izz")};
  check_inertial(file, link, *inertial, report);
  return link;
}

}  // namespace sparsedyn::urdf
