#include "urdfdom_model.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include "io/number.hpp"

namespace sparsedyn::urdf {
namespace {

/// Mutes console_bridge, through which urdfdom talks, as long as it lives.
struct Muted {
  console_bridge::LogLevel before = console_bridge::getLogLevel();
  Muted() { console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_NONE); }
  ~Muted() { console_bridge::setLogLevel(before); }
};

std::string attribute(const char* name, double value) { return std::string(" ") + name + "=\"" + number_text(value) + "\""; }
std::string attribute(const char* name, const Vec3<double>& v) {
  return std::string(" ") + name + "=\"" + number_text(v[0]) + " " + number_text(v[1]) + " " + number_text(v[2]) + "\"";
}
std::string origin(const Origin& o) { return "<origin" + attribute("xyz", o.xyz) + attribute("rpy", o.rpy) + "/>"; }

std::string copy_of(const LinkElement& link, std::size_t index) {
  std::string text = "<link name=\"l" + std::to_string(index) + "\">";
  if (link.has_inertial) {
    const Sym3<double>& I = link.tensor;
    text += "<inertial>" + origin(link.inertial_origin) + "<mass" + attribute("value", link.mass) + "/><inertia" +
            attribute("ixx", I.xx) + attribute("ixy", I.xy) + attribute("ixz", I.xz) + attribute("iyy", I.yy) +
            attribute("iyz", I.yz) + attribute("izz", I.zz) + "/></inertial>";
  }
  return text + "</link>\n";
}

const char* type_name(JointKind kind) {
  switch (kind) {
    case JointKind::revolute: return "revolute";
    case JointKind::continuous: return "continuous";
    case JointKind::prismatic: return "prismatic";
    case JointKind::planar: return "planar";
    case JointKind::floating: return "floating";
    default: return "fixed";
  }
}

std::string copy_of(const JointElement& joint, std::size_t index) {
  return "<joint name=\"j" + std::to_string(index) + "\" type=\"" + type_name(joint.kind) + "\"><parent link=\"l" +
         std::to_string(joint.parent) + "\"/><child link=\"l" + std::to_string(joint.child) + "\"/>" + origin(joint.origin) +
         "<axis" + attribute("xyz", joint.axis) + "/><limit lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"/></joint>\n";
}

}  // namespace

::urdf::ModelInterfaceSharedPtr urdfdom_model(const XmlFile& file, const RobotElements& robot) {
  std::string copy = "<robot name=\"copy\">\n";
  for (std::size_t i = 0; i < robot.links.size(); ++i) copy += copy_of(robot.links[i], i);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) copy += copy_of(robot.joints[j], j);
  const Muted muted;
  ::urdf::ModelInterfaceSharedPtr model = ::urdf::parseURDF(copy + "</robot>\n");
  if (!model) file.fail(robot.line, "<robot>", "a robot that urdfdom refuses", "a valid URDF");
  // Its links own their children: freed as they are, a long chain would take the call stack with it.
  for (const auto& link : model->links_) link.second->child_links.clear(), link.second->child_joints.clear();
  return model;
}

}  // namespace sparsedyn::urdf
