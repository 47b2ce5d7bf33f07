#include "named_joints.hpp"

#include <algorithm>
#include <set>

#include "io/suggestions.hpp"
#include "io/text/how_many.hpp"

namespace sparsedyn {
namespace {

/// What follows the column's kind; empty for columns of the base and of other kinds.
std::string joint_in(const std::string& column) {
  const std::size_t dot = column.find('.');
  if (dot == std::string::npos) return "";
  const std::string kind = column.substr(0, dot), rest = column.substr(dot + 1);
  const bool is_of_joint = kind == "q" || kind == "dq" || kind == "ddq" || kind == "tau";
  return is_of_joint && rest.compare(0, 5, "base.") != 0 ? rest : "";
}

}  // namespace

std::vector<std::string> joint_coordinates(const Model& model) {
  std::vector<std::string> names;
  for (const std::string& name : coordinate_names(model))
    if (!model.floating() || name.compare(0, 5, "base.") != 0) names.push_back(name);
  for (const Joint& joint : model.joints)
    if (joint.follows()) names.push_back(joint.name);
  return names;
}

NamedJoints named_joints(const Model& model, const std::vector<std::string>& columns) {
  std::set<std::string> known, seen;
  for (const std::vector<std::string>& names : {joint_coordinates(model), velocity_names(model), force_names(model)})
    known.insert(names.begin(), names.end());
  NamedJoints named;
  for (const std::string& column : columns)
    if (const std::string name = joint_in(column); !name.empty() && seen.insert(name).second)
      (known.count(name) ? named.own : named.other).push_back(name);
  return named;
}

std::string other_robot_text(const Model& model, const std::vector<std::string>& columns) {
  const NamedJoints named = named_joints(model, columns);
  const std::vector<std::string> own = joint_coordinates(model);
  if (named.other.empty() || !named.own.empty() || own.empty()) return "";
  const std::string count = how_many(static_cast<long>(named.other.size()), "joint", "joints");
  const std::string robot = model.name.empty() ? "the robot" : model.name;
  std::string near;
  for (const std::string& name : own)
    if (const auto found = suggestions(name, named.other); near.empty() && !found.empty())
      near = " (near: " + found.front() + " for " + name + ")";
  return count + (named.other.size() == 1 ? ", which is not of " : ", none of them of ") + robot + ": " +
         listing(named.other, 4) + near;
}

}  // namespace sparsedyn
