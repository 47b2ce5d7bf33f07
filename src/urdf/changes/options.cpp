#include "options.hpp"

#include <algorithm>
#include <numeric>

#include "model/names/change_faults.hpp"

namespace sparsedyn::urdf {
namespace {

/// The index of the element of that name. Throws UnknownName.
template <class Element>
int find(const std::vector<Element>& elements, const std::map<std::string, int>& index, const std::string& name,
         const std::string& option, const std::string& kind) {
  if (const auto found = index.find(name); found != index.end()) return found->second;
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(element.name);
  throw UnknownName(unknown_name(option, kind, name, names));
}

/// Links from the root on, each after its parent, but those that are cut off.
std::vector<int> links_that_stay(const RobotElements& robot, const std::vector<bool>& cut) {
  std::vector<int> links{robot.root};
  for (std::size_t k = 0; k < links.size(); ++k)
    for (int j : robot.joints_below[links[k]])
      if (!cut[robot.joints[j].child]) links.push_back(robot.joints[j].child);
  return links;
}

void check_leaders_stay(const RobotElements& robot, const std::vector<bool>& cut, const std::vector<Mimic>& mimics) {
  std::vector<bool> stays(robot.links.size(), false);
  for (int link : links_that_stay(robot, cut)) stays[link] = true;
  for (std::size_t j = 0; j < mimics.size(); ++j) {
    if (mimics[j].leader < 0 || !stays[robot.joints[j].child]) continue;
    const JointElement& leader = robot.joints[mimics[j].leader];
    if (!stays[leader.child]) throw UnknownName(leader_cut(leader.name, robot.joints[j].name));
  }
}

/// Of each joint the one at the head of its chain, itself where it follows none.
std::vector<int> heads_of(const std::vector<Mimic>& mimics, std::size_t joints) {
  std::vector<int> heads(joints);
  std::iota(heads.begin(), heads.end(), 0);
  for (int j : leaders_first(mimics))
    if (const int leader = mimics[static_cast<std::size_t>(j)].leader; leader >= 0) heads[j] = heads[leader];
  return heads;
}

}  // namespace

Changes::Changes(const RobotElements& robot, const LoadOptions& options, const std::vector<Mimic>& mimics)
    : cut(robot.links.size(), false) {
  for (const auto& [name, value] : options.lock) {
    if (name == "base" && options.floating) throw UnknownName(lock_fault(name, {6, ""}, value));
    const int j = find(robot.joints, robot.joint_index, name, "--lock", "joint");
    const JointKind kind = robot.joints[j].kind;
    const bool several = kind == JointKind::planar || kind == JointKind::floating;
    const JointToHold joint{several                    ? 3
                            : kind == JointKind::fixed ? 0
                                                       : 1,
                            !mimics.empty() && mimics[j].leader >= 0 ? robot.joints[mimics[j].leader].name : ""};
    if (const std::string fault = lock_fault(name, joint, value); !fault.empty()) throw UnknownName(fault);
    if (kind != JointKind::fixed && !lock.emplace(j, value).second) throw UnknownName(locked_twice(name));
  }
  for (const std::string& name : options.cut) {
    const int link = find(robot.links, robot.link_index, name, "--cut", "link");
    if (link == robot.root) throw UnknownName(root_cut(name));
    cut[link] = true;
  }
  check_leaders_stay(robot, cut, mimics);
  lock_followers(mimics);
  if (options.lock_massless) lock_massless(robot, mimics);
  lock_followers(mimics);
  massless.erase(std::remove_if(massless.begin(), massless.end(), [&](int j) { return !lock.count(j); }), massless.end());
}

/// At multiplier · value + offset, along chains.
void Changes::lock_followers(const std::vector<Mimic>& mimics) {
  for (int j : leaders_first(mimics)) {
    const Mimic& m = mimics[static_cast<std::size_t>(j)];
    if (m.leader < 0) continue;
    const double* leader = locked_at(m.leader);
    if (m.multiplier == 0)
      lock.emplace(j, m.offset);
    else if (leader)
      lock.emplace(j, m.multiplier * *leader + m.offset);
  }
}

/// Joints below which no link that stays has mass or inertia. From tip to base: a link's joint comes after those below it. Of
/// joints that move together none is held unless none moves anything; their followers are held with the leader.
void Changes::lock_massless(const RobotElements& robot, const std::vector<Mimic>& mimics) {
  const std::vector<int> links = links_that_stay(robot, cut), heads = heads_of(mimics, robot.joints.size());
  std::vector<bool> moves_something(robot.links.size(), false), head_moves(robot.joints.size(), false);
  for (std::size_t k = links.size(); k-- > 1;) {
    const int link = links[k], j = robot.joint_above[link];
    if (robot.links[link].mass > 0 || has_inertia(robot.links[link])) moves_something[link] = true;
    if (!moves_something[link]) continue;
    moves_something[robot.joints[j].parent] = true;
    head_moves[heads[j]] = true;
  }
  for (std::size_t k = links.size(); k-- > 1;) {
    const int j = robot.joint_above[links[k]], head = heads[j];
    if (head_moves[head] || robot.joints[j].kind == JointKind::fixed || lock.count(j)) continue;
    massless.push_back(j);
    if (head == j) lock.emplace(j, 0.0);
  }
  std::sort(massless.begin(), massless.end());
}

}  // namespace sparsedyn::urdf
