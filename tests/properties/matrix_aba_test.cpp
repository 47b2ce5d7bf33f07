// Nori et al. 2017, Property 2: five sparse transformations make the system of forward dynamics triangular, and what they
// hold is the articulated-body algorithm.
#include "examples/matrix_aba.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "sparsedyn/system/workspace.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// The torques and no wrenches.
std::vector<double> readings(const System& system, const State& state) {
  std::vector<double> y(system.inputs().size(), 0.0);
  for (std::size_t k = 0; k < y.size(); ++k) {
    const Measurement& m = system.measurements()[system.inputs()[k].measurement];
    if (m.joint >= 0) y[k] = state.tau[system.model().joints[m.joint].v + m.components[system.inputs()[k].component]];
  }
  return y;
}

Model tree(int n, unsigned seed, bool every_kind, bool floating) {
  TreeOptions options;
  options.floating = floating;
  if (every_kind) options.kinds = every_joint_kind();
  return random_tree(n, seed, options);
}

/// |entries above the diagonal| and |diagonal ∓ 1|, beside the largest entry.
double distance_from_unit_triangle(const MatrixAba& aba) {
  const MatrixAba::Matrix L = aba.after(5);
  std::vector<int> row(aba.order.rows.size()), column(aba.order.columns.size());
  for (std::size_t k = 0; k < row.size(); ++k)
    row[aba.order.rows[k]] = static_cast<int>(k), column[aba.order.columns[k]] = static_cast<int>(k);
  double worst = 0, largest = 0;
  std::vector<double> diagonal(row.size(), 0.0);
  for (int c = 0; c < L.outerSize(); ++c)
    for (MatrixAba::Matrix::InnerIterator e(L, c); e; ++e) {
      largest = std::max(largest, std::abs(e.value()));
      if (row[e.row()] < column[e.col()]) worst = std::max(worst, std::abs(e.value()));
      if (row[e.row()] == column[e.col()]) diagonal[row[e.row()]] = e.value();
    }
  for (double d : diagonal) worst = std::max(worst, std::abs(std::abs(d) - 1));
  return worst / largest;
}

}  // namespace

TEST_CASE("Property 2: after five steps the system is lower triangular with a ±1 diagonal") {
  for (bool every_kind : {false, true})
    for (bool floating : {false, true})
      for (unsigned seed = 1; seed <= 5; ++seed) {
        const System system(tree(8, seed, every_kind, floating), forward_dynamics_set());
        std::mt19937 rng(seed);
        const State state = random_state(system.model(), rng);
        const std::vector<double> y = readings(system, state);
        const MatrixAba aba = matrix_aba(system, state.q.data(), state.v.data(), y.data());
        CHECK(distance_from_unit_triangle(aba) <= 1e-12);
      }
}

TEST_CASE("Property 2: each step alone is unit triangular or block diagonal, and cancels what it says") {
  const System system(tree(6, 2, false, false), forward_dynamics_set());
  std::mt19937 rng(4);
  const State state = random_state(system.model(), rng);
  const std::vector<double> y = readings(system, state);
  const MatrixAba aba = matrix_aba(system, state.q.data(), state.v.data(), y.data());
  const auto entries = [&](int steps, int first_row, int rows, int first_column, int columns) {
    return MatrixAba::Matrix(aba.after(steps).block(first_row, first_column, rows, columns)).nonZeros();
  };
  for (const BodyTerms& t : system.terms()) {
    CHECK(entries(1, t.torque, 1, t.acc, 6) > 0);  // step 1 puts S'I^A a_i into the torque row, step 2 takes it out
    CHECK(entries(2, t.torque, 1, t.acc, 6) == 0);
    CHECK(aba.after(3).coeff(t.torque, system.ddq_column(t.joint.v)) == Approx(-1).epsilon(1e-12));
    CHECK(entries(3, t.kinematics, 6, system.ddq_column(t.joint.v), 1) > 0);
    CHECK(entries(4, t.kinematics, 6, system.ddq_column(t.joint.v), 1) == 0);
    CHECK(entries(5, t.wrench, 6, t.acc, 6) == 0);
    if (t.parent >= 0) CHECK(entries(5, system.terms()[t.parent].wrench, 6, t.acc, 6) == 0);
  }
}

TEST_CASE("Property 2: forward substitution gives the accelerations of the articulated-body algorithm") {
  for (bool every_kind : {false, true})
    for (bool floating : {false, true})
      for (unsigned seed = 11; seed <= 14; ++seed) {
        const Model model = tree(7, seed, every_kind, floating);
        const System system(model, forward_dynamics_set());
        Workspace<double> work(model);
        std::mt19937 rng(seed);
        for (int s = 0; s < 5; ++s) {
          const State state = random_state(model, rng);
          const std::vector<double> y = readings(system, state);
          const MatrixAba matrices = matrix_aba(system, state.q.data(), state.v.data(), y.data());
          std::vector<double> expected(model.nv), found(model.nv);
          REQUIRE(aba<double>(model, work, state.q.data(), state.v.data(), state.tau.data(), nullptr, expected.data()).ok());
          const Eigen::VectorXd x = matrices.solve();
          for (int k = 0; k < model.nv; ++k) found[k] = x[system.ddq_column(k)];
          CHECK(norm_error(found, expected) <= 1e-9);
          const Eigen::VectorXd residual = matrices.system * x - matrices.right_side;
          CHECK(residual.cwiseAbs().maxCoeff() <= 1e-12 * x.cwiseAbs().maxCoeff() * matrices.system.coeffs().abs().maxCoeff());
        }
      }
}

TEST_CASE("D_i of the matrix steps, of the articulated-body algorithm and of the pivots of LU are equal") {
  TreeOptions chain;
  chain.branching = 0;
  for (int n : {1, 5, 12, 30})
    for (bool branched : {false, true}) {
      const Model model = branched ? random_tree(n, 70u + static_cast<unsigned>(n)) : random_tree(n, 90u, chain);
      const System system(model, forward_dynamics_set());
      const std::optional<Plan> plan = recursive_plan(system);
      REQUIRE(plan);
      ZeroFillLU<double> lu(*plan);
      SystemWorkspace<double> system_work(system);
      Workspace<double> work(model);
      std::mt19937 rng(8);
      for (int s = 0; s < 10; ++s) {
        const State state = random_state(model, rng);
        const std::vector<double> y = readings(system, state);
        std::vector<double> ddq(model.nv);
        REQUIRE(aba<double>(model, work, state.q.data(), state.v.data(), state.tau.data(), nullptr, ddq.data()).ok());
        const MatrixAba matrices = matrix_aba(system, state.q.data(), state.v.data(), y.data());
        system.assemble(state.q.data(), state.v.data(), y.data(), lu.values(), lu.right_side(), system_work);
        REQUIRE(lu.factor().ok());
        REQUIRE(static_cast<int>(plan->program.pivots.size()) == model.nv);
        for (int k = 0; k < model.nv; ++k) {
          const Variable& variable = system.unknowns()[plan->program.pivots[k].column];
          REQUIRE(variable.kind == VariableKind::ddq);
          const double D = 1 / work.freedom[variable.component].inverse;
          CHECK(std::abs(lu.pivot(k)) == Approx(D).epsilon(1e-12));
          CHECK(matrices.D[variable.body](0, 0) == Approx(D).epsilon(1e-12));
        }
      }
    }
}

TEST_CASE("Only forward dynamics has the five steps") {
  const Model model = random_tree(3, 1);
  const std::vector<double> q(model.nq, 0.1), v(model.nv, 0.0), y(100, 0.0);
  CHECK_THROWS_AS(matrix_aba(System(model, inverse_dynamics_set()), q.data(), v.data(), y.data()), std::invalid_argument);
  SensorSet torques = forward_dynamics_set();
  torques.sensors.pop_back();  // no external wrench is known
  CHECK_THROWS_AS(matrix_aba(System(model, torques), q.data(), v.data(), y.data()), std::invalid_argument);
}
