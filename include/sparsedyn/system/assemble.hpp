// System::assemble for any scalar. Included where a scalar other than double is put in.
#pragma once

#include "sparsedyn/model/joint.hpp"
#include "sparsedyn/system/sensor_rows.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

namespace detail {

/// Takes the varying numbers as they come. (Where they stand in the matrix was noted once, when the pattern was derived.)
template <class S>
struct ValueSink {
  S* next;
  void number(const S& x) { *next++ = x; }
  void at(int, int) {}
  void entry(int, int, const S& x) { number(x); }
};

/// Writes a body's pose against its parent into the matrix: −iX_λ = −(Rᵀ, −Rᵀ[d]×) in the rows (a) of the body and its
/// transpose, −(R, [d]×R), in the rows (f) of the parent.
template <class S, class Sink>
void write_transform(const BodyTerms& child, const BodyTerms& parent, const Pose<S>& X, Sink& sink) {
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

template <class S>
void write_motion(const Motion<S>& m, S* rhs) {
  for (int k = 0; k < 3; ++k) rhs[k] = m.w[k], rhs[3 + k] = m.v[k];
}
template <class S>
void write_force(const Force<S>& x, S* rhs) {
  for (int k = 0; k < 3; ++k) rhs[k] = x.n[k], rhs[3 + k] = x.f[k];
}

}  // namespace detail

/// The entries that vary, and the right-hand side.
template <class S, class Sink>
void System::write(const S* q, const S* v, const S* y, S* rhs, Sink& sink, SystemWorkspace<S>& work) const {
  using C = Constant<S>;
  for (std::size_t b = 0; b < terms_.size(); ++b) {
    const BodyTerms& t = terms_[b];
    Pose<S>& X = work.X[b];
    X = joint_pose(t.joint, q);
    Motion<S> joint_velocity = joint_motion(t.joint, v);
    if (t.turned) {
      const Mat3<C> R = cast<C>(t.link_R);
      X.R = X.R * R;
      joint_velocity = {transposed_times(R, joint_velocity.w), transposed_times(R, joint_velocity.v)};
    }
    Motion<S> c;
    if (t.parent < 0) {
      work.v[b] = joint_velocity;
      c = {zero3<S>(), transposed_times(X.R, cast<C>(-model_.gravity))};
    } else {
      work.v[b] = to_child(X, work.v[t.parent]) + joint_velocity;
      c = cross(work.v[b], joint_velocity);
      detail::write_transform(t, terms_[t.parent], X, sink);
    }
    if (needs_world_) work.world[b] = t.parent < 0 ? X : work.world[t.parent] * X;
    detail::write_motion(c, rhs + t.kinematics);
    const Force<S> none{zero3<S>(), zero3<S>()};
    detail::write_force(t.massless ? none : cross(work.v[b], cast<C>(t.inertia) * work.v[b]), rhs + t.wrench);
    for (int k = 0; k < freedoms(t.joint.joint); ++k) rhs[t.torque + k] = S(0.0);
  }
  for (const KnownWrench& known : known_wrenches_) {
    const int body = model_.links[known.link].body;
    if (body < 0) continue;
    const Force<S> x = to_parent(cast<C>(link_in_leading_[known.link]), known_wrench(measurements_[known.measurement], y));
    for (int k = 0; k < 3; ++k) rhs[terms_[body].wrench + k] -= x.n[k], rhs[terms_[body].wrench + 3 + k] -= x.f[k];
  }
  for (const Reading& r : readings_) rhs[r.row] = r.input >= 0 ? y[r.input] : S(r.constant);
  for (int m : varying_sensors_) write_sensor_rows(*this, measurements_[m], y, work, rhs, sink);
}

template <class S>
void System::assemble(const S* q, const S* v, const S* y, S* values, S* rhs, SystemWorkspace<S>& work) const noexcept {
  for (std::size_t k = 0; k < constants_.size(); ++k) values[k] = S(constants_[k]);
  detail::ValueSink<S> sink{work.varying.data()};
  write(q, v, y, rhs, sink, work);
  for (const Placed& p : placed_) values[p.value] = work.varying[p.varying];
}

}  // namespace sparsedyn
