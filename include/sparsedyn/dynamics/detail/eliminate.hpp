// One joint's part in the articulated-body algorithm. Freedoms are eliminated one at a time, the last of a joint first: as
// S is constant, a joint with several freedoms is a row of joints with one, without anything between them.
#pragma once

#include <type_traits>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/dynamics/workspace.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/scalar/detail/traits.hpp"
#include "sparsedyn/spatial/detail/component.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Sᵀ x for freedom k of a joint.
template <class S, class T>
T along_freedom(const Body& body, const S& pitch, int k, const Force<T>& x) {
  const JointFreedom freedom = freedom_of(body.joint, k);
  const T& along = component(x, freedom.axis);
  return freedom.slides < 0 ? along : along + pitch * component(x, freedom.slides);
}
/// y ← y + S a.
template <class S, class T>
void add_along_freedom(const Body& body, const S& pitch, int k, const T& a, Motion<T>& y) {
  const JointFreedom freedom = freedom_of(body.joint, k);
  T& along = component(y, freedom.axis);
  along = along + a;
  if (freedom.slides < 0) return;
  T& sliding = component(y, freedom.slides);
  sliding = sliding + pitch * a;
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

/// One freedom: U = I S, D = Sᵀ U + armature, u = τ − Sᵀ p given, I ← I − U D⁻¹ Uᵀ, p ← p + U D⁻¹ u. True if D is singular.
/// `size`: the trace of the block of I that D is in.
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

/// Sᵀ I S and what the joint's rotor adds to it.
template <class S>
S with_armature(const S& D, double armature) {
  return armature == 0 ? D : D + robot_number<S>(armature);
}

/// A freedom along a coordinate axis, known when this is compiled; `gone`: bits of the axes of the joint's freedoms that were
/// eliminated before, about which I has nothing left.
template <int axis, unsigned gone, class S>
bool eliminate_axis(double armature, ArticulatedInertia<S>& I, Force<S>& p, const S& tau,
                    EliminatedFreedom<S>& freedom) noexcept {
  const S size = axis < 3 ? I.A.xx + I.A.yy + I.A.zz : I.C.xx + I.C.yy + I.C.zz;
  const Force<S> U = column(I, axis);
  const S D = component(U, axis), u = tau - component(p, axis);
  if (armature != 0) return eliminate_freedom<S>(I, p, U, with_armature(D, armature), u, size, freedom);
  constexpr unsigned without = gone | 1u << axis;
  const S inverse = S(1.0) / D;
  Force<S> g{zero3<S>(), zero3<S>()};
  for (int k = 0; k < 6; ++k)
    if (!(without >> k & 1u)) {
      component(g, k) = inverse * component(U, k);
      component(p, k) = component(p, k) + u * component(g, k);
    }
  component(p, axis) = tau;
  subtract_outer<without>(I, U, g, std::make_integer_sequence<int, 36>{});
  clear_axis(I, axis);
  freedom = {U, inverse, u};
  return is_singular_pivot(D, size);
}

/// The same for one that also slides: S = e_axis + pitch e_slides.
template <int axis, int slides, class S>
bool eliminate_screw(const S& pitch, double armature, ArticulatedInertia<S>& I, Force<S>& p, const S& tau,
                     EliminatedFreedom<S>& freedom) noexcept {
  const auto along = [&](const Force<S>& f) { return component(f, axis) + pitch * component(f, slides); };
  const S size = axis < 3 ? I.A.xx + I.A.yy + I.A.zz : I.C.xx + I.C.yy + I.C.zz;
  const Force<S> about = column(I, axis), sliding = column(I, slides);
  const Force<S> U{about.n + pitch * sliding.n, about.f + pitch * sliding.f};
  return eliminate_freedom<S>(I, p, U, with_armature(along(U), armature), tau - along(p), size, freedom);
}

/// Whether the last pivots of a joint with several freedoms are nothing but rounding: a massless floating root on which all
/// hangs by one hinge leaves the last of its freedoms nothing else. Pivot D_k = wᵀ I w, where w is the motion of the freedoms
/// eliminated before when k moves by one and nothing drives them; rounding of I, of about ε √(s_j s_m) in an entry, s: traces
/// of its blocks, makes about ε Σ s_j w_j² of it (as detail::is_rounding for M).
template <class S>
class JointRounding {
 public:
  JointRounding(const Body& body, const ArticulatedInertia<S>& I)
      : body_(body), turn_(I.A.xx + I.A.yy + I.A.zz), shift_(I.C.xx + I.C.yy + I.C.zz) {}
  /// After freedom k of the joint, of those in `freedom`, with pivot D. Looks closer from the first small pivot on.
  bool swallows(int k, const S& D, const EliminatedFreedom<S>* freedom) {
    small_ = small_ || is_small_pivot(D, size(k));
    return small_ && is_within_rounding(D, spread(k, freedom));
  }

 private:
  const S& size(int k) const { return is_shift(body_.joint, k) ? shift_ : turn_; }
  /// Σ s_j w_j² of freedom k and those after it.
  [[gnu::cold, gnu::noinline]] double spread(int k, const EliminatedFreedom<S>* freedom) const {
    S w[6];
    double sum = 0;
    for (int m = k; m < freedoms(body_.joint); ++m) {
      w[m] = m == k ? S(1.0) : S(0.0);
      for (int j = k; j < m; ++j)
        w[m] = w[m] - freedom[m].inverse * along_freedom(body_, S(body_.pitch), j, freedom[m].U) * w[j];
      sum += Magnitude<S>::of(size(m)) * Magnitude<S>::of(w[m]) * Magnitude<S>::of(w[m]);
    }
    return sum;
  }
  const Body& body_;
  S turn_, shift_;  // traces of the blocks
  bool small_ = false;
};

/// Bits of the axes of a joint's freedoms after the k-th.
template <class Joint>
constexpr unsigned axes_after(int k) {
  unsigned axes = 0;
  for (std::size_t j = static_cast<std::size_t>(k) + 1; j < Joint::freedoms.size(); ++j) axes |= 1u << Joint::freedoms[j].axis;
  return axes;
}

/// For scalars without values.
struct NoRounding {
  template <class S>
  NoRounding(const Body&, const ArticulatedInertia<S>&) {}
  template <class S>
  bool swallows(int, const S&, const EliminatedFreedom<S>*) {
    return false;
  }
};

/// Any joint, its last freedom first; tau, freedom: all of nv. I, p: the body's articulated inertia and wrench, in its frame.
/// Returns the entry of v whose D is singular, or -1.
template <class S>
int eliminate_freedoms(const Body& body, double armature, ArticulatedInertia<S>& I, Force<S>& p, const S* tau,
                       EliminatedFreedom<S>* freedom) noexcept {
  int singular = -1;
  with_joint(body.joint, [&](auto joint) {
    using Joint = decltype(joint);
    constexpr int n = static_cast<int>(Joint::freedoms.size());
    std::conditional_t<Magnitude<S>::exists && (n > 1), JointRounding<S>, NoRounding> rounding(body, I);
    for_each_freedom<Joint>([&](auto before) {
      constexpr int k = n - 1 - before;
      constexpr JointFreedom along = Joint::freedoms[k];
      const int j = body.v + k;
      bool vanishes;
      if constexpr (along.slides < 0)
        vanishes = eliminate_axis<along.axis, axes_after<Joint>(k)>(armature, I, p, tau[j], freedom[j]);
      else
        vanishes = eliminate_screw<along.axis, along.slides>(S(body.pitch), armature, I, p, tau[j], freedom[j]);
      const bool is_rounding = rounding.swallows(k, along_freedom(body, S(body.pitch), k, freedom[j].U), freedom + body.v);
      if ((vanishes || is_rounding) && singular < 0) singular = j;
    });
  });
  return singular;
}

/// The same for a freedom about z without armature: its row and column of A and its row of B become zero.
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

/// Whether nothing of I is left about the joint's axis: the parent feels no inertia there. A rotor's it does feel.
inline bool leaves_axis_free(const Body& body, double armature) { return body.joint == BodyJoint::revolute && armature == 0; }

/// A joint, by the formulas that suit it. armature: of its freedom (0 where it has several).
template <class S>
[[gnu::always_inline]] inline int eliminate_joint(const Body& body, double armature, ArticulatedInertia<S>& I, Force<S>& p,
                                                  const S* tau, EliminatedFreedom<S>* freedom) noexcept {
  return leaves_axis_free(body, armature) ? eliminate_revolute(body, I, p, tau, freedom)
                                          : eliminate_freedoms(body, armature, I, p, tau, freedom);
}

/// What is left of I for the parent, in its frame.
template <class S>
ArticulatedInertia<S> carried_to_parent(const Body& body, double armature, const Pose<S>& pose,
                                        const ArticulatedInertia<S>& I) {
  return leaves_axis_free(body, armature) ? to_parent_free_about_z(pose, I) : to_parent(pose, I);
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
    const int j = body.v + k;
    const EliminatedFreedom<S>& e = freedom[j];
    a[j] = e.inverse * (e.u - dot(delta, e.U));
    add_along_freedom(body, Constant<S>(body.pitch), k, a[j], delta);
  }
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
