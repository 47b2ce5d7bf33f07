// One joint's part in the articulated-body algorithm. Freedoms are eliminated one at a time, the last of a joint first: as
// S is constant, a joint with several freedoms is a row of joints with one, without anything between them.
#pragma once

#include <type_traits>

#include "sparsedyn/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"
#include "sparsedyn/spatial/detail/component.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Freedom k of a joint: along axis k of its angular (0–2) or linear (3–5) unit motions. A helical one is also
/// `pitch` times linear z.
constexpr int freedom_axis(BodyJoint j, int k) {
  switch (j) {
    case BodyJoint::prismatic: return 5;
    case BodyJoint::planar: return k == 2 ? 2 : 3 + k;
    case BodyJoint::spherical:
    case BodyJoint::floating: return k;
    default: return 2;
  }
}

/// I e_axis.
template <class S>
Force<S> column(const ArticulatedInertia<S>& I, int axis) {
  const auto of = [](const Sym3<S>& s, int k) {
    return k == 0 ? Vec3<S>{{s.xx, s.xy, s.xz}} : k == 1 ? Vec3<S>{{s.xy, s.yy, s.yz}} : Vec3<S>{{s.xz, s.yz, s.zz}};
  };
  const Mat3<S>& B = I.B;
  if (axis < 3) return {of(I.A, axis), {{B(axis, 0), B(axis, 1), B(axis, 2)}}};
  return {{{B(0, axis - 3), B(1, axis - 3), B(2, axis - 3)}}, of(I.C, axis - 3)};
}

/// One freedom: U = I S, D = Sᵀ U, u = τ − Sᵀ p given, I ← I − U D⁻¹ Uᵀ, p ← p + U D⁻¹ u. True if D is singular. `size`: the
/// trace of the block of I that D is in.
template <class S>
bool eliminate_freedom(ArticulatedInertia<S>& I, Force<S>& p, const Force<S>& U, const S& D, const S& u, const S& size,
                       EliminatedFreedom<S>& freedom) noexcept {
  const S inverse = S(1.0) / D;
  const Force<S> g{inverse * U.n, inverse * U.f};
  I = minus_outer(I, U, g);
  p = {p.n + u * g.n, p.f + u * g.f};
  freedom = {U, inverse, u};
  return is_singular_pivot(D, size);
}

/// A freedom along a coordinate axis, known when this is compiled.
template <int axis, class S>
bool eliminate_axis(ArticulatedInertia<S>& I, Force<S>& p, const S& tau, EliminatedFreedom<S>& freedom) noexcept {
  const S size = axis < 3 ? I.A.xx + I.A.yy + I.A.zz : I.C.xx + I.C.yy + I.C.zz;
  const Force<S> U = column(I, axis);
  return eliminate_freedom<S>(I, p, U, component(U, axis), tau - component(p, axis), size, freedom);
}

template <class S>
bool eliminate_helical(const S& pitch, ArticulatedInertia<S>& I, Force<S>& p, const S& tau,
                       EliminatedFreedom<S>& freedom) noexcept {
  const auto along = [&](const Force<S>& f) { return f.n[2] + pitch * f.f[2]; };
  const Force<S> about_z = column(I, 2), along_z = column(I, 5);
  const Force<S> U{about_z.n + pitch * along_z.n, about_z.f + pitch * along_z.f};
  return eliminate_freedom<S>(I, p, U, along(U), tau - along(p), I.A.xx + I.A.yy + I.A.zz, freedom);
}

/// Whether the last pivots of a joint with several freedoms are nothing but rounding: a massless floating root on which all
/// hangs by one hinge leaves the last of its freedoms nothing else. Pivot D_k = wᵀ I w, where w is the motion of the freedoms
/// eliminated before when k moves by one and nothing drives them; rounding of I, of about ε √(s_j s_m) in an entry, s: traces
/// of its blocks, makes about ε Σ s_j w_j² of it (as detail::is_rounding for M).
template <class S>
class JointRounding {
 public:
  JointRounding(BodyJoint joint, const ArticulatedInertia<S>& I)
      : joint_(joint), turn_(I.A.xx + I.A.yy + I.A.zz), shift_(I.C.xx + I.C.yy + I.C.zz) {}
  /// After freedom k of the joint, of those in `freedom`, with pivot D. Looks closer from the first small pivot on.
  bool swallows(int k, const S& D, const EliminatedFreedom<S>* freedom) {
    small_ = small_ || is_small_pivot(D, size(k));
    return small_ && is_within_rounding(D, spread(k, freedom));
  }

 private:
  const S& size(int k) const { return freedom_axis(joint_, k) < 3 ? turn_ : shift_; }
  /// Σ s_j w_j² of freedom k and those after it.
  [[gnu::cold, gnu::noinline]] double spread(int k, const EliminatedFreedom<S>* freedom) const {
    S w[6];
    double sum = 0;
    for (int m = k; m < freedoms(joint_); ++m) {
      w[m] = m == k ? S(1.0) : S(0.0);
      for (int j = k; j < m; ++j) w[m] = w[m] - freedom[m].inverse * component(freedom[m].U, freedom_axis(joint_, j)) * w[j];
      sum += Magnitude<S>::of(size(m)) * Magnitude<S>::of(w[m]) * Magnitude<S>::of(w[m]);
    }
    return sum;
  }
  BodyJoint joint_;
  S turn_, shift_;  // traces of the blocks
  bool small_ = false;
};

/// For scalars without values.
struct NoRounding {
  template <class S>
  NoRounding(BodyJoint, const ArticulatedInertia<S>&) {}
  template <class S>
  bool swallows(int, const S&, const EliminatedFreedom<S>*) {
    return false;
  }
};

/// Any joint, its last freedom first; tau, freedom: all of nv. I, p: the body's articulated inertia and wrench, in its frame.
/// Returns the entry of v whose D is singular, or -1.
template <class S>
int eliminate_freedoms(const Body& body, ArticulatedInertia<S>& I, Force<S>& p, const S* tau,
                       EliminatedFreedom<S>* freedom) noexcept {
  int singular = -1;
  std::conditional_t<Magnitude<S>::exists, JointRounding<S>, NoRounding> rounding(body.joint, I);
  const auto eliminate = [&](auto axis, int j) {
    constexpr int k = decltype(axis)::value;
    const bool vanishes = eliminate_axis<k>(I, p, tau[j], freedom[j]);
    const S& D = component(freedom[j].U, k);
    const bool is_rounding = freedoms(body.joint) > 1 && rounding.swallows(j - body.v, D, freedom + body.v);
    if ((vanishes || is_rounding) && singular < 0) singular = j;
  };
  const int v = body.v;
  using std::integral_constant;
  switch (body.joint) {
    case BodyJoint::fixed: break;
    case BodyJoint::revolute: eliminate(integral_constant<int, 2>{}, v); break;
    case BodyJoint::prismatic: eliminate(integral_constant<int, 5>{}, v); break;
    case BodyJoint::helical:
      if (eliminate_helical(S(body.pitch), I, p, tau[v], freedom[v])) singular = v;
      break;
    case BodyJoint::planar:
      eliminate(integral_constant<int, 2>{}, v + 2);
      eliminate(integral_constant<int, 4>{}, v + 1);
      eliminate(integral_constant<int, 3>{}, v);
      break;
    case BodyJoint::floating:
      eliminate(integral_constant<int, 5>{}, v + 5);
      eliminate(integral_constant<int, 4>{}, v + 4);
      eliminate(integral_constant<int, 3>{}, v + 3);
      [[fallthrough]];
    case BodyJoint::spherical:
      eliminate(integral_constant<int, 2>{}, v + 2);
      eliminate(integral_constant<int, 1>{}, v + 1);
      eliminate(integral_constant<int, 0>{}, v);
      break;
  }
  return singular;
}

/// The same for a freedom about z, whose row and column of A and row of B become zero.
template <class S>
int eliminate_revolute(const Body& body, ArticulatedInertia<S>& I, Force<S>& p, const S* tau,
                       EliminatedFreedom<S>* freedom) noexcept {
  const int j = body.v;
  const S o(0.0), D = I.A.zz;
  const bool singular = is_singular_pivot(D, S(I.A.xx + I.A.yy + D));
  const Force<S> U{{{I.A.xz, I.A.yz, D}}, {{I.B(2, 0), I.B(2, 1), I.B(2, 2)}}};
  const S inverse = S(1.0) / D, u = tau[j] - p.n[2];
  const S gx = inverse * U.n[0], gy = inverse * U.n[1];
  const Vec3<S> gf = inverse * U.f;
  I.A = {I.A.xx - gx * U.n[0], I.A.xy - gx * U.n[1], o, I.A.yy - gy * U.n[1], o, o};
  for (int k = 0; k < 3; ++k) {
    I.B(0, k) = I.B(0, k) - gx * U.f[k];
    I.B(1, k) = I.B(1, k) - gy * U.f[k];
    I.B(2, k) = o;
  }
  I.C = minus_outer(I.C, gf, U.f);
  p = {{{p.n[0] + u * gx, p.n[1] + u * gy, tau[j]}}, p.f + u * gf};
  freedom[j] = {U, inverse, u};
  return singular ? j : -1;
}

/// A joint, by the formulas that suit it.
template <class S>
int eliminate_joint(const Body& body, ArticulatedInertia<S>& I, Force<S>& p, const S* tau,
                    EliminatedFreedom<S>* freedom) noexcept {
  return body.joint == BodyJoint::revolute ? eliminate_revolute(body, I, p, tau, freedom)
                                           : eliminate_freedoms(body, I, p, tau, freedom);
}

/// What is left of I for the parent, in its frame.
template <class S>
ArticulatedInertia<S> carried_to_parent(const Body& body, const Pose<S>& pose, const ArticulatedInertia<S>& I) {
  return body.joint == BodyJoint::revolute ? to_parent_free_about_z(pose, I) : to_parent(pose, I);
}

/// q̈ = D⁻¹ (u − Uᵀ δ), δ ← δ + S q̈ for each freedom in turn. delta: what reaches the body; a: all of nv.
template <class S>
void joint_acceleration(const Body& body, const EliminatedFreedom<S>* freedom, Motion<S>& delta, S* a) noexcept {
  if (body.joint == BodyJoint::revolute) {
    const EliminatedFreedom<S>& e = freedom[body.v];
    const S acceleration = e.inverse * (e.u - dot(delta, e.U));
    a[body.v] = acceleration;
    delta.w[2] = delta.w[2] + acceleration;
    return;
  }
  for (int k = 0; k < freedoms(body.joint); ++k) {
    const int axis = freedom_axis(body.joint, k), j = body.v + k;
    const EliminatedFreedom<S>& e = freedom[j];
    a[j] = e.inverse * (e.u - dot(delta, e.U));
    S& along = component(delta, axis);
    along = along + a[j];
    if (body.joint == BodyJoint::helical) delta.v[2] = delta.v[2] + Constant<S>(body.pitch) * a[j];
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
