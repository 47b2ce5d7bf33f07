// System::assemble for any scalar. Included where a scalar other than double is put in.
#pragma once

#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/spatial/detail/component.hpp"
#include "sparsedyn/spatial/detail/velocity_wrench.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"
#include "system/closures.hpp"
#include "system/sensor_rows.hpp"

namespace sparsedyn {

namespace detail {

/// Takes the varying numbers as they come. (Where they stand in the matrix was noted once, when the pattern was derived.)
template <class S>
struct ValueSink {
  S* next;
  void number(const S& x) { *next++ = x; }
  void at(int, int) {}
  void entry(int, int, const S& x) { number(x); }
  void deep(int, int, const S& x) { number(x); }  // summed along a whole chain of joints
};

/// Bᵀx of maximal coordinates, as the entries of a spatial vector; B is sparse.
template <class S>
Motion<S> projected(const JointBasis& basis, const Motion<S>& x) {
  if (basis.identity) return x;
  Motion<S> y{zero3<S>(), zero3<S>()};
  for (int k = 0; k < 6; ++k)
    for (int r = 0; r < 6; ++r)
      if (const double b = basis.B[r][k]; b != 0.0) component(y, k) += Constant<S>(b) * component(x, r);
  return y;
}

/// The same where B is not the identity: −BᵀiX_λ in the rows (a), its transpose in the parent's rows (f).
template <class S, class Sink>
void write_projected_transform(const BodyTerms& child, const BodyTerms& parent, const Pose<S>& X, Sink& sink) {
  for (int c = 0; c < 6; ++c) {
    Motion<S> unit{zero3<S>(), zero3<S>()};
    component(unit, c) = S(1.0);
    const Motion<S> x = projected(child.basis, to_child(X, unit));
    for (int k = 0; k < 6; ++k) {
      sink.number(-component(x, k));
      sink.at(child.kinematics + k, parent.acc + c);
      sink.at(parent.wrench + c, child.f + k);
    }
  }
}

/// Writes a body's pose against its parent into the matrix: −iX_λ = −(Rᵀ, −Rᵀ[d]×) in the rows (a) of the body and its
/// transpose, −(R, [d]×R), in the rows (f) of the parent.
template <class S, class Sink>
void write_transform(const BodyTerms& child, const BodyTerms& parent, const Pose<S>& X, Sink& sink) {
  if (!child.basis.identity) return write_projected_transform(child, parent, X, sink);
  for (int c = 0; c < 3; ++c) {
    const Vec3<S> axis{{X.R(0, c), X.R(1, c), X.R(2, c)}};
    const Vec3<S> arm = cross(axis, X.d);
    for (int r = 0; r < 3; ++r) {
      sink.number(-axis[r]);
      sink.at(child.kinematics + c, parent.acc + r);
      sink.at(child.kinematics + 3 + c, parent.acc + 3 + r);
      sink.at(parent.wrench + r, child.f + c);
      sink.at(parent.wrench + 3 + r, child.f + 3 + c);
      sink.number(arm[r]);
      sink.at(child.kinematics + 3 + c, parent.acc + r);
      sink.at(parent.wrench + r, child.f + 3 + c);
    }
  }
}

/// The pose of a body's leading frame in its parent's. q: of the tree.
template <class S>
Pose<S> pose_in_parent(const BodyTerms& t, const S* q) {
  Pose<S> X = joint_pose(t.joint, q);
  if (t.turned) X.R = X.R * cast<Constant<S>>(t.link_R);
  return X;
}

/// S v in the leading frame. v: of the tree.
template <class S>
Motion<S> velocity_of_joint(const BodyTerms& t, const S* v) {
  const Motion<S> x = joint_motion(t.joint, v);
  if (!t.turned) return x;
  const Mat3<Constant<S>> R = cast<Constant<S>>(t.link_R);
  return {transposed_times(R, x.w), transposed_times(R, x.v)};
}

/// The body's motion at q̈ = 0 from its parent's; the wrench that takes is returned.
template <class S>
Force<S> still_motion(const System& system, int b, const Motion<S>& joint_velocity, SystemWorkspace<S>& work) {
  const BodyTerms& t = system.terms()[b];
  const Motion<S> none{zero3<S>(), zero3<S>()};
  const BodyMotion<S> parent = t.parent < 0 ? world_motion<S>(system.model()) : work.motion[t.parent];
  const BodyMotion<S>& m = work.motion[b] = t.joint.joint == BodyJoint::revolute && !t.turned
                                                ? revolute_motion(parent, work.X[b], joint_velocity.w[2], S(0.0))
                                                : body_motion(parent, work.X[b], joint_velocity, none);
  work.shift[b] = {m.al, m.a - cross(m.w, work.v[b].v)};
  if (t.massless) return {none.w, none.v};
  return with_inertia<S>(t.inertia, [&](const auto& I) { return inertial_wrench(I, m); });
}

template <class S>
void write_motion(const Motion<S>& m, S* rhs) {
  for (int k = 0; k < 3; ++k) rhs[k] = m.w[k], rhs[3 + k] = m.v[k];
}
template <class S>
void write_force(const Force<S>& x, S* rhs) {
  for (int k = 0; k < 3; ++k) rhs[k] = x.n[k], rhs[3 + k] = x.f[k];
}

/// A body's velocity, and c of its rows (a).
template <class S>
Motion<S> write_velocity(const System& system, int b, const Motion<S>& joint_velocity, SystemWorkspace<S>& work) {
  const SystemTables& tables = system.tables();
  const BodyTerms& t = tables.terms[b];
  if (t.parent < 0) {
    work.v[b] = joint_velocity;
    return {zero3<S>(), transposed_times(work.X[b].R, cast<Constant<S>>(-tables.model.gravity))};
  }
  work.v[b] = to_child(work.X[b], work.v[t.parent]) + joint_velocity;
  return cross(work.v[b], joint_velocity);
}

/// Right-hand sides of a body's rows. q, v: of the tree.
template <class S>
void write_right_side(const System& system, int b, const Motion<S>& joint_velocity, Motion<S> c, const S* q, const S* v, S* rhs,
                      SystemWorkspace<S>& work) {
  const SystemTables& tables = system.tables();
  const BodyTerms& t = tables.terms[b];
  const Force<S> none{zero3<S>(), zero3<S>()};
  const std::vector<JointPhysics>& physics = tables.model.tree().physics;
  if (tables.needs_world) work.world[b] = t.parent < 0 ? work.X[b] : work.world[t.parent] * work.X[b];
  Force<S> p = none;
  if (tables.formulation.shifted) {
    c = {zero3<S>(), zero3<S>()};
    p = still_motion(system, b, joint_velocity, work);
  } else if (!t.massless) {
    p = with_inertia<S>(t.inertia, [&](const auto& I) { return velocity_wrench(I, work.v[b]); });
  }
  write_motion(projected(t.basis, c), rhs + t.kinematics);
  if (t.inertial != t.wrench) write_force(none, rhs + t.wrench);
  write_force(p, rhs + t.inertial);
  for (int k = 0; k < freedoms(t.joint.joint); ++k) {
    const int i = t.joint.v + k;
    rhs[t.torque + k] = physics.empty() ? S(0.0) : joint_load(physics[i], v[i]);
    if (physics.empty() || !physics[i].stiffness) continue;
    rhs[t.torque + k] = rhs[t.torque + k] + robot_number<S>(*physics[i].stiffness) * q[t.joint.q];
  }
}

/// Kinematics, wrench, net force and torque rows.
template <class S, class Sink>
void write_bodies(const System& system, const S* q, const S* v, S* rhs, Sink& sink, SystemWorkspace<S>& work) {
  const SystemTables& tables = system.tables();
  if (const CoordinateMap* map = tables.model.coordinate_map.get()) {
    q = tree_positions(*map, q, work.tree.q.data());
    v = tree_rates(*map, v, work.tree.v.data());
  }
  for (std::size_t b = 0; b < tables.terms.size(); ++b) {
    const BodyTerms& t = tables.terms[b];
    work.X[b] = pose_in_parent(t, q);
    const Motion<S> joint_velocity = velocity_of_joint(t, v);
    const Motion<S> c = write_velocity(system, static_cast<int>(b), joint_velocity, work);
    if (t.parent >= 0) write_transform(t, tables.terms[t.parent], work.X[b], sink);
    write_right_side(system, static_cast<int>(b), joint_velocity, c, q, v, rhs, work);
  }
}

/// τ − M G q̈ + Σ Jᵀ fx = bias on the tree: M by composite bodies, the bias as inverse dynamics at q̈ = 0 under the known
/// wrenches, and for each unknown wrench its components carried down to the joints that bear it.
template <class S, class Sink>
void write_joint_space(const System& system, const S* q, const S* v, const S* y, S* rhs, Sink& sink, SystemWorkspace<S>& work) {
  const SystemTables& tables = system.tables();
  using C = Constant<S>;
  Workspace<S>& ws = *work.joint_space;
  const Model& tree = tables.model.tree();
  const CoordinateMap* map = tables.model.coordinate_map.get();
  if (map) q = tree_positions(*map, q, work.tree.q.data()), v = tree_rates(*map, v, work.tree.v.data());
  for (Force<S>& x : work.wrench) x = {zero3<S>(), zero3<S>()};
  for (const KnownWrench& known : tables.known_wrenches) {
    const Link& link = tables.model.links[known.link];
    if (link.body < 0) continue;
    work.wrench[link.body] =
        work.wrench[link.body] + to_parent(cast<C>(link.pose), known_wrench(tables.measurements[known.measurement], y));
  }
  crba(tree, ws, q, work.M.data());
  bias_forces(tree, ws, q, v, work.wrench.data(), work.bias.data());
  for (int i = 0; i < tree.nv; ++i) {
    rhs[tables.torque_rows + i] = work.bias[i];
    const S* M = work.M.data() + i * tree.nv;
    for (int k = 0; k < tables.model.nv; ++k)
      if (tables.related[i * tables.model.nv + k])
        sink.deep(tables.torque_rows + i, tables.ddq_columns[k], map ? -joined_entry(*map, M, k) : -M[k]);
  }
  for (std::size_t l = 0; l < tables.fx_columns.size(); ++l) {
    if (tables.fx_columns[l] < 0) continue;
    for (int c = 0; c < 6; ++c) {
      Force<S> x = to_parent(cast<C>(tables.model.links[l].pose), sensors::unit_force<S>(c));
      for (int b = tree.links[l].body; b >= 0; b = tree.bodies[b].parent) {
        joint_force(tree.bodies[b], x, work.bias.data());
        for (int k = tree.bodies[b].v; k < tree.bodies[b].v + freedoms(tree.bodies[b].joint); ++k)
          sink.deep(tables.torque_rows + k, tables.fx_columns[l] + c, work.bias[k]);
        x = to_parent(ws.pose[b], x);
      }
    }
  }
}

/// The entries that vary, and the right-hand side.
template <class S, class Sink>
void write_varying(const System& system, const S* q, const S* v, const S* y, S* rhs, Sink& sink, SystemWorkspace<S>& work) {
  const SystemTables& tables = system.tables();
  using C = Constant<S>;
  if (tables.formulation.joint_space)
    write_joint_space(system, q, v, y, rhs, sink, work);
  else
    write_bodies(system, q, v, rhs, sink, work);
  for (const KnownWrench& known : tables.known_wrenches) {
    const int body = tables.model.links[known.link].body;
    if (body < 0 || tables.formulation.joint_space) continue;
    const Force<S> x =
        to_parent(cast<C>(tables.link_in_leading[known.link]), known_wrench(tables.measurements[known.measurement], y));
    for (int k = 0; k < 3; ++k) rhs[tables.terms[body].wrench + k] -= x.n[k], rhs[tables.terms[body].wrench + 3 + k] -= x.f[k];
  }
  for (const SensorReading& r : tables.readings) {
    rhs[r.row] = r.input >= 0 ? y[r.input] : S(r.constant);
    if (r.input >= 0 && r.constant != 0) rhs[r.row] = rhs[r.row] + S(r.constant);
  }
  for (int m : tables.varying_sensors) write_sensor_rows(system, tables.measurements[m], y, work, rhs, sink);
  const bool coupled = tables.model.coordinate_map != nullptr;  // then write_bodies left the tree's q and v
  const S *tree_q = coupled ? work.tree.q.data() : q, *tree_v = coupled ? work.tree.v.data() : v;
  for (const Closure& c : tables.closures) write_closure(system, c, tree_q, tree_v, rhs, sink, work);
}

}  // namespace detail

template <class S>
void System::assemble(const S* q, const S* v, const S* y, S* values, S* rhs, SystemWorkspace<S>& work) const noexcept {
  for (std::size_t k = 0; k < tables_.constants.size(); ++k) values[k] = S(tables_.constants[k]);
  detail::ValueSink<S> sink{work.varying.data()};
  detail::write_varying(*this, q, v, y, rhs, sink, work);
  for (const VaryingEntry& p : tables_.varying) values[p.value] = work.varying[p.number];
  for (const ShiftedReading& r : tables_.shifted_readings) {
    const Motion<S>& shift = work.shift[r.body];
    rhs[r.row] -= values[r.value] * component(shift, r.component);
  }
}

template <class S>
void System::unshift(S* x, const SystemWorkspace<S>& work) const noexcept {
  if (!tables_.formulation.shifted) return;
  for (std::size_t b = 0; b < tables_.terms.size(); ++b)
    for (int k = 0; k < 3; ++k) {
      x[tables_.terms[b].acc + k] += work.shift[b].w[k];
      x[tables_.terms[b].acc + 3 + k] += work.shift[b].v[k];
    }
}

}  // namespace sparsedyn
