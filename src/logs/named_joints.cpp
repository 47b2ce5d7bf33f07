#include "named_joints.hpp"

#include <algorithm>
#include <set>

#include "io/suggestions.hpp"
#include "io/text/begins.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn {
namespace {

using Names = std::vector<std::string>;

/// What follows the column's kind; empty for columns that are of no joint.
std::string joint_in(const std::string& column) {
  for (const char* kind : {"q.", "dq.", "ddq.", "tau."})
    if (begins(column, kind)) return column.substr(column.find('.') + 1);
  return "";
}

/// Whether a floating base has a coordinate, velocity or force of this name.
bool is_of_base(const std::string& name) {
  static const std::set<std::string> of_base{"x",  "y",  "z",  "qx", "qy", "qz", "qw", "wx", "wy", "wz",
                                             "vx", "vy", "vz", "nx", "ny", "nz", "fx", "fy", "fz"};
  return begins(name, "base.") && of_base.count(name.substr(5)) > 0;
}

bool is_base(const Model& model, const Joint& joint) { return model.floating() && joint.child_link == 0; }

}  // namespace

std::map<std::string, std::string> joints_of_columns(const Model& model) {
  const Names q = coordinate_names(model), v = velocity_names(model), tau = force_names(model);
  std::map<std::string, std::string> joint_of;
  for (const Joint& joint : model.joints) {
    if (is_base(model, joint)) continue;
    const auto add = [&](const std::string& kind, const std::string& name) { joint_of.emplace(kind + name, joint.name); };
    if (joint.follows())
      for (const char* kind : {"q.", "dq.", "ddq.", "tau."}) add(kind, joint.name);
    for (int k = 0; k < joint.nq && !joint.follows(); ++k) add("q.", q[static_cast<std::size_t>(joint.q + k)]);
    for (int k = 0; k < joint.nv; ++k) {
      const auto at = static_cast<std::size_t>(joint.v + k);
      add("dq.", v[at]), add("ddq.", v[at]), add("tau.", tau[at]);
    }
  }
  return joint_of;
}

std::vector<std::string> moving_joints(const Model& model) {
  Names names;
  for (const Joint& joint : model.joints)
    if (!is_base(model, joint)) names.push_back(joint.name);
  return names;
}

bool is_of_fixed_joint(const Model& model, const std::string& column) {
  const std::string name = joint_in(column);
  return std::any_of(model.links.begin(), model.links.end(), [&](const Link& link) {
    return link.parent >= 0 && link.moving_joint < 0 && begins(name + ".", link.joint + ".");
  });
}

bool is_of_missing_base(const Model& model, const std::string& column) {
  return !model.floating() && is_of_base(joint_in(column)) && joints_of_columns(model).count(column) == 0;
}

NamedJoints named_joints(const Model& model, const std::vector<std::string>& columns) {
  const std::map<std::string, std::string> joint_of = joints_of_columns(model);
  std::set<std::string> seen;
  NamedJoints named;
  for (const std::string& column : columns) {
    const std::string name = joint_in(column);
    if (name.empty()) continue;
    const auto found = joint_of.find(column);
    const bool own = found != joint_of.end() || is_of_fixed_joint(model, column);
    const std::string joint = found != joint_of.end() ? found->second : name;
    const bool moves = begins(column, "q.") || begins(column, "dq.");  // torques may be sums of many
    if (!own && (!moves || is_of_base(name))) continue;
    if (seen.insert(joint).second) (own ? named.own : named.other).push_back(joint);
  }
  return named;
}

std::string other_robot_text(const Model& model, const std::vector<std::string>& columns) {
  const bool has_readings =
      std::any_of(columns.begin(), columns.end(), [](const std::string& column) { return begins(column, "y."); });
  const NamedJoints named = named_joints(model, columns);
  if (has_readings || named.other.empty() || !named.own.empty() || moving_joints(model).empty()) return "";
  const std::string count = how_many(static_cast<long>(named.other.size()), "joint", "joints");
  const std::string robot = model.name.empty() ? "the robot" : model.name;
  return count + (named.other.size() == 1 ? ", which is not of " : ", none of them of ") + robot + ": " +
         listing(named.other, 4);
}

}  // namespace sparsedyn
