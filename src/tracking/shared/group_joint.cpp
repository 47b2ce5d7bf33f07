#include "tracking/shared/group_joint.hpp"

#include <cmath>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int most_terms = 40, most_halvings = 60;
constexpr double largest_entry = 0.25;  // of −t ad_u in the series
constexpr double smallest_term = 1e-20;

/// Of unit motions a and b (0 to 2 turn about, 3 to 5 shift along x, y, z): ± one more, or nothing. Turns with turns give
/// turns, turns with shifts give shifts.
void add_bracket(int a, int b, double sign, double* out) {
  if (a >= 3 && b >= 3) return;
  const int i = a % 3, k = b % 3, third = 3 - i - k;
  if (i == k) return;
  out[third + (a >= 3 || b >= 3 ? 3 : 0)] += (k == (i + 1) % 3 ? 1 : -1) * sign;
}

GroupJoint group_of(const Body& body) {
  GroupJoint group{
      body.joint, body.q, body.v, freedoms(body.joint), coordinates(body.joint), {}, quaternion_offset(body.joint)};
  for (int a = 0; a < group.freedoms; ++a)
    for (int b = 0; b < group.freedoms; ++b) {
      double motion[6] = {};
      add_bracket(freedom_of(body.joint, a).axis, freedom_of(body.joint, b).axis, 1, motion);
      for (int c = 0; c < group.freedoms; ++c) group.bracket[a][b][c] = motion[freedom_of(body.joint, c).axis];
    }
  return group;
}

}  // namespace

void GroupJoint::integrate(const double* q_all, const double* delta, double* out_all) const noexcept {
  with_joint(joint, [&](auto type) { decltype(type)::integrate(q_all + q, delta, out_all + q); });
}

void GroupJoint::difference(const double* q0_all, const double* q1_all, double* delta) const noexcept {
  with_joint(joint, [&](auto type) { decltype(type)::difference(q0_all + q, q1_all + q, delta); });
}

/// Each freedom alone moves such a coordinate along a line, so that a difference quotient is exact.
void GroupJoint::coordinate_row(const double* q_all, int coordinate, double* row) const noexcept {
  constexpr double h = 1e-3;
  for (int f = 0; f < freedoms; ++f) {
    double delta[6] = {}, moved[2][7];
    for (int side = 0; side < 2; ++side) {
      delta[f] = side ? h : -h;
      with_joint(joint, [&](auto type) { decltype(type)::integrate(q_all + q, delta, moved[side]); });
    }
    row[f] = (moved[1][coordinate] - moved[0][coordinate]) / (2 * h);
  }
}

bool GroupJoint::normalise(double* q_all) const noexcept {
  return quaternion < 0 || normalise_quaternion(q_all + q + quaternion);
}

int GroupJoint::coordinate_beside(int freedom) const noexcept {
  const bool shift = is_shift(joint, freedom);
  int like = 0;  // freedoms of its kind before it
  for (int f = 0; f < freedom; ++f) like += is_shift(joint, f) == shift;
  for (int c = 0; c < coordinates; ++c)
    if ((coordinate_of(joint, c).measure == Measure::length) == shift && like-- == 0) return c;
  return 0;
}

std::vector<GroupJoint> group_joints(const Model& model) {
  std::vector<GroupJoint> found;
  for (const Body& body : model.bodies)
    if (freedoms(body.joint) > 1 && !(model.floating() && body.v == 0)) found.push_back(group_of(body));
  return found;
}

/// By the series for t / 2ⁿ, of terms that fall from the first on, then doubled: E(2t) = E², J(2t) = ½ (J + E J).
void GroupStep::at(const GroupJoint& joint, const double* u, double t) noexcept {
  const int n = joint.freedoms;
  double ad[6][6] = {}, power[6][6] = {};  // −t ad_u; its powers over k!
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) ad[c][b] -= t * u[a] * joint.bracket[a][b][c];
  double size = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) size = std::max(size, std::abs(ad[i][k]));
  int halved = 0;
  for (; size > largest_entry && halved < most_halvings; ++halved) size *= 0.5;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      ad[i][k] = std::ldexp(ad[i][k], -halved);
      power[i][k] = E[i][k] = J[i][k] = i == k ? 1 : 0;
    }
  for (int term = 1; term < most_terms && size >= smallest_term; ++term) {
    double next[6][6] = {};
    size = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        for (int c = 0; c < n; ++c) next[i][k] += ad[i][c] * power[c][k];
        next[i][k] /= term;
        size = std::max(size, std::abs(next[i][k]));
      }
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) power[i][k] = next[i][k], E[i][k] += next[i][k], J[i][k] += next[i][k] / (term + 1);
  }
  for (int k = 0; k < halved; ++k) double_step(n);
}

void GroupStep::double_step(int n) noexcept {
  double squared[6][6] = {}, mean[6][6] = {};
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      mean[i][k] = J[i][k];
      for (int c = 0; c < n; ++c) squared[i][k] += E[i][c] * E[c][k], mean[i][k] += E[i][c] * J[c][k];
    }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) E[i][k] = squared[i][k], J[i][k] = 0.5 * mean[i][k];
}

}  // namespace sparsedyn::tracking
