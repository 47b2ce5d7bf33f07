// Rows of contacts and their forces as q and v move.
#include <algorithm>

#include "moved.hpp"
#include "row_derivatives.hpp"

namespace sparsedyn {

/// How a contact's point, axes (by rows) and gap move with one freedom.
struct RowDerivatives::Shift {
  Vec3<double> point = zero3<double>();
  Mat3<double> axes{};
  double gap = 0;
};

/// `past`: the first link's motion past the second's, `second`: the second's. The gap changes by the normal part of what moves
/// past, whatever the surfaces. Between links, what the finder says moves with the second link, and as it says with `past`; the
/// point half-way between a sphere and a plane moves with the centre, along the normal half as far.
RowDerivatives::Shift RowDerivatives::shift(const RowBlock& b, const RowBlockState& s, const Motion<double>& past,
                                            const Motion<double>& second) const noexcept {
  const Vec3<double> n{{s.axes(0, 0), s.axes(0, 1), s.axes(0, 2)}}, moves = speed_at(s.point, past);
  Shift shift;
  shift.gap = dot(n, moves);
  if (b.type == ConstraintType::contact) {
    shift.point = moves + (b.radius + 0.5 * s.gap) * cross(past.w, n) - 0.5 * shift.gap * n;
    return shift;
  }
  const ContactPoint& p = rows_.found(b);
  shift.point = speed_at(s.point, second) + p.point_by_turn * past.w + p.point_by_shift * moves;
  Vec3<double> turns = cross(second.w, n) + p.normal_by_turn * past.w + p.normal_by_shift * moves;
  turns = turns - dot(turns, n) * n;  // it stays of unit length
  const Mat3<Moved> axes = contact_axes(moved(n, turns), by_z(n));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) shift.axes(r, c) = axes(r, c).d[0];
  return shift;
}

/// j = J u + K d r with u = a + S c + B v, of the first link past the second.
void RowDerivatives::contact(const RowBlock& b, const RowBlockState& s, const double* f) noexcept {
  const int sliding = static_cast<int>(b.friction.size());
  int body[2];
  for (int k = 0; k < 2; ++k) body[k] = b.link[k] < 0 ? -1 : model_.links[b.link[k]].body;
  const auto axis = [](const Mat3<double>& axes, int k) {
    return Vec3<double>{{axes(k % 3, 0), axes(k % 3, 1), axes(k % 3, 2)}};
  };
  Motion<double> of_side[2];
  for (int k = 0; k < 2; ++k) of_side[k] = body[k] < 0 ? at_rest : pushed_[body[k]] + scaled(b.pull.B, velocity_[body[k]]);
  const std::array<double, 6> along = forces_along(b, f);
  const auto sum = [&](const Mat3<double>& axes, int from, int to) {
    Vec3<double> x = zero3<double>();
    for (int k = from; k <= std::min(to, sliding); ++k) x += along[k] * axis(axes, k);
    return x;
  };
  const Vec3<double> force = sum(s.axes, 0, 2), moment = sum(s.axes, 3, 5), &p = s.point;
  const Force<double> wrench{cross(p, force) + moment, force};
  const Motion<double> u = of_side[0] - of_side[1];
  const Vec3<double> speed = speed_at(p, u);
  const double r = s.gap - b.margin, pull = b.pull.K * pull_slope(b.impedance, r), stiffness = stiffening(b.impedance, r);
  for (int i = 0; i < nv_; ++i) {
    const bool moves[2] = {carries(i, body[0]), carries(i, body[1])};
    if (!moves[0] && !moves[1]) continue;
    Motion<double> past = at_rest, second = at_rest, du = at_rest, by_v = at_rest;
    const Motion<double> above = of_parent(pushed_, body_[i]) + scaled(b.pull.B, of_parent(velocity_, body_[i]));
    for (int k = 0; k < 2; ++k) {
      if (!moves[k]) continue;
      const double sign = k == 0 ? 1 : -1;
      past = past + scaled(sign, column_[i]), du = du + scaled(sign, cross(column_[i], of_side[k] - above));
      by_v = by_v + scaled(sign, turned_by_v_[i] + scaled(b.pull.B, column_[i]));
      if (k == 1) second = column_[i];
    }
    const Shift moved = shift(b, s, past, second);
    const Vec3<double> change = speed_at(p, du) + cross(u.w, moved.point), change_v = speed_at(p, by_v);
    std::array<double, 6> along_q{}, along_v{};
    for (int k = 0; k <= sliding; ++k) {
      const Vec3<double> e = axis(s.axes, k), de = axis(moved.axes, k);
      along_q[k] = k < 3 ? dot(e, change) + dot(de, speed) : dot(e, du.w) + dot(de, u.w);
      along_v[k] = dot(e, k < 3 ? change_v : by_v.w);
    }
    along_q[0] += pull * moved.gap;
    contact_rows(b, i, along_q.data(), along_v.data(), stiffness * moved.gap);
    const Vec3<double> dforce = sum(moved.axes, 0, 2), dmoment = sum(moved.axes, 3, 5);
    const Force<double> change_of{cross(moved.point, force) + cross(p, dforce) + dmoment, dforce};
    if (body[0] >= 0) add_push(body[0], i, wrench, change_of);
    if (body[1] >= 0) add_push(body[1], i, opposite(wrench), opposite(change_of));
    for (int c = 0; c < b.forces; ++c) written_q_[place(b.first_force + c) + i] = c < 3 ? dforce[c] : dmoment[c - 3];
  }
}

void RowDerivatives::contact_rows(const RowBlock& b, int i, const double* along_q, const double* along_v,
                                  double stiffness) noexcept {
  const bool pyramid = b.rows != b.directions();
  for (int e = 0; e < b.rows; ++e) {
    const std::size_t at = place(b.first_row + e) + i;
    const int k = pyramid ? 1 + e / 2 : e;
    const double mu = pyramid ? (e % 2 ? -1 : 1) * b.friction[e / 2] : 1;
    miss_q_[at] = (pyramid ? along_q[0] : 0) + mu * along_q[k];
    miss_v_[at] = (pyramid ? along_v[0] : 0) + mu * along_v[k];
    stiffness_q_[at] = stiffness;
  }
}

}  // namespace sparsedyn
