// The Coriolis matrix and M on a MinimalTree: the columns of coriolis.hpp, passed along axial screws and along parallel joints
// without a turn.
#pragma once

#include "minimal_moments.hpp"
#include "sparsedyn/dynamics/coriolis.hpp"

namespace sparsedyn {

/// Freedom c of a body: about e_z, along e_z by a metre, or, of a free base, about and along each axis.
inline Motion<double> minimal_screw(const MinimalBody& b, int c, double metre) {
  Motion<double> e{zero3<double>(), zero3<double>()};
  if (b.joint == BodyJoint::floating)
    (c < 3 ? e.w : e.v)[c % 3] = c < 3 ? 1 : metre;
  else
    (b.joint == BodyJoint::revolute ? e.w : e.v)[2] = b.joint == BodyJoint::revolute ? 1 : metre;
  return e;
}

template <class S>
detail::CoriolisColumn<S> minimal_to_parent(const MinimalPose<S>& x, const Vec3<S>& rate, const detail::CoriolisColumn<S>& y) {
  const Force<S> column = minimal_to_parent(x, Force<S>{y.n, y.f}), below = minimal_to_parent(x, Force<S>{y.N, y.F});
  return {column.f, column.n, from_joint(x, turn_z(x.turn, y.k) + cross(rate, turn_z(x.turn, y.f))), below.f, below.n};
}

/// As coriolis, in SI units; tree: not balanced. Inside, lengths are in the tree's unit, and a linear freedom moves by `metre`
/// of it.
template <class S>
void minimal_coriolis(const MinimalTree& tree, const S* q_m, const S* v_m, const CoriolisMatrices<S>& out) {
  const double metre = 1 / tree.unit;
  const std::vector<S> q = coordinates_in_unit(tree, q_m), v = linear_scaled(tree, v_m, metre);
  const MinimalPasses<S> passes =
      minimal_moment_passes(tree, q.data(), v.data(), static_cast<const S*>(nullptr), static_cast<const Force<S>*>(nullptr));
  const MinimalMotion<S>& motion = passes.motion;
  const int nv = tree.nv;
  for (S* matrix : {out.C, out.M}) std::fill(matrix, matrix + nv * nv, S(0.0));
  const auto meet = [&](int i, int j, const detail::CoriolisColumn<S>& y, bool ancestor) {
    const MinimalBody& b = tree.bodies[j];
    const Vec3<S>& w = motion.motion[j].w;
    for (int c = 0; c < freedoms(b.joint); ++c) {
      const Motion<double> e = minimal_screw(b, c, metre);
      const int k = b.v + c;
      out.C[i * nv + k] = dot(e, Force<S>{cross(y.n, w) + y.k, cross(y.f, w)});
      out.M[i * nv + k] = dot(e, Force<S>{y.n, y.f});
      if (ancestor) out.C[k * nv + i] = dot(e, Force<S>{y.N, y.F}), out.M[k * nv + i] = out.M[i * nv + k];
    }
  };
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const MinimalMoments<S>& m = passes.moments[i];
    const CoriolisMoments<S> below{motion.motion[i].w, m.m, m.h, m.p, m.second, m.rate};
    for (int c = 0; c < freedoms(tree.bodies[i].joint); ++c) {
      const int freedom = tree.bodies[i].v + c;
      detail::CoriolisColumn<S> y = detail::coriolis_column(below, minimal_screw(tree.bodies[i], c, metre));
      meet(freedom, i, y, false);
      for (int j = i; tree.bodies[j].parent >= 0;) {
        y = minimal_to_parent(motion.pose[j], passes.rate[j], y);
        j = tree.bodies[j].parent;
        meet(freedom, j, y, true);
      }
    }
  }
}

}  // namespace sparsedyn
