#include "semi_implicit.hpp"

#include <algorithm>
#include <vector>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint_groups.hpp"

namespace sparsedyn {
namespace {

std::vector<Body> bodies_whose_shifts_turn(const Model& model) {
  std::vector<Body> bodies = bodies_of_several_freedoms(model);
  const auto other = [](const Body& b) { return !turns_own_shifts(b.joint); };
  bodies.erase(std::remove_if(bodies.begin(), bodies.end(), other), bodies.end());
  return bodies;
}

/// The entries of x (nv) that shift the body become those of a vector in its axes.
void set_shifts(const Body& body, const Vec3<double>& along, double* x) {
  for_each_shift(body.joint, [&](int c, int, int axis) { x[body.v + c] = along[axis]; });
}

}  // namespace

void semi_implicit_step(const Model& model, double h, double* q, double* v, const double* a) {
  std::vector<double> step(a, a + model.nv), moved(static_cast<std::size_t>(model.nq));
  const std::vector<Body> bodies = bodies_whose_shifts_turn(model);
  for (const Body& body : bodies) {
    const Motion<double> vJ = joint_motion(body, v);
    set_shifts(body, joint_motion(body, a).v + cross(vJ.w, vJ.v), step.data());
  }
  for (int i = 0; i < model.nv; ++i) v[i] += h * step[static_cast<std::size_t>(i)];
  // shifts apart, so that they do not follow the turn within the step
  for (int i = 0; i < model.nv; ++i) step[static_cast<std::size_t>(i)] = h * v[i];
  for (const Body& body : bodies) set_shifts(body, zero3<double>(), step.data());
  integrate(model, q, step.data(), moved.data());
  for (const Body& body : bodies) {
    const Mat3<double> before = joint_rotation(body, q), after = joint_rotation(body, moved.data());
    const Vec3<double> along = joint_motion(body, v).v, shift = h * (before * along);
    for_each_shift(body.joint,
                   [&](int, int k, int axis) { moved[static_cast<std::size_t>(body.q + k)] = q[body.q + k] + shift[axis]; });
    set_shifts(body, transpose(after) * before * along, v);
  }
  std::copy(moved.begin(), moved.end(), q);
}

}  // namespace sparsedyn
