// Inverse dynamics is linear in what identification looks for: tau = Y(q, v, a) π (Atkeson, An & Hollerbach 1986).
//
// π holds, for each joint in the order of v, ten numbers of the body that it carries (all links on fixed joints included), in
// the frame of the link that leads it, about that frame's origin:
//   m | mx my mz | Ixx Ixy Iyy Ixz Iyz Izz        mass (kg), first moments (kg m), inertia tensor (kg m²)
// and after all bodies, for each joint of one freedom, armature (kg m² or kg), damping, friction, offset and, where the model
// has a spring there, stiffness, of which
//   tau = armature a + damping v + friction g(v) + offset + stiffness q,  g(v) = tanh(v / smoothing) without Stribeck's effect
// Joints that follow others have parameters of their own too; their torques add up in their leader's row.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/wrench_pass.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/scalar/detail/simd.hpp"

namespace sparsedyn {

/// What a joint adds, at an entry of v: the model's own numbers, or those of JointPhysics where it has none. Where joints
/// follow others, the leader's.
inline const JointPhysics& physics_of(const Model& model, int v) {
  static constexpr JointPhysics none;
  if (const CoordinateMap* map = model.coordinate_map.get())
    return physics_of(map->tree, map->joined[static_cast<std::size_t>(v)].front());
  return model.physics.empty() ? none : model.physics[static_cast<std::size_t>(v)];
}

/// Where the parameters of a model stand in π.
struct ParameterIndex {
  explicit ParameterIndex(const Model& model);  // ten numbers a body first, then those of the joints
  int count;                                    // of π
  std::vector<int> of_joints;                   // by joint: where its numbers begin, or -1 where it has several freedoms
  std::vector<int> counts;                      // by joint: how many they are, 4, or 5 with a spring; 0: several freedoms
};

/// Names of π's entries: `LINK.m`, `LINK.mx`, … `JOINT.armature`, …
std::vector<std::string> parameter_names(const Model& model);
/// π of the model itself.
std::vector<double> parameters(const Model& model);

/// Allocated once for a model; one per thread.
template <class S>
struct RegressorWorkspace {
  /// Takes all memory; the model is not kept.
  explicit RegressorWorkspace(const Model& model) : dynamics(model), index(model), path(model.bodies.size()) {
    const Model& tree = model.tree();
    if (model.coordinate_map) Y.resize(static_cast<std::size_t>(tree.nv) * static_cast<std::size_t>(index.count), S(0.0));
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
      const Body& body = tree.bodies[b];
      if (body.parent >= 0) path[b].freedoms = path[static_cast<std::size_t>(body.parent)].freedoms;
      for (int j = body.v; j < body.v + freedoms(body.joint); ++j) path[b].freedoms.push_back(j);
      path[b].screws.resize(path[b].freedoms.size());
      path[b].floats = body.parent < 0 ? body.joint == BodyJoint::floating : path[static_cast<std::size_t>(body.parent)].floats;
    }
    in_root.resize(tree.bodies.size()), screws.resize(static_cast<std::size_t>(tree.nv));
    for (const Joint& joint : tree.joints) {
      const Pose<double>& link = tree.links[static_cast<std::size_t>(joint.child_link)].pose;
      bool same = true;
      for (int r = 0; r < 3; ++r) {
        same = same && link.d[r] == 0;
        for (int c = 0; c < 3; ++c) same = same && link.R(r, c) == (r == c ? 1 : 0);
      }
      path[static_cast<std::size_t>(joint.first_body + joint.bodies - 1)].own_frame = same;
    }
  }
  /// The freedoms that move a body, from the world on, and what each does to it, in its own frame.
  struct Path {
    std::vector<int> freedoms;      // indices of v, from the world on
    bool own_frame = false;         // whether the body's frame is that of the link that leads it
    bool floats = false;            // whether its first six freedoms are those of a floating body, w and v
    std::vector<Motion<S>> screws;  // of each: the body's velocity in its own frame where that entry of v is 1 (rad/s, m/s)
  };
  Workspace<S> dynamics;          // poses and motions of the bodies
  ParameterIndex index;           // where the parameters stand in Y's columns
  std::vector<Path> path;         // by body
  std::vector<Pose<S>> in_root;   // of each body in the body next to the world that carries it
  std::vector<Motion<S>> screws;  // of each entry of v, in the same body's frame
  std::vector<S> Y;               // of the tree, where joints are coupled
};

namespace detail {
inline namespace SPARSEDYN_CODE {

/// Motion of a link from that of its body: ω, α, classical proper acceleration of its origin, U.
template <class S>
BodyMotion<S> link_motion(const Pose<Constant<S>>& link, const BodyMotion<S>& body) {
  const Vec3<S> w = transposed_times(link.R, body.w), al = transposed_times(link.R, body.al);
  return {w, al, transposed_times(link.R, body.a + body.U * link.d), acceleration_gradient(w, al)};
}

/// The wrench that a link's motion asks for, by its ten numbers, all in one frame and about its origin:
///   force    m: a    h: U              torque    h: −[a]×    I: by δI, δI α + ω × δI ω
/// A screw (z, l) feels z · torque + l · force of it. Rows of ten, so that a screw takes six of them as they lie.
template <class S>
struct WrenchByNumbers {
  explicit WrenchByNumbers(const BodyMotion<S>& x) {
    const Vec3<S>&w = x.w, &al = x.al, &a = x.a;
    const S zero(0.0), xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2], xy = w[0] * w[1], xz = w[0] * w[2],
                       yz = w[1] * w[2];
    torque = {{{zero, zero, a[2], -a[1], al[0], al[1] - xz, -yz, al[2] + xy, yy - zz, yz},
               {zero, -a[2], zero, a[0], xz, al[0] + yz, al[1], zz - xx, al[2] - xy, -xz},
               {zero, a[1], -a[0], zero, -xy, xx - yy, xy, al[0] - yz, al[1] + xz, al[2]}}};
    for (int r = 0; r < 3; ++r) force[r] = {a[r], x.U(r, 0), x.U(r, 1), x.U(r, 2)};
  }
  /// out: ten numbers, written.
  void along(const Motion<S>& e, S* out) const {
    for (int k = 0; k < 10; ++k) out[k] = e.w[0] * torque[0][k] + e.w[1] * torque[1][k] + e.w[2] * torque[2][k];
    for (int k = 0; k < 4; ++k) out[k] = out[k] + (e.v[0] * force[0][k] + e.v[1] * force[1][k] + e.v[2] * force[2][k]);
  }
  std::array<std::array<S, 10>, 3> torque;
  std::array<std::array<S, 4>, 3> force;
};

/// The same in the frame that X places it in, four numbers at once; of ten, the last four begin at the sixth.
template <class S>
struct CarriedWrench {
  CarriedWrench(const Pose<S>& X, const WrenchByNumbers<S>& x) {
    simd<S, 4> first[3], middle[3], last[3], push[3], pushes[3];
    for (std::size_t r = 0; r < 3; ++r) {
      const auto& t = x.torque[r];
      first[r] = lanes(t[0], t[1], t[2], t[3]), middle[r] = lanes(t[4], t[5], t[6], t[7]),
      last[r] = lanes(t[6], t[7], t[8], t[9]);
      push[r] = lanes(x.force[r][0], x.force[r][1], x.force[r][2], x.force[r][3]);
    }
    const auto times = [&](int r, const simd<S, 4>* rows) {
      return X.R(r, 0) * rows[0] + X.R(r, 1) * rows[1] + X.R(r, 2) * rows[2];
    };
    for (int r = 0; r < 3; ++r) {
      pushes[r] = times(r, push);
      store(pushes[r], force[static_cast<std::size_t>(r)].data());
    }
    for (int r = 0; r < 3; ++r) {  // R torque + d × R force
      const int s = (r + 1) % 3, t = (r + 2) % 3;
      S* const row = torque[static_cast<std::size_t>(r)].data();
      store(times(r, first) + (X.d[s] * pushes[t] - X.d[t] * pushes[s]), row);
      store(times(r, middle), row + 4);
      store(times(r, last), row + 6);
    }
  }
  void along(const Motion<S>& e, S* out) const {
    store(along(e.w, torque, 0) + along(e.v, force, 0), out);
    store(along(e.w, torque, 4), out + 4);
    store(along(e.w, torque, 6), out + 6);
  }
  template <class Rows>
  [[gnu::always_inline]] static simd<S, 4> along(const Vec3<S>& x, const Rows& rows, int k) {
    const auto at = static_cast<std::size_t>(k);
    return x[0] * load<4>(&rows[0][at]) + x[1] * load<4>(&rows[1][at]) + x[2] * load<4>(&rows[2][at]);
  }
  std::array<std::array<S, 10>, 3> torque;
  std::array<std::array<S, 4>, 3> force;
};

/// The most numbers that a joint may have.
constexpr int most_joint_numbers = 5;

/// armature, damping, friction, offset of a joint with one freedom, and stiffness where it has a spring.
template <class S>
void joint_entries(const JointPhysics& p, const S& q, const S& v, const S& a, S* out) {
  out[0] = a, out[1] = v, out[2] = friction_share(p, v), out[3] = S(1.0);
  if (p.stiffness) out[4] = q;
}

/// The body of a joint that carries its link.
inline std::size_t last_body(const Joint& joint) { return static_cast<std::size_t>(joint.first_body + joint.bodies - 1); }

/// The ten numbers as an Inertia.
template <class S>
Inertia<S> inertia_of(const S* p) {
  const Constant<S> half(0.5);
  const S trace = half * (p[4] + p[6] + p[9]);  // of Σ m ρρᵀ = ½ tr I 1 − I
  return {p[0], {{p[1], p[2], p[3]}}, {trace - p[4], -p[5], -p[7], trace - p[6], -p[8], trace - p[9]}};
}
/// And back.
inline std::array<double, 10> ten_numbers(const Inertia<double>& x) {
  const Sym3<double> I = trace_minus(x.moments);
  return {x.m, x.h[0], x.h[1], x.h[2], I.xx, I.xy, I.yy, I.xz, I.yz, I.zz};
}

/// Blocks of ten columns: each body's wrench stays in its frame, where it has many zeros, and each screw is carried to it. For
/// recorded numbers: fewer operations.
template <class S>
void blocks_by_screws(const Model& model, RegressorWorkspace<S>& ws, S* Y) noexcept {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    std::vector<Motion<S>>& screws = ws.path[b].screws;
    const std::size_t own = static_cast<std::size_t>(freedoms(body.joint)), above = screws.size() - own;
    for (std::size_t k = 0; k < above; ++k)
      screws[k] = to_child(ws.dynamics.pose[b], ws.path[static_cast<std::size_t>(body.parent)].screws[k]);
    for (std::size_t c = 0; c < own; ++c)
      screws[above + c] = cast<S>(cast<Constant<S>>(motion_subspace(body, static_cast<int>(c))));
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const std::size_t b = last_body(model.joints[j]);
    const Pose<Constant<S>> link = cast<Constant<S>>(model.links[static_cast<std::size_t>(model.joints[j].child_link)].pose);
    const WrenchByNumbers<S> wrench(link_motion(link, ws.dynamics.motion[b]));
    const typename RegressorWorkspace<S>::Path& path = ws.path[b];
    for (std::size_t k = 0; k < path.freedoms.size(); ++k)
      wrench.along(path.own_frame ? path.screws[k] : to_child(link, path.screws[k]),
                   Y + path.freedoms[k] * ws.index.count + 10 * static_cast<int>(j));
  }
}

/// The same with screws and wrenches in the frame of the body next to the world, each carried there once. (Not in the world's:
/// digits would go where the robot stands far from its origin.)
template <class S>
void blocks_by_wrenches(const Model& model, RegressorWorkspace<S>& ws, S* Y) noexcept {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    ws.in_root[b] =
        body.parent < 0 ? identity_pose<S>() : ws.in_root[static_cast<std::size_t>(body.parent)] * ws.dynamics.pose[b];
    for (int c = 0; c < freedoms(body.joint); ++c)
      ws.screws[static_cast<std::size_t>(body.v + c)] = to_parent(ws.in_root[b], cast<S>(motion_subspace(body, c)));
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const std::size_t b = last_body(model.joints[j]);
    const Pose<S> link = cast<S>(model.links[static_cast<std::size_t>(model.joints[j].child_link)].pose);
    const typename RegressorWorkspace<S>::Path& path = ws.path[b];
    const CarriedWrench<S> wrench(path.own_frame ? ws.in_root[b] : ws.in_root[b] * link,
                                  WrenchByNumbers<S>(link_motion(link, ws.dynamics.motion[b])));
    S* const columns = Y + 10 * j;
    std::size_t k = 0;
    if (path.floats)  // along the axes of its frame
      for (; k < 6; ++k) {
        S* const out = columns + path.freedoms[k] * ws.index.count;
        if (k < 3)
          std::copy_n(wrench.torque[k].data(), 10, out);
        else
          std::copy_n(wrench.force[k - 3].data(), 4, out);
      }
    for (; k < path.freedoms.size(); ++k)
      wrench.along(ws.screws[static_cast<std::size_t>(path.freedoms[k])], columns + path.freedoms[k] * ws.index.count);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

/// Y(q, v, a), nv × index.count row by row, all entries written; a = nullptr means zero. SI units. About 100 flops for each
/// body and each freedom that moves it; no heap.
template <class S>
void regressor(const Model& model, RegressorWorkspace<S>& ws, const S* q, const S* v, const S* a, S* Y) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // Gᵀ Y_t
    TreeNumbers<S>& t = ws.dynamics.tree;
    regressor(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
              tree_rates(*map, a, t.a.data()), ws.Y.data());
    return gather_rows(*map, ws.index.count, ws.Y.data(), Y);
  }
  std::fill(Y, Y + model.nv * ws.index.count, S(0.0));
  forward_pass(model, ws.dynamics, q, v, a, static_cast<const Force<S>*>(nullptr));
  if constexpr (std::is_floating_point_v<S>)
    detail::blocks_by_wrenches(model, ws, Y);
  else
    detail::blocks_by_screws(model, ws, Y);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int own = ws.index.of_joints[j], at = model.joints[j].v;
    if (own < 0) continue;
    detail::joint_entries(physics_of(model, at), q[model.joints[j].q], v[at], a ? a[at] : S(0.0),
                          Y + at * ws.index.count + own);
  }
}

/// out = Y(q, v, a)ᵀ λ without forming Y: λ as if it were a velocity gives each body the screw that meets its ten numbers.
/// λ: nv; out: index.count, written. O(n), no heap.
template <class S>
void regressor_transposed_times(const Model& model, RegressorWorkspace<S>& ws, const S* q, const S* v, const S* a,
                                const S* lambda, S* out) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // Y_tᵀ G λ
    TreeNumbers<S>& t = ws.dynamics.tree;
    return regressor_transposed_times(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
                                      tree_rates(*map, a, t.a.data()), tree_rates(*map, lambda, t.tau.data()), out);
  }
  forward_pass(model, ws.dynamics, q, v, a, static_cast<const Force<S>*>(nullptr));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const Motion<S> own = joint_motion(body, lambda);
    Motion<S>& x = ws.dynamics.velocity[b];
    x = body.parent < 0 ? own
                        : to_child(ws.dynamics.pose[b], ws.dynamics.velocity[static_cast<std::size_t>(body.parent)]) + own;
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const std::size_t b = detail::last_body(joint);
    const Pose<Constant<S>> link = cast<Constant<S>>(model.links[static_cast<std::size_t>(joint.child_link)].pose);
    const detail::WrenchByNumbers<S> wrench(detail::link_motion(link, ws.dynamics.motion[b]));
    wrench.along(to_child(link, ws.dynamics.velocity[b]), out + 10 * j);
    const int own = ws.index.of_joints[j];
    if (own < 0) continue;
    detail::joint_entries(physics_of(model, joint.v), q[joint.q], v[joint.v], a ? a[joint.v] : S(0.0), out + own);
    for (int k = 0; k < ws.index.counts[j]; ++k) out[own + k] = lambda[joint.v] * out[own + k];
  }
}

/// tau = Y(q, v, a) π without forming Y: inverse dynamics of the bodies that π describes. O(n), no heap.
template <class S>
void regressor_times(const Model& model, RegressorWorkspace<S>& ws, const S* q, const S* v, const S* a, const S* pi,
                     S* tau) noexcept {
  if (const CoordinateMap* map = model.coordinate_map.get(); seldom(map)) {  // Gᵀ Y_t π
    TreeNumbers<S>& t = ws.dynamics.tree;
    regressor_times(map->tree, ws, tree_positions(*map, q, t.q.data()), tree_rates(*map, v, t.v.data()),
                    tree_rates(*map, a, t.a.data()), pi, t.tau.data());
    return gather_rows(*map, 1, t.tau.data(), tau);
  }
  forward_pass(model, ws.dynamics, q, v, a, static_cast<const Force<S>*>(nullptr));
  for (Force<S>& x : ws.dynamics.force) x = {zero3<S>(), zero3<S>()};
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const std::size_t b = detail::last_body(model.joints[j]);
    const Pose<Constant<S>> link = cast<Constant<S>>(model.links[static_cast<std::size_t>(model.joints[j].child_link)].pose);
    ws.dynamics.force[b] =
        to_parent(link, inertial_wrench(detail::inertia_of(pi + 10 * j), detail::link_motion(link, ws.dynamics.motion[b])));
  }
  wrench_pass(model, ws.dynamics, tau);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int own = ws.index.of_joints[j], at = model.joints[j].v;
    if (own < 0) continue;
    S y[detail::most_joint_numbers];
    detail::joint_entries(physics_of(model, at), q[model.joints[j].q], v[at], a ? a[at] : S(0.0), y);
    for (int k = 0; k < ws.index.counts[j]; ++k) tau[at] = tau[at] + y[k] * pi[own + k];
  }
}

#define SPARSEDYN_DECLARE(S)                                                                                          \
  extern template void regressor(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, S*) noexcept;    \
  extern template void regressor_transposed_times(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, \
                                                  const S*, S*) noexcept;                                             \
  extern template void regressor_times(const Model&, RegressorWorkspace<S>&, const S*, const S*, const S*, const S*,  \
                                       S*) noexcept;
SPARSEDYN_FOR_EACH_SCALAR(SPARSEDYN_DECLARE)
#undef SPARSEDYN_DECLARE

}  // namespace sparsedyn
