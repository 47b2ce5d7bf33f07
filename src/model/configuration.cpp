#include "sparsedyn/model/configuration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "joint_range.hpp"

namespace sparsedyn {
namespace {

/// Where a body's quaternion starts in q, or nullptr.
double* quaternion(const Body& body, double* q) {
  const int offset = quaternion_offset(body.joint);
  return offset < 0 ? nullptr : q + body.q + offset;
}

}  // namespace

void neutral(const Model& model, double* q) noexcept {
  for (int i = 0; i < model.nq; ++i) q[i] = 0;
  for (const Body& body : model.bodies)
    if (double* u = quaternion(body, q)) u[3] = 1;
}

void random_configuration(const Model& model, std::mt19937& rng, double* q) { JointRange(model).draw(rng, q); }

std::vector<double> random_configuration(const Model& model, std::mt19937& rng) {
  std::vector<double> q(static_cast<std::size_t>(model.nq));
  random_configuration(model, rng, q.data());
  return q;
}

bool normalise_quaternion(double* u) noexcept {
  double largest = 0;
  for (int k = 0; k < 4; ++k) {
    if (!std::isfinite(u[k])) return false;
    largest = std::max(largest, std::abs(u[k]));
  }
  if (largest == 0) return false;
  // by a power of two first: no square overflows or vanishes, and no digit is lost
  const int exponent = -std::ilogb(largest);
  double squares = 0;
  for (int k = 0; k < 4; ++k) {
    u[k] = std::scalbn(u[k], exponent);
    squares += u[k] * u[k];
  }
  const double length = std::sqrt(squares);
  for (int k = 0; k < 4; ++k) u[k] /= length;
  return true;
}

bool normalise(const Model& model, double* q) noexcept {
  for (const Body& body : model.bodies)
    if (const double* u = quaternion(body, q)) {
      std::array<double, 4> trial{u[0], u[1], u[2], u[3]};
      if (!normalise_quaternion(trial.data())) return false;
    }
  for (const Body& body : model.bodies)
    if (double* u = quaternion(body, q)) normalise_quaternion(u);
  return true;
}

void difference(const Model& model, const double* q0, const double* q1, double* delta) noexcept {
  for (const Body& body : model.bodies)
    with_joint(body.joint, [&](auto joint) { decltype(joint)::difference(q0 + body.q, q1 + body.q, delta + body.v); });
}

}  // namespace sparsedyn
