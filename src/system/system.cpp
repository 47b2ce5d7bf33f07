#include "sparsedyn/system/system.hpp"

#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/system/names.hpp"
#include "sparsedyn/system/rounding.hpp"

namespace sparsedyn {
namespace {

bool is_zero(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  for (double x : {I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz})
    if (x != 0.0) return false;
  return true;
}

bool is_identity(const Mat3<double>& R) { return R(0, 0) == 1.0 && R(1, 1) == 1.0 && R(2, 2) == 1.0; }

/// The frame that body b's unknowns are in, in the body's frame: the child link's for the last body of a joint, else its own.
Pose<double> unknowns_frame(const Model& model, int b) {
  const Link& link = model.links[model.leading_link(b)];
  return link.body == b ? link.pose : identity_pose<double>();
}

}  // namespace

System::System(const Model& model, const SensorSet& sensors) : model_(model), sensors_(sensors) {
  add_bodies();
  add_sensors();
  unknown_names_ = names_of_unknowns(*this);
  equation_names_ = names_of_equations(*this);
  derive_pattern();
}

void System::add_bodies() {
  fx_columns_.assign(model_.links.size(), -1);
  for (const Link& link : model_.links)
    link_in_leading_.push_back(
        without_rounding(link.body < 0 ? link.pose : inverse(unknowns_frame(model_, link.body)) * link.pose));
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (int b = joint.first_body; b < joint.first_body + joint.bodies; ++b) add_body(b, static_cast<int>(j));
  }
}

void System::add_body(int b, int joint) {
  const Body& body = model_.bodies[b];
  const int link = model_.leading_link(b), n = freedoms(body.joint);
  const Pose<double> frame = unknowns_frame(model_, b);
  BodyTerms t{};
  t.joint = body;
  t.joint.placement =
      without_rounding(body.parent < 0 ? body.placement : inverse(unknowns_frame(model_, body.parent)) * body.placement);
  t.link_R = without_rounding(frame).R;
  t.turned = !is_identity(t.link_R);
  t.inertia = without_rounding(to_parent(inverse(frame), body.inertia));
  t.massless = is_zero(t.inertia);
  t.parent = body.parent;
  for (int k = 0; k < n; ++k) {
    const Motion<double> s = motion_subspace(body, k);
    t.subspace[k] = {transposed_times(t.link_R, s.w), transposed_times(t.link_R, s.v)};
  }

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
  t.acc = add_unknowns(VariableKind::acc, link, 6, 0);
  t.f = add_unknowns(VariableKind::f, joint, 6, 0);
  const int tau = add_unknowns(VariableKind::tau, joint, n, body.v);
  const int ddq = add_unknowns(VariableKind::ddq, joint, n, body.v);
  for (int k = 0; k < n; ++k) tau_columns_.push_back(tau + k), ddq_columns_.push_back(ddq + k);
  t.fx = -1;
  if (model_.links[link].body == b) t.fx = fx_columns_[link] = add_unknowns(VariableKind::fx, link, 6, 0);
  t.kinematics = add_equations(EquationKind::kinematics, 6, 0);
  t.wrench = add_equations(EquationKind::wrench, 6, 0);
  t.torque = add_equations(EquationKind::torque, n, body.v);
  terms_.push_back(t);
}

}  // namespace sparsedyn
