#include "canonical_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sized.hpp"

namespace sparsedyn {
namespace {

using Real = long double;

constexpr double kParallel = 1e-6;  // sine of the angle below which axes have no common normal
constexpr double kFar = 5.0;        // foot of a common normal farther off than this many times what is near: unused
constexpr double kVeryFar = 100.0;
constexpr double kNear = 0.05;  // m: where origins are nearer, bodies as large as that count as well
constexpr double kNone = 1e-9;  // beside what is near: no direction

Vec3<Real> axis(const Pose<Real>& p) { return {{p.R(0, 2), p.R(1, 2), p.R(2, 2)}}; }

/// Radius of gyration about the body's origin; 0 where it has no mass.
double radius(const Inertia<double>& I) {
  return I.m > 0 ? std::sqrt(std::max((I.moments.xx + I.moments.yy + I.moments.zz) / I.m, 0.0)) : 0.0;
}

/// How large things are about the origins of a body and its parent.
double nearby(const Model& model, int i) {
  const Body &body = model.bodies[i], &parent = model.bodies[body.parent];
  const Vec3<double>& d = body.placement.d;
  return std::max(std::sqrt(dot(d, d)), std::min(kNear, std::max(radius(body.inertia), radius(parent.inertia))));
}

/// How far a body's origin may slide along its axis towards what is next to it, child `next` or, at a leaf (-1), its parent:
/// much beyond what is near there, or very much beyond what is near towards the parent, would cost digits.
double reach(const Model& model, int i, int next) {
  const double to_parent = model.bodies[i].parent >= 0 ? nearby(model, i) : std::numeric_limits<double>::infinity();
  return next < 0 ? kFar * to_parent : std::min(kFar * nearby(model, next), kVeryFar * to_parent);
}

/// How far along the axis z through the origin its common normal with another line, (o, z) of `other`, starts.
Real foot(const Pose<Real>& other) {
  const Vec3<Real> zk = axis(other), n{{-zk[1], zk[0], 0}};
  return dot(cross(other.d, zk), n) / dot(n, n);
}

Real within(double reach, Real along) { return std::fabs(along) <= reach ? along : 0; }

std::vector<int> subtree_sizes(const Model& model) {
  std::vector<int> size(model.bodies.size(), 1);
  for (std::size_t i = size.size(); i-- > 0;)
    if (model.bodies[i].parent >= 0) size[model.bodies[i].parent] += size[i];
  return size;
}

/// The child with the largest subtree, the first of equals; -1 at a leaf.
int main_child(const Model& model, const std::vector<int>& size, int i) {
  int best = -1;
  for (std::size_t k = 0; k < model.bodies.size(); ++k)
    if (model.bodies[k].parent == i && (best < 0 || size[k] > size[best])) best = static_cast<int>(k);
  return best;
}

/// Shifted along z, with x along (x, y).
Pose<Real> frame(Real x, Real y, Real along) {
  const Real size = std::hypot(x, y);
  Real c = x / size, s = y / size;
  if (std::fabs(s) < kRounding) c = std::copysign(Real(1), c), s = 0;
  if (std::fabs(c) < kRounding) c = 0, s = std::copysign(Real(1), s);
  return {{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, {{0, 0, along}}};
}

/// Of a body on a revolute joint towards the frame `next` of its main child: x along the common normal.
Pose<Real> towards(const Pose<Real>& next, double reach) {
  const Vec3<Real> zk = axis(next);
  if (std::hypot(zk[0], zk[1]) >= kParallel) return frame(-zk[1], zk[0], within(reach, foot(next)));
  // parallel: the normal from the child's origin
  const Real along = within(reach, next.d[2]);
  const bool apart = std::hypot(next.d[0], next.d[1]) > kNone * reach;
  return apart ? frame(next.d[0], next.d[1], along) : frame(1, 0, along);
}

/// How far a leaf's origin slides to the foot of the normal towards its parent's axis.
Real slide_to_parent(const Pose<Real>& parent, bool parent_has_axis, double reach) {
  const Vec3<Real> zp = axis(parent);
  const bool crossing = parent_has_axis && std::hypot(zp[0], zp[1]) >= kParallel;
  return within(reach, crossing ? foot(parent) : parent.d[2]);
}

/// A leaf is turned about its axis so that its centre of mass lies over x: the angle's offset costs one sum, h_y = 0 saves
/// more.
Pose<Real> turned_to_mass(Real along, const Inertia<double>& I) {
  const double tiny = kNone * std::sqrt(std::fabs(I.m * (I.moments.xx + I.moments.yy)));
  if (std::fabs(I.h[0]) <= tiny || std::fabs(I.h[1]) <= tiny) return frame(1, 0, along);
  return frame(I.h[0], I.h[1], along);
}

/// In the body's own frame; the origin where it has no mass.
Pose<Real> at_centre_of_mass(const Inertia<double>& I) {
  Pose<Real> p = identity_pose<Real>();
  if (std::isfinite(1 / I.m)) p.d = (1 / Real(I.m)) * cast<Real>(I.h);
  return p;
}

bool listed(const std::vector<int>& bodies, std::size_t i) {
  return std::count(bodies.begin(), bodies.end(), static_cast<int>(i)) > 0;
}

void keep_own(const FrameExceptions& except, std::size_t i, Pose<Real>& p) {
  if (listed(except.unturned, i)) p.R = identity3<Real>();
  if (listed(except.unshifted, i)) p.d = zero3<Real>();
}

}  // namespace

std::vector<Pose<long double>> canonical_frames(const Model& model, const FrameExceptions& except) {
  std::vector<Pose<Real>> frames(model.bodies.size(), identity_pose<Real>());
  const std::vector<int> size = subtree_sizes(model);
  for (std::size_t i = frames.size(); i-- > 0;) {
    const int next = main_child(model, size, static_cast<int>(i));
    if (model.bodies[i].joint != BodyJoint::revolute || next < 0) continue;
    frames[i] = towards(cast<Real>(model.bodies[next].placement) * frames[next], reach(model, static_cast<int>(i), next));
    keep_own(except, i, frames[i]);
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Body& body = model.bodies[i];
    if (size[i] > 1) continue;
    const bool known = !listed(except.varying, i);
    if (body.joint == BodyJoint::prismatic && known && !listed(except.unshifted, i))
      frames[i] = at_centre_of_mass(body.inertia);
    if (body.joint != BodyJoint::revolute) continue;
    Real along = 0;
    if (body.parent >= 0) {
      const Body& parent = model.bodies[body.parent];
      along = slide_to_parent(inverse(cast<Real>(body.placement)) * frames[body.parent], parent.joint != BodyJoint::floating,
                              reach(model, static_cast<int>(i), -1));
    }
    frames[i] = known ? turned_to_mass(along, body.inertia) : frame(1, 0, along);
    keep_own(except, i, frames[i]);
  }
  return frames;
}

}  // namespace sparsedyn
