#include "options.hpp"

#include <algorithm>
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
  if (options.lock_massless) lock_massless(robot);
}

/// Joints below which no link that stays has mass or inertia. From tip to base: a link's joint comes after those below it.
void Changes::lock_massless(const RobotElements& robot) {
  std::vector<int> links{robot.root};
  for (std::size_t k = 0; k < links.size(); ++k)
    for (int j : robot.joints_below[links[k]])
      if (!cut[robot.joints[j].child]) links.push_back(robot.joints[j].child);
  std::vector<bool> moves_something(robot.links.size(), false);
  for (std::size_t k = links.size(); k-- > 1;) {
    const int link = links[k], j = robot.joint_above[link];
    if (robot.links[link].mass > 0 || has_inertia(robot.links[link])) moves_something[link] = true;
    if (moves_something[link]) moves_something[robot.joints[j].parent] = true;
    if (!moves_something[link] && robot.joints[j].kind != JointKind::fixed && lock.emplace(j, 0.0).second)
      massless.push_back(j);
  }
  std::sort(massless.begin(), massless.end());
}

}  // namespace sparsedyn::urdf
