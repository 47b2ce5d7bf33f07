// Random states of robots, and constraints of all kinds that count there.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "model/samples.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

struct Instant {
  std::vector<double> q, v, tau;
};

inline Instant instant(const Model& model, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Instant s{std::vector<double>(model.nq), std::vector<double>(model.nv), std::vector<double>(model.nv)};
  uniform_sample(model, rng, s.q.data());
  for (double& x : s.v) x = uniform(rng);
  for (double& x : s.tau) x = 5 * uniform(rng);
  return s;
}

/// A sphere on every third link, on a plane near that link; friction of all kinds.
inline ConstraintSet touching(const Model& model, const Instant& s, std::mt19937& rng, Cone cone) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, s.q.data(), nullptr, nullptr);
  ConstraintSet set;
  set.parameters.cone = cone;
  set.parameters.impratio = 3;
  const std::vector<std::vector<double>> frictions{{}, {0.8}, {0.5, 0.02}, {0.7, 0.02, 0.01}};
  for (std::size_t l = 0; l < model.links.size(); l += 3) {
    if (model.links[l].body < 0) continue;
    Constraint c;
    c.name = "touch" + std::to_string(l);
    c.links = {model.links[l].name};
    c.points = {{{0.1 * uniform(rng), 0.1 * uniform(rng), 0.1}}, {{0.1 * uniform(rng), 0, -0.1}}};
    c.radius = 0.01;
    c.friction = frictions[l / 3 % 4];
    c.plane_normal = {{uniform(rng), uniform(rng), 1 + uniform(rng)}};
    const Pose<double> pose = link_pose(model, ws, static_cast<int>(l));
    c.plane_point = pose.R * c.points[0] + pose.d;
    set.constraints.push_back(c);
  }
  return set;
}

inline void add_joint_constraints(const Model& model, ConstraintSet& set) {
  Constraint stops, rub, pair;
  stops.name = "stops", stops.type = ConstraintType::limit, stops.all = true;
  rub.name = "rub", rub.type = ConstraintType::dry_friction, rub.all = true, rub.loss = 0.4;
  set.constraints.push_back(stops);
  set.constraints.push_back(rub);
  const Joint *first = nullptr, *last = nullptr;
  for (const Joint& j : model.joints)
    if (j.nv == 1) first = first ? first : &j, last = &j;
  if (first == last) return;
  pair.name = "pair", pair.type = ConstraintType::joint, pair.joints = {first->name}, pair.of = last->name;
  pair.polynomial = {0.1, 0.5, -0.2, 0.05};
  for (const Joint& j : model.joints)
    if (j.nv == 1 && &j != first && &j != last)
      pair.linear.emplace_back(j.name, 0.1 * static_cast<double>(pair.linear.size()) - 0.3);
  set.constraints.push_back(pair);
}

inline Model with_stops(Model model, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(0, 1.5);
  for (const Joint& j : std::vector<Joint>(model.joints))
    if (j.nv == 1) {
      JointLimits limits;
      limits.lower = -uniform(rng), limits.upper = uniform(rng);
      set_joint_limits(model, j.name, limits);
    }
  return model;
}

struct ConstrainedAnswer {
  explicit ConstrainedAnswer(const Model& model, const ConstrainedDynamics& d)
      : a(model.nv), lambda(d.force_columns().size()), gap(d.gap_columns().size()) {}
  std::vector<double> a, lambda, gap;
};

inline void check_near(const std::vector<double>& x, const std::vector<double>& r, double bound) {
  REQUIRE(x.size() == r.size());
  double size = 1;
  for (double value : r) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i, x[i], r[i]);
    CHECK(std::abs(x[i] - r[i]) <= bound * size);
  }
}

inline ConstraintStatus solve(ConstrainedDynamics& dynamics, const Instant& s, ConstrainedAnswer& x) {
  return dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, x.a.data(), x.lambda.data(), x.gap.data());
}

}  // namespace sparsedyn::test
