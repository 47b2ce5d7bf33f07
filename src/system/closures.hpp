// Hard constraints as rows, φ: the first link's point less the second's, and their relative turn:
//   J a + J̇ v = −2 ω J v − ω² φ,   and Jᵀ λ on the bodies, beside their other wrenches.
// Both are made of the same numbers: R e_k of each link's axes and the arm's moments with them.
#pragma once

#include <cmath>

#include "sparsedyn/scalar/detail/traits.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn::detail {

/// The anchor of one side, in world axes; `drift`: its acceleration where the unknown (proper) acceleration is zero.
template <class S>
struct AnchorMotion {
  Pose<S> pose;
  Vec3<S> w, v, drift;
};

template <class S>
AnchorMotion<S> anchor_motion(const System& system, const ClosureSide& side, const SystemWorkspace<S>& work) {
  using C = Constant<S>;
  const Pose<C> anchor = cast<C>(side.anchor);
  if (side.body < 0) return {cast<S>(side.anchor), zero3<S>(), zero3<S>(), zero3<S>()};
  const Pose<S>& body = work.world[side.body];
  const Motion<S>& motion = work.v[side.body];
  const Vec3<S> speed = motion.v + cross(motion.w, anchor.d);
  return {{body.R * anchor.R, body.R * anchor.d + body.d},
          body.R * motion.w,
          body.R * speed,
          body.R * cross(motion.w, speed) + cast<C>(system.model().gravity)};
}

/// R = R2ᵀ R1 as the vector part e of its quaternion (s, e), of turns below a half. With t = 1 + tr R = 4 s² and the axial
/// vector v = 4 s e of R, t² + |v|² = 16 s² and s² v + (e eᵀ) v = 4 s e: near half a turn, where t is a small difference, v and
/// e eᵀ have the digits that it lacks.
template <class S>
Vec3<S> turn_of(const Mat3<S>& R, S& s) {
  using C = Constant<S>;
  using std::sqrt;
  const S trace = R(0, 0) + R(1, 1) + R(2, 2), t = S(1.0) + trace, rest = C(0.25) * (S(1.0) - trace);
  const Vec3<S> v{{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)}};
  s = C(0.25) * sqrt(t * t + dot(v, v));
  const S xy = C(0.25) * (R(0, 1) + R(1, 0)), yz = C(0.25) * (R(1, 2) + R(2, 1)), zx = C(0.25) * (R(2, 0) + R(0, 2));
  const S squared = s * s, scale = C(0.25) / s;
  const auto along = [&](int i, const S& a, int j, const S& b, int k) {
    return scale * ((squared + C(0.5) * R(i, i) + rest) * v[i] + a * v[j] + b * v[k]);
  };
  return {{along(0, xy, 1, zx, 2), along(1, yz, 2, xy, 0), along(2, zx, 0, yz, 1)}};
}

/// What the relative angular acceleration R2ᵀ (α1 − α2) is to be. With ė = G w, G = ½ (s 1 − [e]×), w = R2ᵀ (ω1 − ω2):
///   G ẇ + Ġ w = −2 ω G w − ω² e,   R2ᵀ (α1 − α2) = ẇ + ω2 × w,   G⁻¹ x = 2/s (s² x + e (e·x) + s e × x)
template <class S>
Vec3<S> turning_aim(const AnchorMotion<S>& first, const AnchorMotion<S>& second, double omega) {
  using C = Constant<S>;
  const Vec3<S> w2 = transposed_times(second.pose.R, second.w), w = transposed_times(second.pose.R, first.w) - w2;
  S s;
  const Vec3<S> e = turn_of<S>(transpose(second.pose.R) * first.pose.R, s);
  const Vec3<S> rate = C(0.5) * (s * w - cross(e, w));
  const Vec3<S> pull = C(omega * omega) * e + C(0.5) * (C(-0.5) * dot(w, e) * w - cross(rate, w));
  const Vec3<S> back = S(C(2.0) / s) * (S(s * s) * pull + S(dot(e, pull)) * e + s * cross(e, pull));
  return cross(w2, w) - C(2 * omega) * w - back;
}

/// The axes of rows and force.
template <class S>
Mat3<S> closure_axes(const Closure& c, const SystemWorkspace<S>& work) {
  return c.axes < 0 ? identity3<S>() : work.world[c.axes].R * cast<Constant<S>>(c.axes_R);
}

/// R e of a body's axes, along the axes of rows and force.
template <class S>
Mat3<S> body_along(const Closure& c, int body, const SystemWorkspace<S>& work) {
  if (body == c.axes) return cast<S>(transpose(c.axes_R));
  return c.axes < 0 ? work.world[body].R : transpose(closure_axes(c, work)) * work.world[body].R;
}

/// One link's part in the rows and, turned about, the force's in the link's rows.
template <class S, class Sink>
void write_side(const System& system, const Closure& c, int k, const Mat3<S>& second, const SystemWorkspace<S>& work,
                Sink& sink) {
  const ClosureSide& side = c.sides[k];
  if (side.body < 0) return;
  const BodyTerms& t = system.terms()[side.body];
  const Mat3<S> along = body_along(c, side.body, work), &R = work.world[side.body].R;
  const auto arm = cast<Constant<S>>(side.anchor.d);
  const bool weld = c.type == ConstraintType::weld;
  for (int r = 0; r < 3; ++r) {
    const S sign(k == 0 ? 1.0 : -1.0);
    const Vec3<S> axis{{sign * along(r, 0), sign * along(r, 1), sign * along(r, 2)}}, moment = cross(arm, axis);
    for (int i = 0; i < 3; ++i) {
      sink.number(axis[i]);
      if (!c.redundant[r]) sink.at(c.first_row + r, t.acc + 3 + i);
      sink.at(t.wrench + 3 + i, c.force(r));
      if (weld) sink.at(t.wrench + i, c.force(3 + r));
      if (weld && c.turns_about_world()) sink.at(c.first_row + 3 + r, t.acc + i);
      sink.number(moment[i]);
      if (!c.redundant[r]) sink.at(c.first_row + r, t.acc + i);
      sink.at(t.wrench + i, c.force(r));
    }
    if (!weld || c.turns_about_world() || c.redundant[3 + r]) continue;
    const Vec3<S> turned = transposed_times(R, Vec3<S>{{sign * second(0, r), sign * second(1, r), sign * second(2, r)}});
    for (int i = 0; i < 3; ++i) sink.entry(c.first_row + 3 + r, t.acc + i, turned[i]);
  }
}

/// λ_world − R λ = 0, of a weld its moment's too.
template <class S, class Sink>
void write_world_force(const Closure& c, const Mat3<S>& R, S* rhs, Sink& sink) {
  for (int r = 0; r < c.rows && c.axes >= 0; ++r) {
    rhs[c.first_row + c.rows + r] = S(0.0);
    for (int i = 0; i < 3; ++i) sink.entry(c.first_row + c.rows + r, c.force(r / 3 * 3 + i), -R(r % 3, i));
  }
}

template <class S, class Sink>
void write_pair(const System& system, const Closure& c, S* rhs, Sink& sink, const SystemWorkspace<S>& work) {
  using C = Constant<S>;
  const AnchorMotion<S> first = anchor_motion(system, c.sides[0], work), second = anchor_motion(system, c.sides[1], work);
  for (int k = 0; k < 2; ++k) write_side(system, c, k, second.pose.R, work, sink);
  const Mat3<S> axes = closure_axes(c, work);
  const Vec3<S> in_world = second.drift - first.drift - C(2 * c.omega) * (first.v - second.v) -
                           C(c.omega * c.omega) * (first.pose.d - second.pose.d);
  const Vec3<S> aim = c.axes < 0 ? in_world : transposed_times(axes, in_world);
  write_world_force(c, axes, rhs, sink);
  for (int r = 0; r < 3; ++r) rhs[c.first_row + r] = c.redundant[r] ? S(0.0) : aim[r];
  if (c.type != ConstraintType::weld) return;
  const Vec3<S> about_second = turning_aim(first, second, c.omega);
  const Mat3<S> turned = c.axes < 0 ? second.pose.R : transpose(axes) * second.pose.R;  // the second frame, along the axes
  const Vec3<S> turning = c.turns_about_world() ? turned * about_second : about_second;
  for (int r = 0; r < 3; ++r) {
    rhs[c.first_row + 3 + r] = c.redundant[3 + r] ? S(0.0) : turning[r];
    if (!c.redundant[3 + r]) continue;
    Vec3<S> axis{{turned(0, r), turned(1, r), turned(2, r)}};  // less the shares of the others
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3 && c.shares[1](r, j) != 0; ++i) axis[i] = axis[i] - C(c.shares[1](r, j)) * turned(i, j);
    for (int i = 0; i < 3; ++i) sink.entry(c.first_row + 3 + r, c.force(3 + i), axis[i]);
  }
}

/// φ = q_j − p(q_l) − Σ c_k q_k. q, v: of the tree.
template <class S, class Sink>
void write_coupling(const Closure& c, const S* q, const S* v, S* rhs, Sink& sink) {
  using C = Constant<S>;
  const S x = c.q[1] < 0 ? S(0.0) : q[c.q[1]], rate = c.v[1] < 0 ? S(0.0) : v[c.v[1]];
  S p(0.0), slope(0.0), curvature(0.0);
  for (std::size_t k = c.polynomial.size(); k-- > 0;) {
    curvature = curvature * x + C(2.0) * slope;
    slope = slope * x + p;
    p = p * x + S(c.polynomial[k]);
  }
  if (c.v[1] >= 0) {
    sink.number(c.ratio[1] == 1 ? -slope : C(-c.ratio[1]) * slope);
    if (!c.redundant[0]) sink.at(c.first_row, c.ddq[1]);
    if (c.ratio[1] != 1) sink.number(-slope);
    sink.at(c.torque[1], c.lambda);
  }
  S speed = v[c.v[0]] - slope * rate, error = q[c.q[0]] - p;
  for (const ClosureTerm& term : c.linear)
    speed = speed - C(term.factor) * v[term.v], error = error - C(term.factor) * q[term.q];
  const S aim = curvature * rate * rate - C(2 * c.omega) * speed - C(c.omega * c.omega) * error;
  rhs[c.first_row] = c.redundant[0] ? S(0.0) : aim;
}

/// All that does not depend on the state.
template <class Sink>
void write_closure_constants(const Closure& c, Sink& sink) {
  if (c.type == ConstraintType::joint) sink.entry(c.torque[0], c.lambda, 1.0);
  if (c.type == ConstraintType::joint && !c.redundant[0]) sink.entry(c.first_row, c.ddq[0], c.ratio[0]);
  for (const ClosureTerm& term : c.linear) {
    sink.entry(term.torque, c.lambda, -term.factor);
    if (!c.redundant[0]) sink.entry(c.first_row, term.ddq, -term.factor * term.ratio);
  }
  for (int r = 0; r < c.rows && c.axes >= 0; ++r) sink.entry(c.first_row + c.rows + r, c.world_force(r), 1.0);
  for (int r = 0; r < c.rows && r < 3; ++r) {
    if (c.redundant[r]) sink.entry(c.first_row + r, c.force(r), 1.0);
    for (int j = 0; j < 3 && c.redundant[r]; ++j)
      if (c.shares[0](r, j) != 0) sink.entry(c.first_row + r, c.force(j), -c.shares[0](r, j));
  }
}

template <class S, class Sink>
void write_closure(const System& system, const Closure& c, const S* q, const S* v, S* rhs, Sink& sink,
                   const SystemWorkspace<S>& work) {
  if (c.type == ConstraintType::joint)
    write_coupling(c, q, v, rhs, sink);
  else
    write_pair(system, c, rhs, sink, work);
}

}  // namespace sparsedyn::detail
