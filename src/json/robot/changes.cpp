#include <algorithm>
#include <stdexcept>

#include "model/joint_numbers.hpp"
#include "model/loads.hpp"
#include "model/names/change_faults.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "spatial/snap.hpp"
#include "tree_changes.hpp"

namespace sparsedyn {
namespace {

using Held = std::vector<std::pair<std::string, double>>;

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

/// What is to be held and cut, checked against the robot.
class Planner {
 public:
  Planner(const RobotFile& robot, const RobotChanges& changes) : robot_(robot), tree_(robot.model.tree()) {
    if (robot.model.coordinate_map) couplings_ = robot.model.coordinate_map->couplings;
    plan_.floating = changes.floating;
    if (plan_.floating && !tree_.floating()) check_base();
    for (const auto& [joint, value] : changes.lock) lock(joint, value);
    cut(changes.cut);
    hold_followers();
  }

  TreeChanges& plan() { return plan_; }
  const std::vector<JointCoupling>& couplings() const { return couplings_; }
  /// Of joints that are held beyond their limits.
  const std::vector<std::string>& beyond() const { return beyond_; }

  /// Joints of the model with which they move together come and go with them.
  void hold_followers() {
    for (bool more = true; more;) {
      more = false;
      for (const JointCoupling& c : couplings_) {
        const int follower = tree_.find_joint(c.joint);
        const auto leader = plan_.hold.find(tree_.find_joint(c.leader));
        if (leader == plan_.hold.end() || plan_.hold.count(follower)) continue;
        plan_.hold.emplace(follower, c.multiplier * leader->second + c.offset);
        more = true;
      }
    }
  }

 private:
  void check_base() const {
    for (const Link& link : tree_.links)
      if (link.joint == "base")
        throw std::invalid_argument("--floating: joint base: the name of what holds a floating root; expected another name");
  }

  void lock(const std::string& name, double value) {
    const int j = tree_.find_joint(name);
    if (j < 0) return check_held(name, value);
    JointToHold joint{tree_.joints[static_cast<std::size_t>(j)].nv, ""};
    for (const JointCoupling& c : couplings_)
      if (c.joint == name) joint.leader = c.leader;
    require_lockable(name, joint, value);
    if (!plan_.hold.emplace(j, value).second) throw std::invalid_argument(locked_twice(name));
    if (tree_.limits.empty()) return;
    const auto v = static_cast<std::size_t>(tree_.joints[static_cast<std::size_t>(j)].v);
    if (const std::string beyond = beyond_limits(name, value, tree_.limits[v]); !beyond.empty()) beyond_.push_back(beyond);
  }

  static void require_lockable(const std::string& name, const JointToHold& joint, double value) {
    if (const std::string fault = lock_fault(name, joint, value); !fault.empty()) throw std::invalid_argument(fault);
  }

  /// A joint that is fixed already: at 0, or where the file holds it.
  void check_held(const std::string& name, double value) const {
    for (const auto& [joint, at] : robot_.held) {
      if (joint != name) continue;
      if (at == value) return;
      throw std::invalid_argument("--lock " + name + ": the file holds it at another value; expected that value");
    }
    const bool fixed = std::any_of(tree_.links.begin(), tree_.links.end(),
                                   [&](const Link& link) { return link.parent >= 0 && link.joint == name; });
    if (!fixed) throw std::invalid_argument(unknown_name("--lock", "joint", name, names_of(tree_.joints)));
    require_lockable(name, {0, ""}, value);
  }

  void cut(const std::vector<std::string>& names) {
    plan_.cut.assign(tree_.links.size(), false);
    for (const std::string& name : names) {
      const int link = tree_.find_link(name);
      if (link < 0) throw std::invalid_argument(unknown_name("--cut", "link", name, names_of(tree_.links)));
      if (link == 0) throw std::invalid_argument(root_cut(name));
      plan_.cut[static_cast<std::size_t>(link)] = true;
    }
    for (std::size_t l = 1; l < tree_.links.size(); ++l)
      if (plan_.cut[static_cast<std::size_t>(tree_.links[l].parent)]) plan_.cut[l] = true;
    for (const JointCoupling& c : couplings_)
      if (is_cut(c.leader) && !is_cut(c.joint)) throw std::invalid_argument(leader_cut(c.leader, c.joint));
  }

  bool is_cut(const std::string& joint) const {
    const int child = tree_.joints[static_cast<std::size_t>(tree_.find_joint(joint))].child_link;
    return plan_.cut[static_cast<std::size_t>(child)];
  }

  const RobotFile& robot_;
  const Model& tree_;
  std::vector<std::string> beyond_;
  TreeChanges plan_;
  std::vector<JointCoupling> couplings_;
};

/// The joints of `from` that move no more in `to`.
void note_absent(const Model& from, const Model& to, std::vector<std::string>& absent) {
  for (const Joint& joint : from.tree().joints)
    if (to.find_joint(joint.name) < 0) absent.push_back(joint.name);
}

Model with_couplings(Model tree, const std::vector<JointCoupling>& couplings) {
  std::vector<JointCoupling> stay;
  for (const JointCoupling& c : couplings)
    if (tree.find_joint(c.joint) >= 0) stay.push_back(c);
  return coupled(tree, stay);
}

/// The robot as planned; joints that are held join those that the file holds.
RobotFile carried_out(const RobotFile& robot, const TreeChanges& plan, const std::vector<JointCoupling>& couplings) {
  const Model& tree = robot.model.tree();
  RobotFile result{with_couplings(changed_tree(tree, plan), couplings), {}};
  Held held = robot.held;
  for (const auto& [j, value] : plan.hold) held.emplace_back(tree.joints[static_cast<std::size_t>(j)].name, value);
  for (const auto& [joint, value] : held)
    for (const Link& link : result.model.links)
      if (link.joint == joint) result.held.emplace_back(joint, value);
  return result;
}

RobotFile without_massless(const RobotFile& robot, RobotChangeNotes& notes) {
  Planner planner(robot, {});
  const std::vector<Load> loads = joint_loads(robot.model);
  const Model& tree = robot.model.tree();
  for (std::size_t j = 0; j < loads.size(); ++j) {
    if (loads[j] != Load::nothing || tree.joints[j].parent_link < 0) continue;
    notes.massless.push_back(tree.joints[j].name);
    const auto& couplings = planner.couplings();
    const bool follows =
        std::any_of(couplings.begin(), couplings.end(), [&](const JointCoupling& c) { return c.joint == tree.joints[j].name; });
    if (!follows) planner.plan().hold.emplace(static_cast<int>(j), 0.0);
  }
  planner.hold_followers();
  return carried_out(robot, planner.plan(), planner.couplings());
}

/// Bodies weigh what their links do.
void lump(Model& tree) {
  for (Body& body : tree.bodies) body.inertia = zero_inertia<double>();
  for (const Link& link : tree.links) {
    if (link.body < 0) continue;
    Inertia<double>& lumped = tree.bodies[static_cast<std::size_t>(link.body)].inertia;
    lumped = link.parent < 0 ? link.inertia : lumped + to_parent(link.pose, link.inertia);
  }
}

/// The placements of joints and of links on fixed ones.
int make_exact(Model& tree, double tolerance) {
  int count = 0;
  for (Body& body : tree.bodies) count += snap(body.placement.R, tolerance);
  for (Link& link : tree.links) count += snap(link.pose.R, tolerance);
  lump(tree);
  return count;
}

/// change(tree), and the same couplings as before.
template <class Change>
Model with_tree(const Model& model, const Change& change) {
  Model tree = model.tree();
  change(tree);
  return with_couplings(std::move(tree), model.coordinate_map ? model.coordinate_map->couplings : std::vector<JointCoupling>());
}

}  // namespace

RobotFile changed(RobotFile robot, const RobotChanges& changes, RobotChangeNotes* notes) {
  RobotChangeNotes own;
  RobotChangeNotes& told = notes ? *notes : own;
  const Model before = robot.model;
  for (const auto& [joint, value] : robot.held) told.absent.push_back(joint);
  Planner planner(robot, changes);
  if (!planner.plan().hold.empty() || !changes.cut.empty() || (changes.floating && !before.floating()))
    robot = carried_out(robot, planner.plan(), planner.couplings());
  told.warnings = planner.beyond();
  if (changes.lock_massless) robot = without_massless(robot, told);
  if (changes.snap > 0)
    robot.model = with_tree(robot.model, [&](Model& tree) { told.snapped = make_exact(tree, changes.snap); });
  if (changes.gravity) robot.model = with_gravity(robot.model, *changes.gravity);
  note_absent(before, robot.model, told.absent);
  return robot;
}

std::string rewrite_robot_inertias(const std::string& text, const std::string& file,
                                   const std::map<std::string, std::optional<Inertia<double>>>& links,
                                   const std::map<std::string, JointPhysics>& joints) {
  const RobotFile robot = parse_robot(text, file);
  const Model model = with_tree(robot.model, [&](Model& tree) {
    for (Link& link : tree.links)
      if (const auto found = links.find(link.name); found != links.end())
        link.inertia = found->second.value_or(zero_inertia<double>());
    lump(tree);
    if (tree.physics.empty()) return;
    for (const auto& [joint, physics] : joints) {
      const auto v = static_cast<std::size_t>(tree.joints[static_cast<std::size_t>(tree.joint(joint))].v);
      if (!tree.physics[v].none()) set_joint_physics(tree, joint, physics);
    }
  });
  return robot_text(model, robot.held);
}

}  // namespace sparsedyn
