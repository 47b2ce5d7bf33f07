#include "canonical_frames.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

constexpr double kParallel = 1e-6;  // sine of the angle below which axes have no common normal
constexpr double kFar = 5.0;        // foot of a common normal farther off than this many distances between the origins: unused

double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }
Vec3<double> axis(const Pose<double>& p, int k) { return {{p.R(0, k), p.R(1, k), p.R(2, k)}}; }

/// How far along line (o, z) the common normal with line (ok, zk) starts. False: parallel, or too far off.
bool foot(const Vec3<double>& o, const Vec3<double>& z, const Vec3<double>& ok, const Vec3<double>& zk, double& along) {
  const Vec3<double> n = cross(z, zk), d = ok - o;
  const double nn = dot(n, n);
  if (nn < kParallel * kParallel) return false;
  along = dot(cross(d, zk), n) / nn;
  return std::fabs(along) <= kFar * std::max(norm(d), 0.05) + 1e-9;
}

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

Pose<double> frame(const Vec3<double>& z, Vec3<double> x, const Vec3<double>& origin) {
  x = x - dot(x, z) * z;
  x = (1.0 / norm(x)) * x;
  const Vec3<double> y = cross(z, x);
  return {{{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}}}, origin};
}

/// Of body i towards the frame `next` of its main child: x along the common normal.
Pose<double> towards(const Pose<double>& own, const Pose<double>& next, bool revolute) {
  const Vec3<double> z = axis(own, 2), zk = axis(next, 2);
  const Vec3<double> n = cross(z, zk);
  Vec3<double> origin = own.d, x = axis(own, 0);
  if (!revolute) return own;
  if (norm(n) < kParallel) {  // parallel: the normal from the child's origin
    origin = own.d + dot(z, next.d - own.d) * z;
    if (norm(next.d - origin) > 1e-9) x = next.d - origin;
  } else {
    double along = 0;
    if (foot(own.d, z, next.d, zk, along)) origin = own.d + along * z;
    x = n;
  }
  return frame(z, x, origin);
}

/// A leaf's origin is slid to the foot of the normal towards its parent's axis.
Pose<double> slid_to_parent(const Pose<double>& own, const Pose<double>& parent, bool parent_has_axis) {
  const Vec3<double> z = axis(own, 2), zp = axis(parent, 2);
  double along = dot(z, parent.d - own.d);
  if (parent_has_axis && norm(cross(z, zp)) >= kParallel && !foot(own.d, z, parent.d, zp, along)) along = 0;
  return {own.R, own.d + along * z};
}

/// A leaf is turned about its axis so that its centre of mass lies over x: the angle's offset costs one sum, h_y = 0 saves
/// more.
Pose<double> turned_to_mass(const Pose<double>& frame, const Pose<double>& own, const Inertia<double>& inertia) {
  const Inertia<double> I = to_parent(inverse(frame) * own, inertia);
  const double size = std::hypot(I.h[0], I.h[1]), tiny = 1e-9 * (I.m + size);
  if (std::fabs(I.h[0]) <= tiny || std::fabs(I.h[1]) <= tiny) return frame;
  const double c = I.h[0] / size, s = I.h[1] / size;
  return {frame.R * Mat3<double>{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}, frame.d};
}

/// The body's origin where it has no mass.
Vec3<double> centre_of_mass(const Inertia<double>& I) { return (std::isfinite(1 / I.m) ? 1 / I.m : 0.0) * I.h; }

}  // namespace

std::vector<Pose<double>> zero_poses(const Model& model) {
  std::vector<Pose<double>> pose;
  for (const Body& b : model.bodies) pose.push_back(b.parent < 0 ? b.placement : pose[b.parent] * b.placement);
  return pose;
}

std::vector<Pose<double>> canonical_frames(const Model& model) {
  const std::vector<Pose<double>> own = zero_poses(model);
  std::vector<Pose<double>> frames = own;
  const std::vector<int> size = subtree_sizes(model);
  for (std::size_t i = frames.size(); i-- > 0;) {
    const Body& body = model.bodies[i];
    const int next = main_child(model, size, static_cast<int>(i));
    if (body.joint != BodyJoint::floating && next >= 0)
      frames[i] = towards(frames[i], frames[next], body.joint == BodyJoint::revolute);
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Body& body = model.bodies[i];
    if (size[i] > 1) continue;
    if (body.joint == BodyJoint::prismatic) frames[i].d = own[i].d + own[i].R * centre_of_mass(body.inertia);
    if (body.joint != BodyJoint::revolute) continue;
    if (body.parent >= 0)
      frames[i] = slid_to_parent(frames[i], frames[body.parent], model.bodies[body.parent].joint != BodyJoint::floating);
    frames[i] = turned_to_mass(frames[i], own[i], body.inertia);
  }
  return frames;
}

}  // namespace sparsedyn
