#include "semi_implicit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "several_freedoms.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {
namespace {

/// The child's axes in the parent's, of a joint placed on its parent.
Mat3<double> turn_of(const Body& body, const double* q) {
  Body alone = body;
  alone.placement = identity_pose<double>();
  return joint_pose(alone, q).R;
}

/// The entries of v that shift, turned by R.
void turn_shifts(const Body& body, const Mat3<double>& R, double* v) {
  const Vec3<double> turned = R * joint_motion(body, v).v;
  for (int c = 0; c < freedoms(body.joint); ++c)
    if (is_shift(body.joint, c)) v[body.v + c] = dot(motion_subspace(body, c).v, turned);
}

bool shifts_and_turns(const Body& body) { return body.joint == BodyJoint::floating || body.joint == BodyJoint::planar; }

}  // namespace

void semi_implicit_step(const Model& model, double h, double* q, double* v, const double* a) {
  std::vector<double> step(a, a + model.nv), moved(static_cast<std::size_t>(model.nq));
  std::vector<Body> bodies = bodies_of_several_freedoms(model);
  bodies.erase(std::remove_if(bodies.begin(), bodies.end(), [](const Body& b) { return !shifts_and_turns(b); }), bodies.end());
  for (const Body& body : bodies) {
    const Motion<double> vJ = joint_motion(body, v);
    const Vec3<double> classical = joint_motion(body, a).v + cross(vJ.w, vJ.v);
    for (int c = 0; c < freedoms(body.joint); ++c)
      if (is_shift(body.joint, c)) step[static_cast<std::size_t>(body.v + c)] = dot(motion_subspace(body, c).v, classical);
  }
  for (int i = 0; i < model.nv; ++i) v[i] += h * step[static_cast<std::size_t>(i)];
  // shifts apart, so that they do not follow the turn within the step
  for (int i = 0; i < model.nv; ++i) step[static_cast<std::size_t>(i)] = h * v[i];
  for (const Body& body : bodies)
    for (int c = 0; c < freedoms(body.joint); ++c)
      if (is_shift(body.joint, c)) step[static_cast<std::size_t>(body.v + c)] = 0;
  integrate(model, q, step.data(), moved.data());
  for (const Body& body : bodies) {
    const Mat3<double> before = turn_of(body, q), after = turn_of(body, moved.data());
    const Vec3<double> shift = h * (before * joint_motion(body, v).v);
    const int dimensions = body.joint == BodyJoint::planar ? 2 : 3;
    for (int k = 0; k < dimensions; ++k) moved[static_cast<std::size_t>(body.q + k)] = q[body.q + k] + shift[k];
    turn_shifts(body, transpose(after) * before, v);
  }
  std::copy(moved.begin(), moved.end(), q);
}

}  // namespace sparsedyn::cli
