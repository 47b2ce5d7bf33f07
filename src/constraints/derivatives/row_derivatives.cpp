#include "row_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "moved.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "sparsedyn/model/detail/rotations.hpp"

namespace sparsedyn {
/// Frame, velocity and acceleration of one link.
struct RowDerivatives::Side {
  Mat3<Moved> R;
  Vec3<Moved> point;
  Motion<Moved> velocity, acceleration;
  Vec3<double> turn = zero3<double>();  // of the frame

  Vec3<Moved> speed() const { return velocity.v + cross(velocity.w, point); }
  Vec3<Moved> change() const { return acceleration.v + cross(acceleration.w, point) + cross(velocity.w, speed()); }
};

RowDerivatives::RowDerivatives(const Model& model, const ConstraintRows& rows)
    : model_(model), rows_(rows), nv_(model.nv), column_(model.nv), turned_by_v_(model.nv) {
  const auto n = static_cast<std::size_t>(nv_), bodies = model.bodies.size();
  body_.resize(n);
  for (std::size_t b = 0; b < bodies; ++b)
    for (int c = 0; c < freedoms(model.bodies[b].joint); ++c) body_[model.bodies[b].v + c] = static_cast<int>(b);
  for (auto* motion : {&velocity_, &acceleration_, &pushed_}) motion->resize(bodies);
  for (auto* matrix : {&miss_q_, &miss_v_, &stiffness_q_}) matrix->resize(static_cast<std::size_t>(rows.rows()) * n);
  push_q_.resize(n * n), written_q_.resize(static_cast<std::size_t>(rows.forces()) * n);
}

const Motion<double>& RowDerivatives::of_parent(const std::vector<Motion<double>>& motion, int body) const noexcept {
  const int up = model_.bodies[body].parent;
  return up < 0 ? at_rest : motion[up];
}

bool RowDerivatives::carries(int freedom, int body) const noexcept {
  while (body > body_[freedom]) body = model_.bodies[body].parent;
  return body == body_[freedom];
}

void RowDerivatives::move_bodies(const Workspace<double>& ws, const double* v, const double* a) noexcept {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const Motion<double> own = joint_motion(body, v);
    const Vec3<double> change = cross(own.w, own.v);
    const int first = body.v, end = body.v + freedoms(body.joint);
    Motion<double> moves = at_rest, pushed = of_parent(pushed_, static_cast<int>(b)),
                   accelerates = of_parent(acceleration_, static_cast<int>(b));
    for (int i = first; i < end; ++i) {
      const Motion<double> s = motion_subspace(body, i - first);
      column_[i] = to_parent(ws.world_pose[b], s);
      moves = moves + scaled(v[i], column_[i]);
      pushed = pushed + scaled(a[i] + dot(s.v, change), column_[i]);
      accelerates = accelerates + scaled(a[i], column_[i]);
    }
    velocity_[b] = of_parent(velocity_, static_cast<int>(b)) + moves;
    pushed_[b] = pushed, acceleration_[b] = accelerates + cross(velocity_[b], moves);
    for (int i = first; i < end; ++i) {
      const Motion<double> s = motion_subspace(body, i - first);
      const Vec3<double> changes = cross(s.w, own.v) + cross(own.w, s.v);
      turned_by_v_[i] = at_rest;
      for (int k = first; k < end; ++k)
        turned_by_v_[i] = turned_by_v_[i] + scaled(dot(motion_subspace(body, k - first).v, changes), column_[k]);
    }
  }
}

void RowDerivatives::at(const Workspace<double>& ws, const double* q, const double* v, const double* a,
                        const double* f) noexcept {
  ws_ = &ws, q_ = q, v_ = v, a_ = a;
  move_bodies(ws, v, a);
  for (auto* matrix : {&miss_q_, &miss_v_, &stiffness_q_, &push_q_, &written_q_})
    std::fill(matrix->begin(), matrix->end(), 0.0);
  for (std::size_t k = 0; k < rows_.blocks().size(); ++k) {
    const RowBlock& b = rows_.blocks()[k];
    const RowBlockState& s = rows_.states()[k];
    if (!s.active) continue;
    switch (b.type) {
      case ConstraintType::contact:
      case ConstraintType::link_contact: contact(b, s, f + b.first_row); break;
      case ConstraintType::connect:
      case ConstraintType::weld: pair(b, s, f + b.first_row); break;
      case ConstraintType::joint: coupling(b, s, f + b.first_row); break;
      case ConstraintType::limit: stop(b, s); break;
      case ConstraintType::dry_friction: miss_v_[place(b.first_row) + b.freedom[0]] = b.pull.B; break;
    }
  }
}

void RowDerivatives::add_push(int body, int i, const Force<double>& F, const Force<double>& dF) noexcept {
  const bool below = carries(i, body);
  for (; body >= 0; body = model_.bodies[body].parent)
    for (int c = 0; c < freedoms(model_.bodies[body].joint); ++c) {
      const int k = model_.bodies[body].v + c;
      double& entry = push_q_[place(k) + i];
      entry += dot(column_[k], dF);
      if (below && body >= body_[i]) entry += dot(cross(column_[i], column_[k]), F);
    }
}

RowDerivatives::Side RowDerivatives::side(const RowBlock& b, int k, int i, bool by_q) const noexcept {
  const int link = b.link[k], body = link < 0 ? -1 : model_.links[link].body;
  const Pose<double> frame = (link < 0 ? identity_pose<double>() : link_pose(model_, *ws_, link)) * b.frames[k];
  Side side;
  if (body < 0 || !carries(i, body)) {
    side.R = cast<Moved>(frame.R), side.point = cast<Moved>(frame.d);
    side.velocity = cast<Moved>(body < 0 ? at_rest : velocity_[body]);
    side.acceleration = cast<Moved>(body < 0 ? at_rest : acceleration_[body]);
    return side;
  }
  const Motion<double>&s = column_[i], &V = velocity_[body], &A = acceleration_[body], &up = of_parent(velocity_, body_[i]);
  if (by_q) {
    side.turn = s.w;
    const Mat3<double> turned = hat(s.w) * frame.R;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) side.R(r, c) = Moved(frame.R(r, c), {turned(r, c)});
    side.point = moved(frame.d, speed_at(frame.d, s));
    side.velocity = moved(V, cross(s, V - up));
    side.acceleration = moved(A, cross(s, A - of_parent(acceleration_, body_[i])) + cross(cross(up, s), V - up));
  } else {
    side.R = cast<Moved>(frame.R), side.point = cast<Moved>(frame.d);
    side.velocity = moved(V, s);
    side.acceleration = moved(A, cross(s, V - up) + cross(velocity_[body_[i]], s));
  }
  return side;
}

/// What ConstraintRows::pair makes of two links, with e the vector part of the quaternion (scalar, e) of R2ᵀ R1.
struct RowDerivatives::Parting {
  Moved scalar;
  Vec3<Moved> e, rate, turned;                                      // e, ė, ë
  Vec3<Moved> apart, parting, parted;                               // of the points
  Vec3<Moved> half_turn(const Vec3<Moved>& x, double sign) const {  // G x, or with −1 Gᵀ x
    return Moved(0.5) * (scalar * x - Moved(sign) * cross(e, x));
  }

  Parting(const Side& one, const Side& other) {
    Mat3<double> R1, R2;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) R1(r, c) = one.R(r, c).x, R2(r, c) = other.R(r, c).x;
    const std::array<double, 4> u = quaternion_from_rotation(transpose(R2) * R1);
    const Vec3<double> turn = transposed_times(R2, one.turn - other.turn), e0{{u[0], u[1], u[2]}};
    e = moved(e0, 0.5 * (u[3] * turn - cross(e0, turn)));
    scalar = Moved(u[3], {-0.5 * dot(e0, turn)});
    const Moved half(0.5);
    const Vec3<Moved> w2 = transposed_times(other.R, other.velocity.w), w = transposed_times(other.R, one.velocity.w) - w2,
                      turning = transposed_times(other.R, one.acceleration.w - other.acceleration.w) - cross(w2, w);
    rate = half_turn(w, 1);
    turned = half_turn(turning, 1) - half * (half * dot(w, e)) * w - half * cross(rate, w);
    apart = one.point - other.point, parting = one.speed() - other.speed(), parted = one.change() - other.change();
  }
  /// By how much row r of φ, φ̇, φ̈ changes.
  double error(int r) const { return r < 3 ? apart[r].d[0] : e[r - 3].d[0]; }
  double speed(int r) const { return r < 3 ? parting[r].d[0] : rate[r - 3].d[0]; }
  double acceleration(int r) const { return r < 3 ? parted[r].d[0] : turned[r - 3].d[0]; }
};

void RowDerivatives::pair(const RowBlock& b, const RowBlockState& s, const double* f) noexcept {
  for (int i : b.freedoms)
    for (const bool by_q : {true, false}) {
      const Side one = side(b, 0, i, by_q), other = side(b, 1, i, by_q);
      const Parting parting(one, other);
      pair_rows(b, s, parting, i, by_q);
      if (by_q) push_pair(b, f, i, one, other, parting);
    }
}

void RowDerivatives::pair_rows(const RowBlock& b, const RowBlockState& s, const Parting& parting, int i, bool by_q) noexcept {
  double size = 0, grows = 0;  // of |φ|
  for (int r = 0; r < b.rows; ++r) size += s.error[r] * s.error[r], grows += s.error[r] * parting.error(r);
  size = std::sqrt(size);
  grows = size > 0 && !at_kink(b.impedance, size) ? grows / size : 0;
  const double d = impedance_at(b.impedance, size), slope = impedance_slope(b.impedance, size);
  const double B = b.hard ? 2 * b.omega : b.pull.B, K = b.hard ? b.omega * b.omega : b.pull.K * d;
  for (int r = 0; r < b.rows; ++r) {
    const std::size_t at = place(b.first_row + r) + i;
    double miss = parting.acceleration(r) + B * parting.speed(r) + K * parting.error(r);
    if (!b.hard) miss += b.pull.K * slope * grows * s.error[r];
    (by_q ? miss_q_ : miss_v_)[at] = miss;
    if (by_q && !b.hard) stiffness_q_[at] = slope / (d * (1 - d)) * grows;
  }
}

/// The force at the points; of a weld also the moment R2 Gᵀ f on the first link and its opposite on the second.
void RowDerivatives::push_pair(const RowBlock& b, const double* f, int i, const Side& one, const Side& other,
                               const Parting& parting) noexcept {
  const bool weld = b.type == ConstraintType::weld;
  const Vec3<double> force{{f[0], f[1], f[2]}};
  Vec3<Moved> moment = cast<Moved>(zero3<double>());
  if (weld) moment = other.R * parting.half_turn(cast<Moved>(Vec3<double>{{f[3], f[4], f[5]}}), -1);
  for (int k = 0; k < 2; ++k) {
    const int link = b.link[k], body = link < 0 ? -1 : model_.links[link].body;
    const double sign = k == 0 ? 1 : -1;
    const Vec3<Moved> about = cross(k == 0 ? one.point : other.point, cast<Moved>(force)) + moment;
    Force<double> F{zero3<double>(), sign * force}, dF{zero3<double>(), zero3<double>()};
    for (int c = 0; c < 3; ++c) F.n[c] = sign * about[c].x, dF.n[c] = sign * about[c].d[0];
    if (body >= 0) add_push(body, i, F, dF);
  }
  for (int c = 0; c < 3 && weld; ++c) written_q_[place(b.first_force + c) + i] = moment[c].d[0];
}

/// j = a_j − p' a_of − Σ c_k a_k + …, p and its derivatives at q_of.
void RowDerivatives::coupling(const RowBlock& b, const RowBlockState& s, const double* f) noexcept {
  const int joint = b.freedom[0], of = b.freedom[1];
  const double x = of >= 0 ? q_[b.coordinate[1]] : 0, v = of >= 0 ? v_[of] : 0, error = s.error[0], size = std::abs(error);
  double p = 0, slope = 0, curvature = 0, third = 0;
  for (std::size_t k = b.polynomial.size(); k-- > 0;) {
    third = third * x + 3 * curvature;
    curvature = curvature * x + 2 * slope;
    slope = slope * x + p;
    p = p * x + b.polynomial[k];
  }
  const double B = b.hard ? 2 * b.omega : b.pull.B;
  const double pull = b.hard ? b.omega * b.omega : b.pull.K * pull_slope(b.impedance, size);
  const double stiffness = b.hard || at_kink(b.impedance, size) ? 0 : stiffening(b.impedance, size) * (error < 0 ? -1 : 1);
  const std::size_t at = place(b.first_row);
  miss_q_[at + joint] = pull, miss_v_[at + joint] = B, stiffness_q_[at + joint] = stiffness;
  for (const LinearTerm& term : b.linear) {
    const std::size_t entry = at + static_cast<std::size_t>(term.freedom);
    miss_q_[entry] = -term.factor * pull, miss_v_[entry] = -term.factor * B, stiffness_q_[entry] = -term.factor * stiffness;
  }
  if (of < 0) return;
  miss_q_[at + of] = -curvature * (a_[of] + B * v) - pull * slope - (b.hard ? third * v * v : 0);
  miss_v_[at + of] = -B * slope - (b.hard ? 2 * curvature * v : 0);
  stiffness_q_[at + of] = -stiffness * slope;
  push_q_[place(of) + of] -= curvature * f[0];
}

void RowDerivatives::stop(const RowBlock& b, const RowBlockState& s) noexcept {
  const double q = q_[b.coordinate[0]];
  for (int k = 0; k < 2; ++k) {
    if (s.law.D[k] == 0) continue;
    const double sign = k == 0 ? 1 : -1, r = (k == 0 ? q - b.lower : b.upper - q) - b.margin;
    const std::size_t at = place(b.first_row + k) + b.freedom[0];
    miss_q_[at] = b.pull.K * pull_slope(b.impedance, r) * sign, miss_v_[at] = b.pull.B * sign;
    stiffness_q_[at] = stiffening(b.impedance, r) * sign;
  }
}

}  // namespace sparsedyn
