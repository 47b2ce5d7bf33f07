// A parallelogram at q = θ B, B = (1, −1, 1): flat at θ = 0, where its loop loses rank; and its one equation of motion,
// Bᵀ M B θ̈ = Bᵀ (τ − bias).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sparsedyn/constraints/constraint_set.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::test::linkage {

constexpr std::array<double, 3> B{1, -1, 1};
constexpr double crank = 0.3, coupler = 0.5;

/// Cranks of 0.3 m, 0.5 m apart, a coupler of 0.5 m, on a ground that stands at `pose`, or floats. With `third` another crank
/// half-way.
inline Model parallelogram(bool third = false, const Pose<double>& pose = identity_pose<double>(), bool floating = false) {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const auto at = [&](double x) { return pose * Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  const Inertia<double> bar = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  ModelBuilder builder("parallelogram");
  builder
      .root("ground", floating ? inertia_about_com(5, {{0.1, 0.02, 0.05}}, {0.1, 0, 0, 0.2, 0, 0.15}) : zero_inertia<double>(),
            floating)
      .link("crank", bar, "ground", "a", hinge, at(0))
      .link("coupler", bar, "crank", "b", hinge, {identity3<double>(), {{crank, 0, 0}}})
      .link("rocker", bar, "ground", "c", hinge, at(coupler));
  if (third) builder.link("middle", bar, "ground", "d", hinge, at(coupler / 2));
  return builder.build();
}

inline Constraint pin(const std::string& name, double on_coupler, const std::string& other) {
  Constraint loop;
  loop.name = name, loop.type = ConstraintType::connect, loop.links = {"coupler", other}, loop.hard = true;
  loop.frames[0].d = {{on_coupler, 0, 0}}, loop.frames[1].d = {{crank, 0, 0}};
  return loop;
}

inline ConstraintSet flat_loop() {
  ConstraintSet set;
  set.constraints = {pin("rod", coupler, "rocker")};
  return set;
}

/// State: q, v, tau.
template <class State>
State on_loop(double theta, double rate) {
  State s{std::vector<double>(3), std::vector<double>(3), {0.3, -0.2, 0.1}};
  for (std::size_t i = 0; i < 3; ++i) s.q[i] = B[i] * theta, s.v[i] = B[i] * rate;
  return s;
}

/// θ̈, and what the joints miss: M a − (τ − bias).
struct Reduced {
  double acceleration = 0, inertia = 0, largest = 0;  // of the terms of `missing`
  std::array<double, 3> missing{};
};

template <class State>
Reduced reduced(const Model& model, const State& s) {
  Workspace<double> ws(model);
  std::array<double, 9> M{};
  std::array<double, 3> bias{};
  crba(model, ws, s.q.data(), M.data());
  rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, nullptr, bias.data());
  Reduced r;
  double push = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    push += B[i] * (s.tau[i] - bias[i]);
    for (std::size_t k = 0; k < 3; ++k) r.inertia += B[i] * M[3 * i + k] * B[k];
  }
  r.acceleration = push / r.inertia;
  for (std::size_t i = 0; i < 3; ++i) {
    r.missing[i] = bias[i] - s.tau[i];
    r.largest = std::max({r.largest, std::abs(bias[i]), std::abs(s.tau[i])});
    for (std::size_t k = 0; k < 3; ++k) {
      const double push_of_mass = M[3 * i + k] * B[k] * r.acceleration;
      r.missing[i] += push_of_mass, r.largest = std::max(r.largest, std::abs(push_of_mass));
    }
  }
  return r;
}

/// Jᵀ λ of the loop at q = θ B, x and z of the coupler's end less the rocker's, on a ground that is not turned.
inline std::array<double, 3> put_back(double theta, const std::vector<double>& lambda) {
  const double s = crank * std::sin(theta), c = crank * std::cos(theta);
  return {-s * lambda[0] - (c + coupler) * lambda[2], -coupler * lambda[2], s * lambda[0] + c * lambda[2]};
}

}  // namespace sparsedyn::test::linkage
