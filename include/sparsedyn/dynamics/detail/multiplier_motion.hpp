// A second velocity of the same robot, with the multipliers λ in place of v, and its moments together with the first. λᵀτ is
// the power of the torques on this velocity; its derivatives are computed from these moments. Equations:
// docs/second-derivatives.md, "Contracted with multipliers".
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/detail/joint_screws.hpp"

namespace sparsedyn {

/// Body i in its own frame; y is a point's velocity at the joint rates λ, ρ^ its part relative to O_i.
template <class S>
struct MultiplierMotion {
  Vec3<S> w, v;                  // angular velocity of the body, and y of O_i
  Vec3<S> carrier_w, carrier_v;  // of what carries the joint's axes: the body itself, or, without a fixed axis, the parent
  Vec3<S> joint_v;               // y of O_i from its carrier
  Vec3<S> shift;                 // y of O_i from the parent's origin, in the parent's axes
  // moments of all mass m below the joint
  SimdMemory<S, 4> rate[3];  // rows of Σ m ρ ρ^ᵀ (fourth lane: zero)
  Vec3<S> p, kappa;          // Σ m ρ^, Σ m ρ' × ρ^
};

namespace detail {
inline namespace SPARSEDYN_CODE {

template <class S>
void move_test(const Body& body, const BodyMoments<S>& x, const MultiplierMotion<S>* parent, const S* lambda,
               MultiplierMotion<S>& t) {
  const Vec3<S> o = zero3<S>();
  const Motion<S> rate = joint_motion(body, lambda);
  const Vec3<S> turn = parent ? cross(parent->w, x.pose.d) : o;
  const Vec3<S> w = parent ? transposed_times(x.pose.R, parent->w) : o;
  const Vec3<S> v = parent ? transposed_times(x.pose.R, parent->v + turn) : o;
  t.w = w + rate.w;
  t.v = v + rate.v;
  t.shift = turn + x.pose.R * rate.v;
  const bool fixed = has_fixed_axis(body.joint);
  t.carrier_w = fixed ? t.w : w, t.carrier_v = fixed ? t.v : v, t.joint_v = fixed ? o : rate.v;
}

/// Moments of body i alone: ρ^ = w × ρ, and (ω × ρ) × (w × ρ) = ρ (ρ · (ω × w)).
template <class S, class N>
void weigh_test(const Inertia<N>& I, const BodyMoments<S>& x, MultiplierMotion<S>& t) {
  const Sym3<N>& s = I.moments;
  const Mat3<N> second{{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> g = cross(t.w, Vec3<N>{{second(r, 0), second(r, 1), second(r, 2)}});
    keep(lanes(g[0], g[1], g[2], S(0.0)), t.rate[r]);
  }
  t.p = cross(t.w, I.h);
  t.kappa = second * cross(x.motion.w, t.w);
}

/// Adds the subtree's moments (mass m) to its parent's: ρ shifts by d, ρ' by w, ρ^ by w^.
template <class S>
void gather_test(const BodyMoments<S>& x, const MultiplierMotion<S>& t, SubtreeMass<S> m, MultiplierMotion<S>& parent) {
  const Mat3<S>& R = x.pose.R;
  const Vec3<S>&d = x.pose.d, &w = x.w, &shift = t.shift;
  const Vec3<S> h = R * x.h(), p = R * x.p(), pt = R * t.p, hm = h + m * d, pm = p + m * w;
  const auto row = [](const S& a, const S& b, const S& c) { return lanes(a, b, c, S(0.0)); };
  const simd<S, 4> columns[3] = {row(R(0, 0), R(1, 0), R(2, 0)), row(R(0, 1), R(1, 1), R(2, 1)),
                                 row(R(0, 2), R(1, 2), R(2, 2))};
  const simd<S, 4> pt4 = row(pt[0], pt[1], pt[2]), shift4 = row(shift[0], shift[1], shift[2]);
  for (int r = 0; r < 3; ++r) {
    const simd<S, 4> rg = R(r, 0) * load(t.rate[0]) + R(r, 1) * load(t.rate[1]) + R(r, 2) * load(t.rate[2]);
    keep(load(parent.rate[r]) + rg[0] * columns[0] + rg[1] * columns[1] + rg[2] * columns[2] + d[r] * pt4 + hm[r] * shift4,
         parent.rate[r]);
  }
  parent.p += pt + m * shift;
  parent.kappa += R * t.kappa + cross(w, pt) + cross(pm, shift);
}

}  // namespace SPARSEDYN_CODE
}  // namespace detail

inline namespace SPARSEDYN_CODE {

/// The multiplier motion of every body and its moments, after moment_passes. lambda: nv.
template <class S>
void test_passes(const Model& model, const MomentWorkspace<S>& moments, const S* lambda, MultiplierMotion<S>* test) noexcept {
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const Body& body = model.bodies[i];
    detail::move_test(body, moments.bodies[i], body.parent < 0 ? nullptr : test + body.parent, lambda, test[i]);
    with_inertia<S>(body.inertia, [&](const auto& I) { detail::weigh_test(I, moments.bodies[i], test[i]); });
  }
  for (int i = n - 1; i > 0; --i)
    if (model.bodies[i].parent >= 0)
      detail::gather_test(moments.bodies[i], test[i], moments.mass[i], test[model.bodies[i].parent]);
}

}  // namespace SPARSEDYN_CODE

}  // namespace sparsedyn
