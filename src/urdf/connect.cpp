#include <numeric>

#include "robot_elements.hpp"

namespace sparsedyn::urdf {
namespace {

std::string name_of(const JointElement& joint) { return "joint \"" + joint.name + "\""; }

/// The links connected so far, as trees: each link knows some link above it, and its tree's root in a few steps (Tarjan 1975,
/// with path halving).
class Trees {
 public:
  explicit Trees(std::size_t links) : up_(links) { std::iota(up_.begin(), up_.end(), 0); }
  int root(int link) {
    while (up_[link] != link) link = up_[link] = up_[up_[link]];
    return link;
  }
  /// `child`, so far a root, hangs on `parent`.
  void hang(int child, int parent) { up_[child] = root(parent); }

 private:
  std::vector<int> up_;
};

}  // namespace

void connect(const XmlFile& file, RobotElements& robot) {
  robot.joint_above.assign(robot.links.size(), -1);
  robot.joints_below.assign(robot.links.size(), {});
  Trees trees(robot.links.size());
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const JointElement& joint = robot.joints[j];
    const std::string child = "link \"" + robot.links[joint.child].name + "\"";
    if (const int above = robot.joint_above[joint.child]; above >= 0)
      file.fail(joint.line, name_of(joint), child + " as a child again",
                "one parent a link; it hangs on " + name_of(robot.joints[above]) + " of line " +
                    std::to_string(robot.joints[above].line));
    if (trees.root(joint.parent) == joint.child)
      file.fail(joint.line, name_of(joint), "a loop: " + child + " would hang on itself", "a tree");
    trees.hang(joint.child, joint.parent);
    robot.joint_above[joint.child] = static_cast<int>(j);
    robot.joints_below[joint.parent].push_back(static_cast<int>(j));
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.joint_above[i] >= 0) continue;
    if (robot.root >= 0)
      file.fail(robot.links[i].line, "link \"" + robot.links[i].name + "\"", "a second root",
                "one link that is no joint's child; link \"" + robot.links[robot.root].name + "\" of line " +
                    std::to_string(robot.links[robot.root].line) + " is one");
    robot.root = static_cast<int>(i);
  }
}

}  // namespace sparsedyn::urdf
