#include "support.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn::test {
namespace {

void normalise(double* u) {
  const double norm = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  for (int i = 0; i < 4; ++i) u[i] /= norm;
}

void normalise_quaternions(const Model& model, std::vector<double>& q) {
  for (const Body& body : model.bodies) {
    if (body.joint == BodyJoint::spherical) normalise(q.data() + body.q);
    if (body.joint == BodyJoint::floating) normalise(q.data() + body.q + 3);
  }
}

int body_of(const Model& model, int freedom) {
  int found = 0;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (model.bodies[b].v <= freedom) found = b;
  return found;
}

}  // namespace

State random_state(const Model& model, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  State s;
  for (int i = 0; i < model.nq; ++i) s.q.push_back(2 * normal(rng));
  for (int i = 0; i < model.nv; ++i) s.v.push_back(normal(rng));
  for (int i = 0; i < model.nv; ++i) s.a.push_back(normal(rng));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) s.fx.push_back({random_vector(rng, 5), random_vector(rng, 5)});
  normalise_quaternions(model, s.q);
  return s;
}

State special_state(const Model& model, unsigned seed) {
  State s = random_state(model, seed);
  std::mt19937 rng(seed);
  const double half_pi = std::acos(0.0);
  for (double& x : s.q) x = half_pi * (static_cast<int>(rng() % 4) - 1);
  for (double& x : s.v) x = static_cast<int>(rng() % 3) - 1;
  for (const Body& body : model.bodies) {
    const bool free = body.joint == BodyJoint::floating;
    if (!free && body.joint != BodyJoint::spherical) continue;
    double* u = s.q.data() + body.q + (free ? 3 : 0);
    std::fill(u, u + 4, 0.0);
    u[rng() % 4] = 1;
    u[rng() % 4] += 1;
  }
  normalise_quaternions(model, s.q);
  return s;
}

std::vector<JointKind> all_kinds() {
  return {JointKind::revolute,  JointKind::continuous, JointKind::prismatic, JointKind::helical,  JointKind::universal,
          JointKind::spherical, JointKind::planar,     JointKind::floating,  JointKind::composite};
}

bool on_one_branch(const Model& model, int i, int k) {
  int low = body_of(model, std::max(i, k));
  const int high = body_of(model, std::min(i, k));
  while (low > high) low = model.bodies[low].parent;
  return low == high;
}

double worst_error(const std::vector<double>& x, const std::vector<double>& r, double floor) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(x[i] - r[i]) / std::max(floor, std::abs(r[i]));
    if (!(error <= worst)) worst = error;  // keeps a NaN
  }
  return worst;
}

}  // namespace sparsedyn::test
