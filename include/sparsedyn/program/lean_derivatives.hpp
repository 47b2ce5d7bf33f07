// First derivatives of inverse dynamics on a LeanTree: the moment matrices of rnea_derivatives.hpp, passed along axial screws
// and along parallel joints without a turn.
#pragma once

#include "sparsedyn/program/lean_motion.hpp"
#include "sparsedyn/recursive/rnea_derivatives.hpp"

namespace sparsedyn {

/// Sums over the mass m below a joint: Σ = Σ m ρρᵀ, G = Σ m ρρ'ᵀ, h = Σ m ρ, p = Σ m ρ', and the wrench (N, F).
template <class S>
struct LeanMoments {
  S m;
  Sym3<S> second;
  Mat3<S> rate;
  Vec3<S> h, p;
  Force<S> wrench;
};

/// Of body i alone: G = Σ [ω]×ᵀ, p = ω × h.
template <class S>
LeanMoments<S> lean_moments(const Inertia<S>& I, const Vec3<S>& w, const Force<S>& wrench) {
  const Mat3<S> s = dense(I.moments);
  LeanMoments<S> x{I.m, I.moments, {}, I.h, cross(w, I.h), wrench};
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> row = cross(w, Vec3<S>{{s(r, 0), s(r, 1), s(r, 2)}});
    for (int k = 0; k < 3; ++k) x.rate(r, k) = row[k];
  }
  return x;
}

/// Velocity of the body's origin relative to the parent's, in axes before the joint's turn.
template <class S>
Vec3<S> rate_of_shift(const LeanBody& b, const LeanPose<S>& x, const Vec3<S>& parent_w, const S& v) {
  const Vec3<S> rate = cross(to_joint(x, parent_w), x.shift);
  return b.joint == BodyJoint::prismatic ? rate + Vec3<S>{{S(0.0), S(0.0), v}} : rate;
}

/// About the parent's origin, in the parent's axes: Σ += h dᵀ + d (h + m d)ᵀ, G += d pᵀ + (h + m d) wᵀ, p += m w.
template <class S>
LeanMoments<S> lean_to_parent(const LeanPose<S>& x, const Vec3<S>& w, const LeanMoments<S>& y) {
  const Vec3<S>& d = x.shift;
  const Inertia<S> I = shifted(Inertia<S>{y.m, turn_z(x.turn, y.h), turn_z(x.turn, y.second)}, d);
  Mat3<S> G = turn_z(x.turn, y.rate);
  const Vec3<S> p = turn_z(x.turn, y.p);
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k) G(r, k) = G(r, k) + d[r] * p[k] + I.h[r] * w[k];
  return {y.m,
          block_from_joint(x, I.moments),
          block_from_joint(x, G),
          from_joint(x, I.h),
          from_joint(x, p + y.m * w),
          lean_to_parent(x, y.wrench)};
}

template <class S>
LeanMoments<S> operator+(const LeanMoments<S>& a, const LeanMoments<S>& b) {
  return {a.m + b.m, a.second + b.second, a.rate + b.rate, a.h + b.h, a.p + b.p, a.wrench + b.wrench};
}

/// As the climbing waves read them.
template <class S>
BodyMoments<S> body_moments(const BodyMotion<S>& motion, const LeanMoments<S>& y) {
  BodyMoments<S> x;
  const Mat3<S> s = dense(y.second);
  x.motion = motion;
  for (int r = 0; r < 3; ++r) {
    x.second[r] = lanes(s(r, 0), s(r, 1), s(r, 2), S(0.0));
    x.rate[r] = lanes(y.rate(r, 0), y.rate(r, 1), y.rate(r, 2), S(0.0));
    x.vectors[r] = lanes(y.h[r], y.p[r], y.wrench.f[r], y.wrench.n[r]);
  }
  return x;
}

/// carry() of the recursive algorithms: moments += d × forces, with the shift's rate w for k.
template <class S>
Wave<S> lean_to_parent(const LeanPose<S>& x, const Vec3<S>& w, const Wave<S>& y) {
  Vec3<S> force[4], moment[4];
  for (int k = 0; k < 4; ++k) {
    const Vec3<S> f = turn_z(x.turn, detail::lane(y.forces, k));
    moment[k] = from_joint(x, turn_z(x.turn, detail::lane(y.moments, k)) + cross(k == 1 ? w : x.shift, f));
    force[k] = from_joint(x, f);
  }
  Wave<S> up;
  for (int r = 0; r < 3; ++r) {
    up.forces[r] = lanes(force[0][r], force[1][r], force[2][r], force[3][r]);
    up.moments[r] = lanes(moment[0][r], moment[1][r], moment[2][r], moment[3][r]);
  }
  return up;
}

/// The screws of a free base, body 0: its frame in the world's motion, and its own velocity.
template <class S>
void floating_screws(const Model& model, const LeanTree& tree, const S* q, const S* v, MomentWorkspace<S>& ws) {
  const Body& base = model.bodies[0];
  BodyMoments<S>& x = ws.bodies[0];
  const Mat3<S> R = rotation_from_quaternion(q + base.q + 3);
  const Vec3<S> o = zero3<S>();
  x.parent = {o, o, -transposed_times(R, tree.gravity), {}};
  for (int k = 0; k < 9; ++k) x.parent.U(k / 3, k % 3) = S(0.0);
  x.v_joint = joint_motion(base, v).v;
  detail::find_screws(base, x, ws.screws.data() + base.v);
}

/// Motion of all bodies, moments below all joints, and the rates of the shifts between them.
template <class S>
struct LeanPasses {
  LeanMotion<S> motion;
  std::vector<LeanMoments<S>> moments;
  std::vector<Vec3<S>> rate;
};

/// tree: in metres and not balanced.
template <class S>
LeanPasses<S> lean_moment_passes(const LeanTree& tree, const S* q, const S* v, const S* a) {
  const std::size_t n = tree.bodies.size();
  LeanPasses<S> x{lean_forward_pass(tree, q, v, a, static_cast<const Force<S>*>(nullptr)), {}, {n, zero3<S>()}};
  const LeanMotion<S>& m = x.motion;
  for (std::size_t i = 0; i < n; ++i) {
    const LeanBody& b = tree.bodies[i];
    x.moments.push_back(lean_moments(m.pose[i].inertia, m.motion[i].w, m.force[i]));
    if (b.parent >= 0) x.rate[i] = rate_of_shift(b, m.pose[i], m.motion[b.parent].w, v[b.v]);
  }
  for (std::size_t i = n; i-- > 0;)
    if (const int parent = tree.bodies[i].parent; parent >= 0)
      x.moments[parent] = x.moments[parent] + lean_to_parent(m.pose[i], x.rate[i], x.moments[i]);
  return x;
}

/// As rnea_derivatives; tree: in metres and not balanced, of `model`, whose bodies give joints and parents.
template <class S>
void lean_derivatives(const Model& model, const LeanTree& tree, const S* q, const S* v, const S* a,
                      const RneaDerivatives<S>& out) {
  const std::size_t n = tree.bodies.size();
  const LeanPasses<S> passes = lean_moment_passes(tree, q, v, a);
  const auto& [m, moments, rate] = passes;
  MomentWorkspace<S> ws(lean_model(model));
  for (std::size_t i = 0; i < n; ++i) {
    ws.bodies[i] = body_moments(m.motion[i], moments[i]);
    joint_force(model.bodies[i], moments[i].wrench, out.tau);
    if (tree.bodies[i].joint == BodyJoint::floating) floating_screws(model, tree, q, v, ws);
  }
  for (S* matrix : {out.dtau_dq, out.dtau_dv, out.M}) std::fill(matrix, matrix + model.nv * model.nv, S(0.0));
  for (int i = 0; i < static_cast<int>(n); ++i)
    for (int c = 0; c < freedoms(model.bodies[i].joint); ++c) {
      const detail::Row<S> row{out, model.nv, model.nv, model.bodies[i].v + c};
      Wave<S> y = wave_of(model.bodies[i], ws, i, c);
      detail::meet(row, model.bodies[i], ws.bodies[i], ws.screws.data(), y, false);
      for (int j = i; model.bodies[j].parent >= 0;) {
        y = lean_to_parent(m.pose[j], rate[j], y);
        j = model.bodies[j].parent;
        detail::meet(row, model.bodies[j], ws.bodies[j], ws.screws.data(), y, true);
      }
    }
}

}  // namespace sparsedyn
