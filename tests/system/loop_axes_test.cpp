// Linkages in a plane, on a line and about a point, on any body of a robot: accelerations and forces beside dense equations on
// joint space, of whose forces the least is taken.
#include <catch2/catch.hpp>
#include <cmath>

#include "constraints/rows.hpp"
#include "dense.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "support/linkages.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

struct Exact {
  Eigen::VectorXd a, force;  // of the forces with this Jᵀ λ the least
  Eigen::MatrixXd J;
};

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// M a − Jᵀ λ = τ − bias, J a = a*; in long double, since J M⁻¹ Jᵀ of a light link has a condition of 10⁸.
Exact dense_answer(const Linkage& robot, const State& s) {
  ConstraintRows rows(robot.model, resolved(robot.model, robot.loops, inverse_weights(robot.model)));
  Workspace<double> ws(robot.model);
  rows.at(ws, s.q.data(), s.v.data());
  const int n = robot.model.nv, m = rows.rows();
  std::vector<double> M(static_cast<std::size_t>(n) * n), bias(static_cast<std::size_t>(n));
  crba<double>(robot.model, ws, s.q.data(), M.data());
  bias_forces<double>(robot.model, ws, s.q.data(), s.v.data(), nullptr, bias.data());
  LongMatrix inertia = Eigen::Map<Eigen::MatrixXd>(M.data(), n, n).cast<long double>(), J(m, n);
  LongVector push(n), aim(m);
  for (int i = 0; i < n; ++i) push[i] = s.tau[i] - bias[i];
  for (int r = 0; r < m; ++r) {
    aim[r] = rows.aim()[r];
    for (int k = 0; k < n; ++k) J(r, k) = rows.row(r)[k];
  }
  const LongMatrix L = inertia.llt().matrixL();
  const LongMatrix X = L.triangularView<Eigen::Lower>().solve(J.transpose());
  const LongVector free = L.triangularView<Eigen::Lower>().solve(push);
  Eigen::JacobiSVD<LongMatrix> svd(X, Eigen::ComputeThinU | Eigen::ComputeThinV);
  LongVector along = svd.matrixV().transpose() * (aim - X.transpose() * free);
  for (int k = 0; k < along.size(); ++k) {
    const long double sigma = svd.singularValues()[k];
    along[k] = sigma > 1e-8 * svd.singularValues()[0] ? along[k] / (sigma * sigma) : 0;
  }
  const LongVector force = svd.matrixV() * along, pushed = free + X * force,
                   a = L.transpose().triangularView<Eigen::Upper>().solve(pushed);
  return {a.cast<double>(), force.cast<double>(), J.cast<double>()};
}

}  // namespace

TEST_CASE("closures: a linkage on any body is answered however it is turned, with the least of its forces") {
  const std::string where = GENERATE("hand", "trunk"),
                    how = GENERATE("upright", "quarter turn", "oblique", "nearly upright", "about a point", "one on the other");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = linkage_on(where, how, floating);
  SensorSet set = forward_dynamics_set();
  set.constraints = robot.loops;
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  const std::vector<State> states = states_on_loops(robot);
  for (const std::string name : {"newton-euler", "intermediate-frames", "net-forces"}) {
    INFO(name);
    const System system(robot.model, set, formulation_named(name));
    for (std::size_t at = 0; at < (name == "newton-euler" ? states.size() : 3); ++at) {  // a still state among three
      const State& s = states[at];
      const Exact exact = dense_answer(robot, s);
      const Eigen::VectorXd x = solved_for(system, s, s.tau);
      const double size = std::max(1.0, exact.a.cwiseAbs().maxCoeff()), force = std::max(1.0, exact.force.norm());
      for (int k = 0; k < robot.model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - exact.a[k]) <= 1e-9 * size);
      std::vector<double> a(s.v), lambda(dynamics.force_columns().size());
      REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
      for (std::size_t k = 0; k < lambda.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        CHECK(std::abs(x[column_of(system, "lambda." + dynamics.force_columns()[k])] - exact.force[row]) <= 1e-9 * force);
        CHECK(std::abs(lambda[k] - exact.force[row]) <= 1e-11 * force);
      }
    }
  }
}

TEST_CASE("closures: a weld that closes a plane linkage has the same motion, and no more rows than the plane has") {
  const std::string where = GENERATE("hand", "trunk"), how = GENERATE("weld", "upright weld");
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = linkage_on(where, how, floating);
  const HardRows rows = hard_rows(robot.model, robot.loops);
  CHECK(rows.rank == 3);
  CHECK(rows.redundant.size() == 3);
  SensorSet set = forward_dynamics_set();
  set.constraints = robot.loops;
  const System system(robot.model, set);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  std::vector<double> a(static_cast<std::size_t>(robot.model.nv)), lambda(dynamics.force_columns().size());
  for (const State& s : states_on_loops(robot)) {
    const Exact exact = dense_answer(robot, s);
    const Eigen::VectorXd x = solved_for(system, s, s.tau);
    const double size = std::max(1.0, exact.a.cwiseAbs().maxCoeff()), force = std::max(1.0, exact.force.norm());
    for (int k = 0; k < robot.model.nv; ++k) CHECK(std::abs(x[system.ddq_column(k)] - exact.a[k]) <= 1e-9 * size);
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
    for (std::size_t k = 0; k < lambda.size(); ++k)
      CHECK(std::abs(x[column_of(system, "lambda." + dynamics.force_columns()[k])] - lambda[k]) <= 1e-9 * force);
  }
}

TEST_CASE("closures: the least of a linkage's forces, of a light coupler") {
  const std::string where = GENERATE("hand", "trunk"), how = "light";
  const bool floating = GENERATE(false, true);
  CAPTURE(where, how, floating);
  const Linkage robot = linkage_on(where, how, floating);
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  for (const State& s : states_on_loops(robot)) {
    const Exact exact = dense_answer(robot, s);
    std::vector<double> a(s.v), lambda(dynamics.force_columns().size());
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
    const Eigen::VectorXd off = Eigen::Map<Eigen::VectorXd>(lambda.data(), exact.force.size()) - exact.force;
    CHECK(off.norm() <= 1e-10 * exact.force.norm());
    CHECK((exact.J.transpose() * off).norm() <= 1e-10 * (exact.J.transpose() * exact.force).norm());
  }
}

TEST_CASE("closures: linkages mounted with a rounded quarter turn have one redundant row") {
  const double turn = GENERATE(1.57, 1.5708, 1.5707963, 1.57079632, 1.57079633, 1.570796327, 1.5707963268);
  const std::string where = GENERATE("hand", "trunk");
  const bool floating = GENERATE(false, true);
  CAPTURE(turn, where, floating);
  ModelBuilder limb = trunk_with_limb(floating);
  Linkage robot;
  robot.loops.constraints = {add_four_bar(limb, "", where, {{turn, 0, 0}})};
  robot.model = limb.build();
  const HardRows rows = hard_rows(robot.model, robot.loops);
  CHECK(rows.rank == 2);
  CHECK(rows.redundant.size() == 1);
  SensorSet set = forward_dynamics_set();
  set.constraints = robot.loops;
  ConstrainedDynamics dynamics(robot.model, robot.loops);
  SolverOptions wanted{{"ddq"}};
  for (const std::string& column : dynamics.force_columns()) wanted.outputs.push_back("lambda." + column);
  Solver solver = make_solver(robot.model, set, wanted);
  const auto n = static_cast<std::size_t>(robot.model.nv), forces = dynamics.force_columns().size();
  std::vector<double> a(n), lambda(forces), out(n + forces);
  REQUIRE(solver.output_columns().size() == out.size());
  for (const State& s : states_on_loops(robot)) {
    const Exact exact = dense_answer(robot, s);
    const double size = std::max(1.0, exact.a.cwiseAbs().maxCoeff()), force = std::max(1.0, exact.force.norm());
    REQUIRE(dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), nullptr).ok());
    std::vector<double> y = inputs_of(solver.system(), s.tau);
    REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), out.data()).ok());
    for (std::size_t k = 0; k < n; ++k) CHECK(std::abs(out[k] - exact.a[static_cast<Eigen::Index>(k)]) <= 1e-9 * size);
    for (std::size_t k = 0; k < forces; ++k) {
      CHECK(std::abs(lambda[k] - exact.force[static_cast<Eigen::Index>(k)]) <= 1e-10 * force);
      CHECK(std::abs(out[n + k] - exact.force[static_cast<Eigen::Index>(k)]) <= 1e-9 * force);
    }
  }
}
