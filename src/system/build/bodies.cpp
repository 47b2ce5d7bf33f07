// The unknowns and equations of the bodies.
#include <algorithm>

#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "system/build/stages.hpp"
#include "system/rounding.hpp"

namespace sparsedyn {
namespace {

bool is_zero(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  for (double x : {I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz})
    if (x != 0.0) return false;
  return true;
}

/// In the body's frame: the child link's for the last body of a joint, else, and in axis frames, the body's own.
Pose<double> leading_frame(const SystemTables& tables, int b) {
  const Link& link = tables.model.links[tables.model.leading_link(b)];
  return link.body == b && !tables.formulation.axis_frames() ? link.pose : identity_pose<double>();
}

/// Followers read their leaders' accelerations.
void couple_bodies(SystemTables& tables) {
  if (!tables.model.coordinate_map) return;
  const CoordinateMap& map = *tables.model.coordinate_map;
  std::vector<int> body_of(map.v.size());
  for (std::size_t b = 0; b < tables.terms.size(); ++b)
    for (int k = 0; k < freedoms(tables.terms[b].joint.joint); ++k) body_of[tables.terms[b].joint.v + k] = static_cast<int>(b);
  for (std::size_t k = 0; k < map.v.size(); ++k) {
    const CoordinateMap::Entry& entry = map.v[k];
    const int own = map.joined[entry.index].front();
    if (own == static_cast<int>(k)) continue;
    BodyTerms& t = tables.terms[body_of[k]];
    t.leader = body_of[own];
    t.ddq = tables.terms[t.leader].ddq;
    t.multiplier = entry.multiplier;
  }
}

/// In the parent's leading frame. The numbers of axis frames are free of rounding: a length of 1e-14 m there may be all that
/// keeps two axes apart.
Pose<double> placement_of(const SystemTables& tables, const Body& body) {
  if (tables.formulation.axis_frames()) return body.placement;
  return without_rounding(body.parent < 0 ? body.placement : inverse(leading_frame(tables, body.parent)) * body.placement,
                          largest_length(tables.model));
}

void add_body(SystemTables& tables, int b, int joint) {
  const Body& body = tables.model.tree().bodies[b];
  const int link = tables.model.leading_link(b), n = freedoms(body.joint);
  const bool follows = tables.model.joints[joint].follows() && n > 0;
  const Pose<double> frame = leading_frame(tables, b);
  BodyTerms t{};
  t.joint = body;
  t.joint.placement = placement_of(tables, body);
  t.link_R = without_rounding(frame, largest_length(tables.model)).R;
  t.turned = !is_identity(t.link_R);
  t.inertia = tables.formulation.axis_frames() ? body.inertia : without_rounding(to_parent(inverse(frame), body.inertia));
  t.massless = is_zero(t.inertia);
  t.parent = body.parent;
  for (int k = 0; k < n; ++k) {
    const Motion<double> s = motion_subspace(body, k);
    t.subspace[k] = {transposed_times(t.link_R, s.w), transposed_times(t.link_R, s.v)};
  }
  t.basis = tables.formulation.maximal_coordinates ? joint_basis(t.subspace, n) : identity_basis();

  const auto add_unknowns = [&](VariableKind kind, int owner, int count, int first_component) {
    const int first = static_cast<int>(tables.unknowns.size());
    for (int k = 0; k < count; ++k) tables.unknowns.push_back({kind, owner, b, first_component + k});
    return first;
  };
  const auto add_equations = [&](EquationKind kind, int count, int first_component) {
    const int first = static_cast<int>(tables.equations.size());
    for (int k = 0; k < count; ++k) tables.equations.push_back({kind, b, first_component + k, -1});
    return first;
  };
  const bool internal = !tables.formulation.joint_space, net = tables.formulation.net_forces && !t.massless;
  t.acc = t.f = t.fx = t.net = t.kinematics = t.wrench = t.inertial = t.torque = -1;
  if (internal) t.acc = add_unknowns(VariableKind::acc, link, 6, 0), t.f = add_unknowns(VariableKind::f, joint, 6, 0);
  if (net) t.net = add_unknowns(VariableKind::net, link, 6, 0);
  t.tau = add_unknowns(VariableKind::tau, joint, n, body.v);
  t.ddq = follows ? -1 : add_unknowns(VariableKind::ddq, joint, n, body.v);
  t.multiplier = 1, t.leader = -1;
  for (int k = 0; k < n; ++k) tables.tree_tau_columns.push_back(t.tau + k);
  for (int k = 0; k < n && !follows; ++k) tables.tau_columns.push_back(t.tau + k), tables.ddq_columns.push_back(t.ddq + k);
  if (internal && tables.model.links[link].body == b) {
    tables.fx_columns[link] = add_unknowns(VariableKind::fx, link, 6, 0);
    if (!tables.formulation.axis_frames()) t.fx = tables.fx_columns[link];
  }
  if (internal) {
    t.kinematics = add_equations(EquationKind::kinematics, 6, 0);
    t.wrench = add_equations(EquationKind::wrench, 6, 0);
    t.inertial = net ? add_equations(EquationKind::net, 6, 0) : t.wrench;
    t.torque = add_equations(EquationKind::torque, n, body.v);
  }
  tables.terms.push_back(t);
}

}  // namespace

void add_bodies(SystemTables& tables) {
  tables.fx_columns.assign(tables.model.links.size(), -1);
  for (std::size_t l = 0; l < tables.model.links.size(); ++l) {
    const Link& link = tables.model.links[l];
    const bool leads = link.body >= 0 && tables.model.leading_link(link.body) == static_cast<int>(l);
    tables.link_in_leading.push_back(
        link.body < 0 ? without_rounding(link.pose, largest_length(tables.model))
        : leads && !tables.formulation.axis_frames()
            ? identity_pose<double>()
            : without_rounding(inverse(leading_frame(tables, link.body)) * link.pose, largest_length(tables.model)));
  }
  for (std::size_t j = 0; j < tables.model.joints.size(); ++j) {
    const Joint& joint = tables.model.joints[j];
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b) add_body(tables, b, static_cast<int>(j));
  }
  couple_bodies(tables);
}

/// The rows τ − M G q̈ + Σ Jᵀ fx = bias, one a freedom of the tree, in which a leader's τ has its followers' too; and columns
/// for the wrenches that are not all inputs.
void add_joint_rows(SystemTables& tables) {
  const std::vector<char> known = known_by_inputs(tables);
  for (int b = 0; b < static_cast<int>(tables.model.bodies.size()); ++b) {
    const int link = tables.model.leading_link(b);
    if (tables.model.links[link].body == b && !known[link]) add_lumped_wrench(tables, link);
  }
  tables.torque_rows = static_cast<int>(tables.equations.size());
  const Model& tree = tables.model.tree();
  const std::vector<int> parent = parent_freedoms(tree);
  const auto carries = [&](int i, int k) {
    while (k > i) k = parent[k];
    return k == i;
  };
  for (const Body& body : tree.bodies)
    for (int i = body.v; i < body.v + freedoms(body.joint); ++i) {
      tables.equations.push_back({EquationKind::torque, static_cast<int>(&body - tree.bodies.data()), i, -1});
      std::vector<char> related(static_cast<std::size_t>(tables.model.nv), 0);
      for (int t = 0; t < tree.nv; ++t)
        if (carries(std::min(i, t), std::max(i, t))) related[static_cast<std::size_t>(entry_of(tables.model, t).index)] = 1;
      tables.related.insert(tables.related.end(), related.begin(), related.end());
    }
}

}  // namespace sparsedyn
