#include "tracking/shared/group_joint.hpp"

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int most_terms = 60;
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

void GroupStep::at(const GroupJoint& joint, const double* u, double t) noexcept {
  const int n = joint.freedoms;
  double ad[6][6] = {}, power[6][6] = {};  // −t ad_u; its powers over k!
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c) ad[c][b] -= t * u[a] * joint.bracket[a][b][c];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) power[i][k] = E[i][k] = J[i][k] = i == k ? 1 : 0;
  for (int term = 1; term < most_terms; ++term) {
    double next[6][6] = {}, size = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        for (int c = 0; c < n; ++c) next[i][k] += ad[i][c] * power[c][k];
        next[i][k] /= term;
        size = std::max(size, next[i][k] < 0 ? -next[i][k] : next[i][k]);
      }
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) power[i][k] = next[i][k], E[i][k] += next[i][k], J[i][k] += next[i][k] / (term + 1);
    if (size < smallest_term) return;
  }
}

}  // namespace sparsedyn::tracking
