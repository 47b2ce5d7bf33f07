#include "base_parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace sparsedyn {
namespace {

constexpr double kLargest = 10.0;   // what stays on an axis, over what the subtree has: much more would cost digits
constexpr double kTilt = 1e-3;      // sin(alpha) cos(alpha) from which axes count as tilted
constexpr double kNoChange = 1e-9;  // what a number changes by, for one on the axis: less is rounding

Inertia<double> given_on_axis(const AxisShare& share) { return on_axis(share.m, share.h, share.zz); }

/// The child of body i whose parameters can cancel h_x and Σ_yz of body i: it is on a revolute joint, and the x axis of body i
/// lies along the common normal of the two joints. Of several, the child whose axis is farthest from the origin. -1 where there
/// is none, or where the axis of body i is at rest: there Σ_yz has no effect on the dynamics.
int child_along_x(const MinimalTree& tree, int i) {
  int best = -1;
  if (tree.bodies[i].joint != BodyJoint::revolute || tree.bodies[i].parent < 0) return best;
  for (std::size_t k = 0; k < tree.bodies.size(); ++k) {
    const MinimalBody& b = tree.bodies[k];
    if (b.parent != i || b.joint != BodyJoint::revolute || b.beta.s != 0 || b.shift[0] == 0 || b.shift[1] != 0) continue;
    if (best < 0 || std::fabs(b.shift[0]) > std::fabs(tree.bodies[best].shift[0])) best = static_cast<int>(k);
  }
  return best;
}

/// Moves so much of what child k has on its axis to its parent that the parent's h_x and Σ_yz vanish; all of it where that
/// would take too much.
void balance(const MinimalTree& tree, int k, const Weight& weight, std::vector<Inertia<Sized>>& moved) {
  const MinimalBody& child = tree.bodies[k];
  Inertia<Sized>&I = moved[child.parent], &own = moved[k];
  const double balancing = -rounded(I.h[0]) / child.shift[0];
  const bool balanced = std::fabs(balancing) <= kLargest * weight.mass;
  const Sized m = balanced ? balancing : own.m, none;
  I = I + to_parent(zero_placement(child), on_axis(m, none, none));
  own.m = own.m - m;
  if (balanced) I.h[0] = 0;

  const double tilt = child.alpha.s * child.alpha.c;  // z'z'ᵀ has −tilt at yz
  const double removing = std::fabs(tilt) > kTilt ? rounded(I.moments.yz) / tilt : 0.0;
  const bool removed = std::fabs(tilt) > kTilt && std::fabs(removing) <= kLargest * weight.size;
  const Sized zz = removed ? removing : own.moments.zz;
  I = I + to_parent(zero_placement(child), on_axis(none, none, zz));
  own.moments.zz = own.moments.zz - zz;
  if (removed) I.moments.yz = 0;
}

using Numbers = std::array<double, 13>;

/// What costs products where it is not zero.
Numbers costly_numbers(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  return {I.m, I.h[0], I.h[1], I.h[2], s.xx, s.xy, s.xz, s.yy, s.yz, s.zz, s.xx - s.yy, s.xx - s.zz, s.yy - s.zz};
}

double largest_number(const MinimalTree& tree) {
  double largest = 0;
  for (const MinimalBody& b : tree.bodies)
    for (double x : costly_numbers(b.moved)) largest = std::max(largest, std::fabs(x));
  return largest;
}

}  // namespace

std::vector<Weight> weights(const MinimalTree& tree, std::vector<Inertia<double>> own) {
  std::vector<Weight> weight(own.size());
  for (std::size_t i = own.size(); i-- > 0;) {
    const MinimalBody& b = tree.bodies[i];
    weight[i] = {own[i].m, own[i].moments.xx + own[i].moments.yy + own[i].moments.zz};
    if (b.parent >= 0) own[b.parent] = own[b.parent] + to_parent(zero_placement(b), own[i]);
  }
  return weight;
}

void give_to_parent(const MinimalTree& tree, const AxisShare& share, std::vector<Inertia<Sized>>& moved) {
  const MinimalBody& b = tree.bodies[share.body];
  const Inertia<Sized> given = cast<Sized>(given_on_axis(share));
  moved[b.parent] = moved[b.parent] + to_parent(zero_placement(b), given);
  Inertia<Sized>& own = moved[share.body];
  own.m = own.m - given.m, own.h[2] = own.h[2] - given.h[2], own.moments.zz = own.moments.zz - given.moments.zz;
}

std::vector<AxisShare> shares_worth_trying(const MinimalTree& tree, int body, const Weight& below_parent) {
  const MinimalBody& b = tree.bodies[body];
  std::vector<AxisShare> found;
  if (b.joint != BodyJoint::revolute || b.parent < 0 || tree.bodies[b.parent].joint == BodyJoint::prismatic) return found;
  const double largest = largest_number(tree), h = std::sqrt(below_parent.mass * below_parent.size);
  for (const auto& [one, most] : {std::pair(AxisShare{body, 1, 0, 0}, below_parent.mass),
                                  {AxisShare{body, 0, 1, 0}, h},
                                  {AxisShare{body, 0, 0, 1}, below_parent.size}}) {
    const Inertia<double> part = given_on_axis(one);
    std::set<double> amounts;
    const auto vanish = [&](const Numbers& x, const Numbers& rate, double sign) {
      for (std::size_t k = 0; k < x.size(); ++k)
        if (std::fabs(rate[k]) > kNoChange && x[k] != 0) amounts.insert(sign * x[k] / rate[k]);
    };
    vanish(costly_numbers(b.moved), costly_numbers(part), 1);
    vanish(costly_numbers(tree.bodies[b.parent].moved), costly_numbers(to_parent(zero_placement(b), part)), -1);
    for (double x : amounts)
      if (std::fabs(x) <= std::min(largest, kLargest * most)) found.push_back({body, x * one.m, x * one.h, x * one.zz});
  }
  return found;
}

void balance_parents(const MinimalTree& tree, std::vector<Inertia<Sized>>& moved) {
  std::vector<Inertia<double>> own;
  for (const Inertia<Sized>& I : moved) own.push_back(rounded(I));
  const std::vector<Weight> weight = weights(tree, std::move(own));
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    const int along = child_along_x(tree, static_cast<int>(i));
    if (along >= 0) balance(tree, along, weight[i], moved);
    const MinimalBody& body = tree.bodies[i];
    Inertia<Sized> part = taken(body.joint, moved[i]);
    if (body.parent < 0) continue;
    if (child_along_x(tree, body.parent) == static_cast<int>(i)) {  // the parent will say how much of these it takes
      std::swap(part.m, moved[i].m);
      std::swap(part.moments.zz, moved[i].moments.zz);
    }
    moved[body.parent] = moved[body.parent] + to_parent(zero_placement(body), part);
  }
}

}  // namespace sparsedyn
