// Rows of contacts: of a sphere with a plane, and of two links where a finder says that they touch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rows.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"

namespace sparsedyn {

std::array<double, 6> forces_along(const RowBlock& contact, const double* f) noexcept {
  std::array<double, 6> along{};
  const bool pyramid = contact.rows != contact.directions();
  for (int r = 0; r < contact.rows; ++r) {
    along[pyramid ? 0 : r] += f[r];
    if (pyramid) along[1 + r / 2] += (r % 2 ? -1 : 1) * contact.friction[r / 2] * f[r];
  }
  return along;
}

std::array<double, 6> multipliers_along(const RowBlock& contact, const RowBlockState& s, const double* of_written) noexcept {
  std::array<double, 6> along{};
  for (int d = 0; d < contact.directions(); ++d)
    for (int c = 0; c < 3; ++c) along[d] += s.axes(d % 3, c) * of_written[(d < 3 ? 0 : 3) + c];
  return along;
}

void ConstraintRows::contact(const RowBlock& b, RowBlockState& s) noexcept {
  const Pose<double> pose = link_pose(model_, *ws_, b.link[0]);
  const Vec3<double> n{{b.plane(0, 0), b.plane(0, 1), b.plane(0, 2)}}, centre = pose.R * b.point + pose.d;
  s.gap = dot(n, centre - b.plane_point) - b.radius;
  s.active = s.gap < b.margin;
  if (!s.active) return;
  s.point = centre - (b.radius + 0.5 * s.gap) * n;
  contact_rows(b, s);
}

/// A state that is not finite is no question to ask; it is refused later.
void ConstraintRows::find_contacts(const double* q) noexcept {
  const auto pose_of = [&](int link) { return link < 0 ? identity_pose<double>() : link_pose(model_, *ws_, link); };
  const auto usable = [](const Pose<double>& pose) { return finite(&pose.R(0, 0), 9) && finite(&pose.d[0], 3); };
  for (const RowBlock& b : blocks_) {
    if (!b.finder) continue;
    ContactPoint* points = found_.data() + b.found;
    std::fill_n(points, b.finder_points, ContactPoint());
    const Pose<double> first = pose_of(b.link[0]), second = pose_of(b.link[1]);
    if (usable(first) && usable(second)) b.finder(q, first, second, points);
  }
}

void ConstraintRows::link_contact(const RowBlock& b, RowBlockState& s) noexcept {
  constexpr double unit = 1e-6;  // finders may compute in float
  const ContactPoint& p = found(b);
  const double size = std::sqrt(dot(p.normal, p.normal));
  s.unusable = p.there && !(std::abs(size - 1) <= unit && finite(&p.point[0], 3) && std::isfinite(p.gap));
  s.gap = p.there && !s.unusable ? p.gap : std::numeric_limits<double>::infinity();
  s.active = s.gap < b.margin;
  if (!s.active) return;
  const Vec3<double> n = (1 / size) * p.normal;
  s.point = p.point, s.axes = contact_axes(n, by_z(n));
  contact_rows(b, s);
}

int ConstraintRows::unusable() const noexcept {
  for (std::size_t k = 0; k < states_.size(); ++k)
    if (states_[k].unusable) return static_cast<int>(k);
  return -1;
}

int ConstraintRows::of_unknown_motion() const noexcept {
  for (std::size_t k = 0; k < states_.size(); ++k) {
    if (blocks_[k].found < 0 || !states_[k].active) continue;
    const ContactPoint& p = found(blocks_[k]);
    bool told = p.follows;
    for (const Mat3<double>* by : {&p.point_by_turn, &p.point_by_shift, &p.normal_by_turn, &p.normal_by_shift})
      told = told && finite(&(*by)(0, 0), 9);
    if (!told) return static_cast<int>(k);
  }
  return -1;
}

/// Rows of the velocity of the first link's point past the second's along each axis, then of the angular velocity; pyramids:
/// normal ± μ tangent.
void ConstraintRows::contact_rows(const RowBlock& b, RowBlockState& s) noexcept {
  const Moving link[2] = {moving(b.link[0], 0), moving(b.link[1], 1)};
  const auto add_direction = [&](int k, double* out, double scale) {
    const Vec3<double> e{{s.axes(k % 3, 0), s.axes(k % 3, 1), s.axes(k % 3, 2)}};
    for (int side = 0; side < 2; ++side) {
      const double* J = link[side].jacobian;
      if (!J) continue;
      const double sign = side == 0 ? scale : -scale;
      const Vec3<double> moment = k < 3 ? cross(s.point - link[side].pose.d, e) : e;
      for (int i : b.freedoms) {
        double x = 0;
        for (int c = 0; c < 3; ++c) {
          x += moment[c] * J[c * nv_ + i];
          if (k < 3) x += e[c] * J[(3 + c) * nv_ + i];
        }
        out[i] += sign * x;
      }
    }
  };
  const bool pyramid = b.rows != b.directions();
  for (int r = 0; r < b.rows; ++r) {
    double* J = own_row(b.first_row + r);
    for (int i : b.freedoms) J[i] = 0;
    add_direction(pyramid ? 0 : r, J, 1);
    if (pyramid) add_direction(1 + r / 2, J, (r % 2 ? -1 : 1) * b.friction[r / 2]);
  }
  contact_law(b, s);
}

void ConstraintRows::contact_law(const RowBlock& b, RowBlockState& s) noexcept {
  const double r = s.gap - b.margin, d = impedance_at(b.impedance, r);
  const int sliding = static_cast<int>(b.friction.size());
  LawNumbers& law = s.law;
  const bool pyramid = b.rows != b.directions();
  if (pyramid) {
    const double mu = b.friction[0], regular = mu / std::sqrt(b.impratio);
    const double R = 2 * regular * regular * regularisation(d, b.linear_weight * (1 + mu * mu));
    for (int e = 0; e < b.rows; ++e) law.D[e] = 1 / R;
    law.law = Law::one_sided;
  } else {
    const double R = regularisation(d, b.linear_weight), R1 = R / b.impratio;
    law.D[0] = 1 / R;
    for (int k = 1; k < b.rows; ++k) {
      const double share = b.friction[0] / b.friction[k - 1];
      law.D[k] = 1 / (R1 * share * share);
      law.friction[k - 1] = b.friction[k - 1];
    }
    law.law = sliding > 0 ? Law::elliptic : Law::one_sided;
    if (sliding > 0)
      law.mu = b.friction[0] * std::sqrt(R1 / R), law.sliding = law.D[0] / (law.mu * law.mu * (1 + law.mu * law.mu));
  }
  for (int k = 0; k < b.rows; ++k) {
    const int row = b.first_row + k;
    aim_[row] = -b.pull.B * along(b, row, v_) - along(b, row, turned_.data());
    if (k == 0 || pyramid) aim_[row] -= b.pull.K * d * r;
  }
}

}  // namespace sparsedyn
