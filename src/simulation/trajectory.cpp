#include "trajectory.hpp"

#include <cmath>

#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
namespace {

constexpr double two_pi = 2 * 3.14159265358979323846;

/// How far freedom k of a body goes (rad or m).
double reach(BodyJoint joint, int k) { return is_shift(joint, k) ? 0.15 : 0.9; }

}  // namespace

Jet at(const SmoothCurve& curve, double t) {
  Jet jet{curve.offset, 0, 0};
  for (const auto& wave : curve.waves) {
    const double s = std::sin(wave.rate * t + wave.phase), c = std::cos(wave.rate * t + wave.phase);
    jet.x += wave.amplitude * s;
    jet.dx += wave.amplitude * wave.rate * c;
    jet.ddx -= wave.amplitude * wave.rate * wave.rate * s;
  }
  return jet;
}

SmoothCurve random_curve(Random& random, double size) {
  SmoothCurve curve;
  curve.offset = random.uniform(-0.4, 0.4) * size;
  for (auto& wave : curve.waves)
    wave = {random.uniform(0.05, 0.2) * size, two_pi * random.uniform(0.1, 0.6), random.uniform(0, two_pi)};
  return curve;
}

Trajectory::Trajectory(const Model& model, Random& random) : model_(model) {
  for (const Body& body : model.bodies) {
    curves_.emplace_back();
    for (int k = 0; k < freedoms(body.joint); ++k) curves_.back().push_back(random_curve(random, reach(body.joint, k)));
  }
}

void Trajectory::evaluate(double t, double* q, double* v, double* a) const {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    Jet x[6];
    for (std::size_t k = 0; k < curves_[i].size(); ++k) x[k] = at(curves_[i][k], t);
    with_joint(body.joint, [&](auto joint) { decltype(joint)::follow(x, q + body.q, v + body.v, a + body.v); });
  }
}

}  // namespace sparsedyn
