#include "names.hpp"

#include <algorithm>

#include "constraints/blocks.hpp"

namespace sparsedyn {
namespace {

/// The joint that body b belongs to.
const Joint& joint_of(const Model& model, int b) {
  for (const Joint& joint : model.joints)
    if (b < joint.first_body + joint.bodies) return joint;
  return model.joints.back();
}

std::string with_part(const Model& model, const std::string& name, int b) {
  const Joint& joint = joint_of(model, b);
  const int part = b - joint.first_body + 1;
  return part < joint.bodies ? joint.name + "." + std::to_string(part) : name;
}

}  // namespace

const char* kind_name(VariableKind kind) {
  switch (kind) {
    case VariableKind::acc: return "acc";
    case VariableKind::f: return "f";
    case VariableKind::tau: return "tau";
    case VariableKind::fx: return "fx";
    case VariableKind::net: return "net";
    case VariableKind::lambda: return "lambda";
    case VariableKind::ddq: break;
  }
  return "ddq";
}
const std::vector<std::string>& kind_names() {
  static const std::vector<std::string> names{"acc", "f", "tau", "fx", "ddq"};
  return names;
}

const std::vector<std::string>& motion_suffixes() {
  static const std::vector<std::string> suffixes{"wx", "wy", "wz", "vx", "vy", "vz"};
  return suffixes;
}
const std::vector<std::string>& force_suffixes() {
  static const std::vector<std::string> suffixes{"nx", "ny", "nz", "fx", "fy", "fz"};
  return suffixes;
}

std::string acc_owner_name(const Model& model, int b) { return with_part(model, model.links[model.leading_link(b)].name, b); }
std::string f_owner_name(const Model& model, int b) { return with_part(model, joint_of(model, b).name, b); }

std::vector<std::string> names_of_unknowns(const System& system) {
  const Model& model = system.model();
  const auto velocities = velocity_names(model.tree()), forces = force_names(model.tree());
  // in axis frames they are not what a log calls by that name
  const std::string inside = system.formulation().axis_frames() ? "axis." : "";
  std::vector<std::string> names;
  for (const Variable& x : system.unknowns()) switch (x.kind) {
      case VariableKind::acc:
        names.push_back(inside + "acc." + acc_owner_name(model, x.body) + "." + motion_suffixes()[x.component]);
        break;
      case VariableKind::f:
        names.push_back(system.formulation().maximal_coordinates
                            ? "reaction." + f_owner_name(model, x.body) + "." + std::to_string(x.component)
                            : inside + "f." + f_owner_name(model, x.body) + "." + force_suffixes()[x.component]);
        break;
      case VariableKind::tau: names.push_back("tau." + forces[x.component]); break;
      case VariableKind::ddq: names.push_back("ddq." + velocities[x.component]); break;
      case VariableKind::fx: names.push_back("fx." + model.links[x.owner].name + "." + force_suffixes()[x.component]); break;
      case VariableKind::net:
        names.push_back(inside + "net." + acc_owner_name(model, x.body) + "." + force_suffixes()[x.component]);
        break;
      case VariableKind::lambda:
        names.push_back("lambda." + closure_forces(model, system.closures()[x.owner])[static_cast<std::size_t>(x.component)]);
        break;
    }
  return names;
}

std::vector<std::string> names_of_equations(const System& system) {
  const Model& model = system.model();
  const auto forces = force_names(model.tree());
  std::vector<std::string> names;
  for (const Equation& e : system.equations()) switch (e.kind) {
      case EquationKind::kinematics:
        names.push_back("kinematics." + acc_owner_name(model, e.body) + "." + motion_suffixes()[e.component]);
        break;
      case EquationKind::wrench:
        names.push_back("wrench." + acc_owner_name(model, e.body) + "." + force_suffixes()[e.component]);
        break;
      case EquationKind::net:
        names.push_back("net." + acc_owner_name(model, e.body) + "." + force_suffixes()[e.component]);
        break;
      case EquationKind::torque: names.push_back("torque." + forces[e.component]); break;
      case EquationKind::sensor: names.push_back(system.measurements()[e.measurement].columns[e.component]); break;
      case EquationKind::constraint:
      case EquationKind::world_force: break;  // below
    }
  for (const Closure& c : system.closures())
    for (const char* what : {"constraint.", "world_force."})
      if (c.axes >= 0 || what[0] == 'c')
        for (const std::string& row : equality_rows(c.name, c.rows)) names.push_back(what + row);
  return names;
}

std::vector<std::string> closure_forces(const Model& model, const Closure& c) {
  const auto in_axes_of = [&](const std::string& name) {
    std::vector<std::string> names = equality_rows(name, c.rows);
    if (c.rows == 6) std::rotate(names.begin(), names.begin() + 3, names.end());  // moments first
    return names;
  };
  const std::vector<std::string> of_world = in_axes_of(c.name);
  if (c.axes < 0) return of_world;
  std::vector<std::string> names = in_axes_of(c.name + "." + model.links[model.leading_link(c.axes)].name);
  names.insert(names.end(), of_world.begin(), of_world.end());
  return names;
}

}  // namespace sparsedyn
