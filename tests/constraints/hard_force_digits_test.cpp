// How many digits the forces of hard loops have: beside the equations of Lagrange's multipliers, the same doubles, solved in
// long double.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "constrained_states.hpp"
#include "constraints/rows.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Exact = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// M a − Jᵀ λ = τ − bias, J a = a*: [a; λ by row].
Exact by_multipliers(const Model& model, const ConstraintRows& rows, Workspace<double>& ws, const Instant& s) {
  const int n = model.nv, m = rows.rows();
  std::vector<double> M(static_cast<std::size_t>(n) * n), bias(static_cast<std::size_t>(n));
  crba(model, ws, s.q.data(), M.data());
  rnea<double>(model, ws, s.q.data(), s.v.data(), nullptr, nullptr, bias.data());
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> K(n + m, n + m);
  K.setZero();
  Exact right(n + m);
  for (int i = 0; i < n; ++i) {
    right[i] = s.tau[static_cast<std::size_t>(i)] - bias[static_cast<std::size_t>(i)];
    for (int k = 0; k < n; ++k) K(i, k) = M[static_cast<std::size_t>(i) * n + k];
  }
  for (int r = 0; r < m; ++r) {
    right[n + r] = rows.aim()[static_cast<std::size_t>(r)];
    for (const RowBlock& b : rows.blocks())
      if (r >= b.first_row && r < b.first_row + b.rows)
        for (int i : b.freedoms) K(n + r, i) = rows.row(r)[i], K(i, n + r) = -K(n + r, i);
  }
  return K.fullPivLu().solve(right);
}

double misses(const std::vector<double>& x, const std::vector<double>& reference) {
  double size = 0, most = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    size = std::max(size, std::abs(reference[k])), most = std::max(most, std::abs(x[k] - reference[k]));
  return most / size;
}

struct Worst {
  double a = 0, lambda = 0;
};

Worst worst_of(const Model& model, const ConstraintSet& set, int states, std::mt19937& rng) {
  ConstraintRows rows(model, resolved(model, set, inverse_weights(model)));
  ConstrainedDynamics dynamics(model, set);
  Workspace<double> ws(model);
  Worst worst;
  for (int k = 0; k < states; ++k) {
    const Instant s = instant(model, rng);
    ConstrainedAnswer x(model, dynamics);
    const ConstraintStatus status = solve(dynamics, s, x);
    INFO(dynamics.describe(status));
    REQUIRE(status.ok());
    rows.at(ws, s.q.data(), s.v.data());
    const Exact exact = by_multipliers(model, rows, ws, s);
    std::vector<double> a(x.a), lambda(x.lambda), of_rows(static_cast<std::size_t>(rows.rows()));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(exact[static_cast<int>(i)]);
    for (std::size_t r = 0; r < of_rows.size(); ++r) of_rows[r] = static_cast<double>(exact[model.nv + static_cast<int>(r)]);
    rows.write(of_rows.data(), lambda.data(), nullptr);
    worst.a = std::max(worst.a, misses(x.a, a)), worst.lambda = std::max(worst.lambda, misses(x.lambda, lambda));
  }
  return worst;
}

Constraint connect(const std::string& name, const std::string& one, const std::string& other) {
  Constraint c;
  c.name = name, c.type = ConstraintType::connect, c.links = {one, other}, c.hard = true;
  c.frames[0].d = {{0.05, -0.02, 0.03}}, c.frames[1].d = {{-0.01, 0.04, 0.02}};
  return c;
}

}  // namespace

TEST_CASE("forces of hard loops have the digits that their equations allow") {
  std::mt19937 rng(17);
  LoadOptions load;
  load.floating = true;
  const Model quadruped = load_urdf(source_folder() + "/robots/quadruped.urdf", load),
              humanoid = load_urdf(source_folder() + "/robots/humanoid.urdf", load);
  ConstraintSet standing, hands;
  for (const char* foot : {"lf_foot", "rf_foot", "lh_foot", "rh_foot"})
    standing.constraints.push_back(connect(foot, foot, "world"));
  hands.constraints = {connect("hands", "l_hand", "r_hand"), connect("foot", "l_foot", "world")};
  hands.constraints[0].type = ConstraintType::weld;
  struct Case {
    const Model& model;
    const ConstraintSet& set;
  };
  for (const Case& c : {Case{quadruped, standing}, Case{humanoid, hands}}) {
    const Worst worst = worst_of(c.model, c.set, 40, rng);
    CHECK(worst.a <= 1e-12);
    CHECK(worst.lambda <= 1e-12);
  }
}

TEST_CASE("a duplicated hard loop moves the robot as the single one does, and both share its force") {
  std::mt19937 rng(18);
  LoadOptions load;
  load.floating = true;
  const Model model = load_urdf(source_folder() + "/robots/humanoid.urdf", load);
  ConstraintSet once;
  once.constraints = {connect("hands", "l_hand", "r_hand")};
  ConstraintSet twice = once;
  twice.constraints.push_back(once.constraints[0]);
  twice.constraints[1].name = "again";
  ConstrainedDynamics one(model, once), two(model, twice);
  ConstrainedAnswer x(model, one), y(model, two);
  for (int k = 0; k < 20; ++k) {
    const Instant s = instant(model, rng);
    REQUIRE(solve(one, s, x).ok());
    REQUIRE(solve(two, s, y).ok());
    CHECK(misses(y.a, x.a) <= 1e-12);
    CHECK(misses({y.lambda[0] + y.lambda[3], y.lambda[1] + y.lambda[4], y.lambda[2] + y.lambda[5]}, x.lambda) <= 1e-12);
  }
}
