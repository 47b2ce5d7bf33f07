#include "options.hpp"

#include <cmath>

#include "io/suggestions.hpp"

namespace sparsedyn::urdf {
namespace {

/// The index of the element of that name. Throws UnknownName.
template <class Element>
int find(const std::vector<Element>& elements, const std::string& name, const std::string& option, const std::string& kind) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].name == name) return static_cast<int>(i);
    names.push_back(elements[i].name);
  }
  throw UnknownName(option + " " + name + ": the robot has no " + kind + " of that name" + suggestions_text(name, names));
}

}  // namespace

Changes::Changes(const RobotElements& robot, const LoadOptions& options) : cut(robot.links.size(), false) {
  for (const auto& [name, value] : options.lock) {
    if (name == "base" && options.floating)
      throw UnknownName("--lock base: it has several freedoms; expected a joint with one");
    const int j = find(robot.joints, name, "--lock", "joint");
    const JointKind kind = robot.joints[j].kind;
    if (kind == JointKind::planar || kind == JointKind::floating)
      throw UnknownName("--lock " + name + ": it has several freedoms; expected a joint with one");
    if (!std::isfinite(value)) throw UnknownName("--lock " + name + ": its value is not finite");
    if (kind == JointKind::fixed && value != 0) throw UnknownName("--lock " + name + ": the joint is fixed, at 0");
    if (kind != JointKind::fixed && !lock.emplace(j, value).second) throw UnknownName("--lock " + name + ": given twice");
  }
  for (const std::string& name : options.cut) {
    const int link = find(robot.links, name, "--cut", "link");
    if (link == robot.root) throw UnknownName("--cut " + name + ": it is the root; expected a link below it");
    cut[link] = true;
  }
}

}  // namespace sparsedyn::urdf
