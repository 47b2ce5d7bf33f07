// A system at a state as dense matrices.
#pragma once

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

namespace sparsedyn::test {

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

/// Inputs that are numbers of the joints, in the order of v, or wrenches, which are zero.
inline std::vector<double> inputs_of(const System& system, const std::vector<double>& of_joints) {
  std::vector<double> y;
  for (const Input& input : system.inputs()) {
    const Measurement& m = system.measurements()[input.measurement];
    y.push_back(m.joint < 0 ? 0.0 : of_joints[system.model().joints[m.joint].v + m.components[input.component]]);
  }
  return y;
}

/// The unknowns of a set that determines them.
inline Eigen::VectorXd solved_for(const System& system, const State& s, const std::vector<double>& of_joints) {
  const Dense d = dense(system, s, inputs_of(system, of_joints));
  REQUIRE(d.A.rows() == d.A.cols());
  return d.A.fullPivLu().solve(d.b);
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
