#include <cmath>

#include "robot_elements.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn::urdf {

using tinyxml2::XMLElement;

Origin read_origin(const XmlFile& file, const XMLElement& of, const std::string& owner, LoadReport& report) {
  Origin origin;
  const XMLElement* element = file.child(of, "origin", owner);
  if (!element) return origin;
  const std::string here = inside(owner, *element);
  if (element->FindAttribute("xyz")) origin.xyz = file.vector(*element, "xyz", here);
  if (element->FindAttribute("rpy")) origin.rpy = file.vector(*element, "rpy", here);
  if (const tinyxml2::XMLAttribute* quaternion = element->FindAttribute("quat_xyzw")) {
    if (element->FindAttribute("rpy"))
      file.fail(quaternion->GetLineNum(), here, "an orientation by rpy and by quat_xyzw", "one of the two");
    const std::vector<double> u = file.numbers_of(*element, "quat_xyzw", 4, here);
    origin.rpy = rpy_from_quaternion(file, quaternion->GetLineNum(), here, {u[0], u[1], u[2], u[3]}, report);
  }
  note_ignored_attributes(file, *element, here, {"xyz", "rpy", "quat_xyzw"}, report);
  return origin;
}

Vec3<double> rpy_from_quaternion(const XmlFile& file, long line, const std::string& element, std::array<double, 4> u,
                                 LoadReport& report) {
  const std::array<double, 4> given = u;
  if (!normalise_quaternion(u.data())) file.fail(line, element, "a quaternion of length 0", "one of length 1");
  // given = length · u
  const double length = given[0] * u[0] + given[1] * u[1] + given[2] * u[2] + given[3] * u[3];
  if (!(std::abs(length - 1) <= 1e-6)) warn(file, line, element, "the quaternion is not of unit length; normalised", report);
  return rpy_from_rotation(rotation_from_quaternion(u.data()));
}

LinkElement read_link(const XmlFile& file, const XMLElement& element, LoadReport& report) {
  LinkElement link;
  link.line = element.GetLineNum();
  link.name = file.name_of(element, "name", "<link>");
  const std::string owner = "link \"" + link.name + "\"";
  note_ignored_children(file, element, owner, {"inertial"}, {"visual", "collision", "sensor"}, report);

  link.visuals = read_visuals(file, element, owner, report);
  const XMLElement* inertial = element.FirstChildElement("inertial");
  if (!inertial) return link;
  note_repeated(file, element, "inertial", owner, report);
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
