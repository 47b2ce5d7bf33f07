#include "sparsedyn/system/system.hpp"

#include <algorithm>

#include "names.hpp"
#include "rounding.hpp"
#include "sparsedyn/dynamics/detail/workspace.hpp"
#include "sparsedyn/model/detail/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

bool is_zero(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  for (double x : {I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz})
    if (x != 0.0) return false;
  return true;
}

}  // namespace

double System::sigma_of(int equation) const {
  const int k = equations_[equation].measurement;
  return k < 0 ? 0.0 : measurements_[k].sigma[equation - measurements_[k].first_row];
}

int System::input_of(int equation) const {
  const int k = equations_[equation].measurement;
  return k < 0 || measurements_[k].inputs.empty() ? -1 : measurements_[k].inputs[equation - measurements_[k].first_row];
}

System::System(const Model& model, const SensorSet& sensors, const Formulation& formulation)
    : formulation_(formulation), model_(formulated(model, formulation)), sensors_(sensors) {
  add_bodies();
  if (formulation_.joint_space) add_joint_rows();
  add_sensors();
  add_closures();
  add_state_sigma();
  check_formulation();
  unknown_names_ = names_of_unknowns(*this);
  equation_names_ = names_of_equations(*this);
  derive_pattern();
}

/// In the body's frame: the child link's for the last body of a joint, else, and in axis frames, the body's own.
Pose<double> System::leading_frame(int b) const {
  const Link& link = model_.links[model_.leading_link(b)];
  return link.body == b && !formulation_.axis_frames() ? link.pose : identity_pose<double>();
}

void System::add_bodies() {
  fx_columns_.assign(model_.links.size(), -1);
  for (std::size_t l = 0; l < model_.links.size(); ++l) {
    const Link& link = model_.links[l];
    const bool leads = link.body >= 0 && model_.leading_link(link.body) == static_cast<int>(l);
    link_in_leading_.push_back(link.body < 0 ? without_rounding(link.pose, largest_length(model_))
                               : leads && !formulation_.axis_frames()
                                   ? identity_pose<double>()
                                   : without_rounding(inverse(leading_frame(link.body)) * link.pose, largest_length(model_)));
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b) add_body(b, static_cast<int>(j));
  }
  couple_bodies();
}

/// Followers read their leaders' accelerations.
void System::couple_bodies() {
  if (!model_.coordinate_map) return;
  const CoordinateMap& map = *model_.coordinate_map;
  std::vector<int> body_of(map.v.size());
  for (std::size_t b = 0; b < terms_.size(); ++b)
    for (int k = 0; k < freedoms(terms_[b].joint.joint); ++k) body_of[terms_[b].joint.v + k] = static_cast<int>(b);
  for (std::size_t k = 0; k < map.v.size(); ++k) {
    const CoordinateMap::Entry& entry = map.v[k];
    const int own = map.joined[entry.index].front();
    if (own == static_cast<int>(k)) continue;
    BodyTerms& t = terms_[body_of[k]];
    t.leader = body_of[own];
    t.ddq = terms_[t.leader].ddq;
    t.multiplier = entry.multiplier;
  }
}

void System::add_body(int b, int joint) {
  const Body& body = model_.tree().bodies[b];
  const int link = model_.leading_link(b), n = freedoms(body.joint);
  const bool follows = model_.joints[joint].follows() && n > 0;
  const Pose<double> frame = leading_frame(b);
  BodyTerms t{};
  t.joint = body;
  t.joint.placement = without_rounding(body.parent < 0 ? body.placement : inverse(leading_frame(body.parent)) * body.placement,
                                       largest_length(model_));
  t.link_R = without_rounding(frame, largest_length(model_)).R;
  t.turned = !is_identity(t.link_R);
  t.inertia = without_rounding(to_parent(inverse(frame), body.inertia));
  t.massless = is_zero(t.inertia);
  t.parent = body.parent;
  for (int k = 0; k < n; ++k) {
    const Motion<double> s = motion_subspace(body, k);
    t.subspace[k] = {transposed_times(t.link_R, s.w), transposed_times(t.link_R, s.v)};
  }
  t.basis = formulation_.maximal_coordinates ? joint_basis(t.subspace, n) : identity_basis();

  const auto add_unknowns = [&](VariableKind kind, int owner, int count, int first_component) {
    const int first = static_cast<int>(unknowns_.size());
    for (int k = 0; k < count; ++k) unknowns_.push_back({kind, owner, b, first_component + k});
    return first;
  };
  const auto add_equations = [&](EquationKind kind, int count, int first_component) {
    const int first = static_cast<int>(equations_.size());
    for (int k = 0; k < count; ++k) equations_.push_back({kind, b, first_component + k, -1});
    return first;
  };
  const bool internal = !formulation_.joint_space, net = formulation_.net_forces && !t.massless;
  t.acc = t.f = t.fx = t.net = t.kinematics = t.wrench = t.inertial = t.torque = -1;
  if (internal) t.acc = add_unknowns(VariableKind::acc, link, 6, 0), t.f = add_unknowns(VariableKind::f, joint, 6, 0);
  if (net) t.net = add_unknowns(VariableKind::net, link, 6, 0);
  t.tau = add_unknowns(VariableKind::tau, joint, n, body.v);
  t.ddq = follows ? -1 : add_unknowns(VariableKind::ddq, joint, n, body.v);
  t.multiplier = 1, t.leader = -1;
  for (int k = 0; k < n; ++k) tree_tau_columns_.push_back(t.tau + k);
  for (int k = 0; k < n && !follows; ++k) tau_columns_.push_back(t.tau + k), ddq_columns_.push_back(t.ddq + k);
  if (internal && model_.links[link].body == b) {
    fx_columns_[link] = add_unknowns(VariableKind::fx, link, 6, 0);
    if (!formulation_.axis_frames()) t.fx = fx_columns_[link];
  }
  if (internal) {
    t.kinematics = add_equations(EquationKind::kinematics, 6, 0);
    t.wrench = add_equations(EquationKind::wrench, 6, 0);
    t.inertial = net ? add_equations(EquationKind::net, 6, 0) : t.wrench;
    t.torque = add_equations(EquationKind::torque, n, body.v);
  }
  terms_.push_back(t);
}

/// The rows τ − M G q̈ + Σ Jᵀ fx = bias, one a freedom of the tree, in which a leader's τ has its followers' too; and columns
/// for the wrenches that are not all inputs.
void System::add_joint_rows() {
  const std::vector<char> known = known_by_inputs();
  for (int b = 0; b < static_cast<int>(model_.bodies.size()); ++b) {
    const int link = model_.leading_link(b);
    if (model_.links[link].body == b && !known[link]) add_lumped_wrench(link);
  }
  torque_rows_ = static_cast<int>(equations_.size());
  const Model& tree = model_.tree();
  const std::vector<int> parent = parent_freedoms(tree);
  const auto carries = [&](int i, int k) {
    while (k > i) k = parent[k];
    return k == i;
  };
  for (const Body& body : tree.bodies)
    for (int i = body.v; i < body.v + freedoms(body.joint); ++i) {
      equations_.push_back({EquationKind::torque, static_cast<int>(&body - tree.bodies.data()), i, -1});
      std::vector<char> related(static_cast<std::size_t>(model_.nv), 0);
      for (int t = 0; t < tree.nv; ++t)
        if (carries(std::min(i, t), std::max(i, t))) related[static_cast<std::size_t>(entry_of(model_, t).index)] = 1;
      related_.insert(related_.end(), related.begin(), related.end());
    }
}

}  // namespace sparsedyn
