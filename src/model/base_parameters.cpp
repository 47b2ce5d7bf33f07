#include "base_parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace sparsedyn {
namespace {

constexpr double kLargest = 10.0;  // what stays on an axis, over what the subtree has: much more would cost digits
constexpr double kTilt = 1e-3;     // sin(alpha) cos(alpha) from which axes count as tilted
constexpr double kNone = 1e-9;     // what a number changes by, for one on the axis: less is rounding

/// Masses m on the axis with first and second moments along it.
Inertia<double> on_axis(double m, double h, double zz) { return {m, {{0, 0, h}}, {0, 0, 0, 0, 0, zz}}; }

/// Takes out of a body what lies on its joint's axis; for a prismatic joint, which does not turn, its second moments.
Inertia<double> taken(BodyJoint joint, Inertia<double>& I) {
  Inertia<double> part = zero_inertia<double>();
  if (joint == BodyJoint::floating) return part;
  if (joint == BodyJoint::prismatic) return std::swap(part.moments, I.moments), part;
  part = on_axis(I.m, I.h[2], I.moments.zz);
  I.m = I.h[2] = I.moments.zz = 0;
  return part;
}

/// The child on a revolute joint along whose common normal x lies: its axis meets x farthest from the origin. -1: none, or body
/// i turns about an axis at rest: Σ_yz does nothing there, and h_x is one number of two, so that it takes all it is given.
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
void balance(MinimalTree& tree, int k, const Weight& weight) {
  MinimalBody& child = tree.bodies[k];
  Inertia<double>& I = tree.bodies[child.parent].moved;
  double m = -I.h[0] / child.shift[0];
  const bool balanced = std::fabs(m) <= kLargest * weight.mass;
  if (!balanced) m = child.moved.m;
  I = I + to_parent(zero_placement(child), on_axis(m, 0, 0));
  child.moved.m -= m;
  if (balanced) I.h[0] = 0;

  const double tilt = child.alpha.s * child.alpha.c;  // z'z'ᵀ has −tilt at yz
  double zz = std::fabs(tilt) > kTilt ? I.moments.yz / tilt : child.moved.moments.zz;
  const bool removed = std::fabs(tilt) > kTilt && std::fabs(zz) <= kLargest * weight.size;
  if (!removed) zz = child.moved.moments.zz;
  I = I + to_parent(zero_placement(child), on_axis(0, 0, zz));
  child.moved.moments.zz -= zz;
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

std::vector<Weight> weights(const MinimalTree& tree) {
  std::vector<Inertia<double>> sum;
  std::vector<Weight> weight(tree.bodies.size());
  for (const MinimalBody& b : tree.bodies) sum.push_back(b.moved);
  for (std::size_t i = sum.size(); i-- > 0;) {
    const MinimalBody& b = tree.bodies[i];
    weight[i] = {sum[i].m, sum[i].moments.xx + sum[i].moments.yy + sum[i].moments.zz};
    if (b.parent >= 0) sum[b.parent] = sum[b.parent] + to_parent(zero_placement(b), sum[i]);
  }
  return weight;
}

void give_to_parent(MinimalTree& tree, const AxisShare& share) {
  MinimalBody& b = tree.bodies[share.body];
  Inertia<double>& I = tree.bodies[b.parent].moved;
  I = I + to_parent(zero_placement(b), on_axis(share.m, share.h, share.zz));
  b.moved.m -= share.m, b.moved.h[2] -= share.h, b.moved.moments.zz -= share.zz;
}

std::vector<AxisShare> shares_worth_trying(const MinimalTree& tree, int body) {
  const MinimalBody& b = tree.bodies[body];
  std::vector<AxisShare> found;
  if (b.joint != BodyJoint::revolute || b.parent < 0 || tree.bodies[b.parent].joint == BodyJoint::prismatic) return found;
  const double largest = largest_number(tree);
  for (const AxisShare& one : {AxisShare{body, 1, 0, 0}, AxisShare{body, 0, 1, 0}, AxisShare{body, 0, 0, 1}}) {
    const Inertia<double> part = on_axis(one.m, one.h, one.zz);
    std::set<double> amounts;
    const auto vanish = [&](const Numbers& x, const Numbers& rate, double sign) {
      for (std::size_t k = 0; k < x.size(); ++k)
        if (std::fabs(rate[k]) > kNone && x[k] != 0) amounts.insert(sign * x[k] / rate[k]);
    };
    vanish(costly_numbers(b.moved), costly_numbers(part), 1);
    vanish(costly_numbers(tree.bodies[b.parent].moved), costly_numbers(to_parent(zero_placement(b), part)), -1);
    for (double x : amounts)
      if (std::fabs(x) <= largest) found.push_back({body, x * one.m, x * one.h, x * one.zz});
  }
  return found;
}

void move_to_parents(MinimalTree& tree) {
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    MinimalBody& body = tree.bodies[i];
    const Inertia<double> part = taken(body.joint, body.inertia);
    if (body.parent >= 0)
      tree.bodies[body.parent].inertia = tree.bodies[body.parent].inertia + to_parent(zero_placement(body), part);
  }
}

void balance_parents(MinimalTree& tree) {
  const std::vector<Weight> weight = weights(tree);
  for (std::size_t i = tree.bodies.size(); i-- > 0;) {
    const int along = child_along_x(tree, static_cast<int>(i));
    if (along >= 0) balance(tree, along, weight[i]);
    MinimalBody& body = tree.bodies[i];
    Inertia<double> part = taken(body.joint, body.moved);
    if (body.parent < 0) continue;
    if (child_along_x(tree, body.parent) == static_cast<int>(i)) {  // the parent will say how much of these it takes
      std::swap(part.m, body.moved.m);
      std::swap(part.moments.zz, body.moved.moments.zz);
    }
    tree.bodies[body.parent].moved = tree.bodies[body.parent].moved + to_parent(zero_placement(body), part);
  }
}

}  // namespace sparsedyn
