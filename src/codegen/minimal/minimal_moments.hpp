// Moments of the mass below each joint of a MinimalTree, in the body's axes: where derivatives start from.
#pragma once

#include "minimal_motion.hpp"

namespace sparsedyn {

/// Sums over the mass m below a joint: Σ = Σ m ρρᵀ, G = Σ m ρρ'ᵀ, h = Σ m ρ, p = Σ m ρ', and the wrench (N, F).
template <class S>
struct MinimalMoments {
  S m;
  Sym3<S> second;
  Mat3<S> rate;
  Vec3<S> h, p;
  Force<S> wrench;
};

/// Of body i alone: G = Σ [ω]×ᵀ, p = ω × h.
template <class S>
MinimalMoments<S> minimal_moments(const Inertia<S>& I, const Vec3<S>& w, const Force<S>& wrench) {
  const Mat3<S> s = dense(I.moments);
  MinimalMoments<S> x{I.m, I.moments, {}, I.h, cross(w, I.h), wrench};
  for (int r = 0; r < 3; ++r) {
    const Vec3<S> row = cross(w, Vec3<S>{{s(r, 0), s(r, 1), s(r, 2)}});
    for (int k = 0; k < 3; ++k) x.rate(r, k) = row[k];
  }
  return x;
}

/// Velocity of the body's origin relative to the parent's, in axes before the joint's turn.
template <class S>
Vec3<S> rate_of_shift(const MinimalBody& b, const MinimalPose<S>& x, const Vec3<S>& parent_w, const S& v) {
  const Vec3<S> rate = cross(to_joint(x, parent_w), x.shift);
  return b.joint == BodyJoint::prismatic ? rate + Vec3<S>{{S(0.0), S(0.0), v}} : rate;
}

/// About the parent's origin, in the parent's axes: Σ += h dᵀ + d (h + m d)ᵀ, G += d pᵀ + (h + m d) wᵀ, p += m w.
template <class S>
MinimalMoments<S> minimal_to_parent(const MinimalPose<S>& x, const Vec3<S>& w, const MinimalMoments<S>& y) {
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
          minimal_to_parent(x, y.wrench)};
}

template <class S>
MinimalMoments<S> operator+(const MinimalMoments<S>& a, const MinimalMoments<S>& b) {
  return {a.m + b.m, a.second + b.second, a.rate + b.rate, a.h + b.h, a.p + b.p, a.wrench + b.wrench};
}

/// Motion of all bodies, moments below all joints, and the rates of the shifts between them.
template <class S>
struct MinimalPasses {
  MinimalMotion<S> motion;
  std::vector<MinimalMoments<S>> moments;
  std::vector<Vec3<S>> rate;
};

/// tree: in metres and not balanced. fx: as in minimal_forward_pass. `twice`: G, p and the rates, which are linear in
/// velocities, are twice themselves.
template <class S>
MinimalPasses<S> minimal_moment_passes(const MinimalTree& tree, const S* q, const S* v, const S* a, const Force<S>* fx,
                                       bool twice = false) {
  const std::size_t n = tree.bodies.size();
  MinimalPasses<S> x{minimal_forward_pass(tree, q, v, a, fx), {}, {n, zero3<S>()}};
  const MinimalMotion<S>& m = x.motion;
  const auto scaled = [&](const auto& y) { return twice ? y + y : y; };
  for (std::size_t i = 0; i < n; ++i) {
    const MinimalBody& b = tree.bodies[i];
    x.moments.push_back(minimal_moments(m.pose[i].inertia, scaled(m.motion[i].w), m.force[i]));
    if (b.parent >= 0) x.rate[i] = rate_of_shift(b, m.pose[i], scaled(m.motion[b.parent].w), scaled(v[b.v]));
  }
  for (std::size_t i = n; i-- > 0;)
    if (const int parent = tree.bodies[i].parent; parent >= 0)
      x.moments[parent] = x.moments[parent] + minimal_to_parent(m.pose[i], x.rate[i], x.moments[i]);
  return x;
}

}  // namespace sparsedyn
