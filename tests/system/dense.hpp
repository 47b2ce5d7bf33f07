// A system at a state as dense matrices, and states to try it at.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {

struct State {
  std::vector<double> q, v;
};

/// Random coordinates (unit quaternions) and velocities.
inline State random_state(const Model& model, std::mt19937& rng, bool moving = true) {
  std::normal_distribution<double> normal;
  State s{std::vector<double>(model.nq), std::vector<double>(model.nv, 0.0)};
  for (double& x : s.q) x = 2.0 * normal(rng);
  if (moving)
    for (double& x : s.v) x = normal(rng);
  for (const Body& body : model.bodies) {
    const int unit = body.joint == BodyJoint::spherical ? body.q : body.joint == BodyJoint::floating ? body.q + 3 : -1;
    if (unit < 0) continue;
    Eigen::Map<Eigen::Vector4d>(s.q.data() + unit).normalize();
  }
  return s;
}

struct Dense {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
};

inline Dense dense(const System& system, const State& s, const std::vector<double>& y) {
  const Pattern& p = system.pattern();
  std::vector<double> values(p.entries());
  Dense d{Eigen::MatrixXd::Zero(p.rows, p.columns), Eigen::VectorXd(p.rows)};
  SystemWorkspace<double> work(system);
  system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), d.b.data(), work);
  for (int r = 0; r < p.rows; ++r)
    for (int k = p.row_start[r]; k < p.row_start[r + 1]; ++k) d.A(r, p.column[k]) = values[k];
  return d;
}

/// The unknown of that name.
inline int column_of(const System& system, const std::string& name) {
  const auto& names = system.unknown_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return static_cast<int>(k);
  FAIL("no unknown " << name);
  return -1;
}

/// Sensors on joints or links; no names: "*".
inline Sensor sensor(const std::string& type, const std::vector<std::string>& on = {}, const std::string& name = "") {
  Sensor s;
  s.name = name.empty() ? type : name;
  s.type = type;
  s.all = on.empty();
  for (const std::string& target : on) s.targets.push_back({target});
  return s;
}

}  // namespace sparsedyn::test
