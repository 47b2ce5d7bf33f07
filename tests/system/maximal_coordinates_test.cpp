// Maximal coordinates: what the joints' bases are, and Newton's laws with multipliers as Eigen solves them.
#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/outputs.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/systems.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const Formulation maximal = formulation_named("maximal-coordinates");

Eigen::Matrix<double, 6, 6> matrix_of(const JointBasis& basis) {
  Eigen::Matrix<double, 6, 6> B;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) B(r, c) = basis.B[r][c];
  return B;
}

Eigen::MatrixXd subspace_of(const BodyTerms& t) {
  Eigen::MatrixXd S(6, freedoms(t.joint.joint));
  for (int k = 0; k < S.cols(); ++k)
    for (int c = 0; c < 6; ++c) S(c, k) = component(t.subspace[k], c);
  return S;
}

/// Accelerations by these orders against aba's.
void check_orders(const Model& model, unsigned seed, int expected_orders) {
  const System system(model, forward_dynamics_set(), maximal);
  const auto shared = std::make_shared<const System>(system);
  std::mt19937 rng(seed);
  int orders = 0;
  for (const auto& order :
       {recursive_order(system), substituted_order(system), multiplier_order(system), range_space_order(system)}) {
    if (!order) continue;
    ++orders;
    const auto plan = std::make_shared<const Plan>(make_plan(system.pattern(), *order, unit_entries(system)));
    SolverOptions options;
    options.outputs = {"ddq"};
    Solver solver(shared, plan, options);
    Workspace<double> ws(model);
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(model, rng);
      std::vector<double> y(system.inputs().size(), 0.0), out(model.nv), expected(model.nv);
      for (std::size_t i = 0; i < y.size(); ++i)
        if (system.measurements()[system.inputs()[i].measurement].kind == SensorKind::joint_torque)
          y[i] =
              s.tau[model.joints[system.measurements()[system.inputs()[i].measurement].joint].v + system.inputs()[i].component];
      aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr), expected.data());
      REQUIRE(solver.solve(s.q.data(), s.v.data(), y.data(), out.data()).ok());
      CHECK(norm_error(out, expected) < 1e-10);
    }
  }
  CHECK(orders == expected_orders);
}

}  // namespace

TEST_CASE("maximal coordinates: constraint forces do no work, the others are the torques") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model model = random_tree(12, seed, {true, true, 0.4, every_joint_kind()});
    const System system(model, forward_dynamics_set(), maximal);
    for (const BodyTerms& t : system.terms()) {
      const Eigen::MatrixXd S = subspace_of(t), projected = matrix_of(t.basis).transpose() * S;
      Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, S.cols());
      for (int k = 0; k < S.cols(); ++k) expected(t.basis.along[k], k) = 1;
      CHECK((projected - expected).norm() < 1e-14);
      CHECK(std::abs(matrix_of(t.basis).fullPivLu().rcond()) > 1e-3);
    }
  }
}

TEST_CASE("maximal coordinates: along the axes of links the wrench is in parts already") {
  std::mt19937 rng(4);
  ModelBuilder builder("chain");
  builder.root("link0", random_inertia(rng), false);
  for (int k = 0; k < 3; ++k) {
    JointSpec joint;
    joint.kind = k == 1 ? JointKind::prismatic : JointKind::revolute;
    joint.axis = {{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}};
    builder.link("link" + std::to_string(k + 1), random_inertia(rng), "link" + std::to_string(k), "joint" + std::to_string(k),
                 joint, random_pose(rng));
  }
  const Model model = builder.build();
  const System plain(model, forward_dynamics_set()), system(model, forward_dynamics_set(), maximal);
  CHECK(system.pattern().column == plain.pattern().column);
  CHECK(system.constants() == plain.constants());
  CHECK(system.unknown_names() != plain.unknown_names());
  CHECK(system.fingerprint() != plain.fingerprint());
}

TEST_CASE("maximal coordinates: J a = c and I a = Jᵀλ + f, assembled by hand, are what is left of the system") {
  // chain of oblique hinges: with f = T λ + A τ the rows (a) of T are the constraints
  const Model model = random_tree(4, 3, {false, false, 0.0, {JointKind::revolute}});
  const System system(model, forward_dynamics_set(), maximal);
  std::mt19937 rng(5);
  const State s = random_state(model, rng);
  const int n = static_cast<int>(model.bodies.size());
  SystemWorkspace<double> work(system);
  std::vector<double> y(system.inputs().size(), 0.0), values(system.pattern().entries()), rhs(system.pattern().rows);
  for (int k = 0; k < model.nv; ++k) y[k] = s.tau[k];
  system.assemble(s.q.data(), s.v.data(), y.data(), values.data(), rhs.data(), work);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(11 * n, 11 * n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(11 * n), tau = Eigen::VectorXd::Zero(n);
  std::vector<int> acc(system.pattern().columns, -1), lambda(system.pattern().columns, -1),
      torque(system.pattern().columns, -1);
  for (int i = 0; i < n; ++i) {
    const BodyTerms& t = system.terms()[i];
    tau[i] = s.tau[t.joint.v];
    for (int k = 0, next = 0; k < 6; ++k) {
      acc[t.acc + k] = 6 * i + k;
      if (k == t.basis.along[0])
        torque[t.f + k] = i;
      else
        lambda[t.f + k] = 6 * n + 5 * i + next++;
    }
  }
  for (int r = 0; r < system.pattern().rows; ++r) {
    const Equation& e = system.equations()[r];
    int row = -1;
    if (e.kind == EquationKind::wrench) row = 6 * e.body + e.component;
    if (e.kind == EquationKind::kinematics) row = lambda[system.terms()[e.body].f + e.component];
    if (row < 0) continue;
    b[row] += rhs[r];
    for (int k = system.pattern().row_start[r]; k < system.pattern().row_start[r + 1]; ++k) {
      const int c = system.pattern().column[k];
      if (acc[c] >= 0) K(row, acc[c]) += values[k];
      if (lambda[c] >= 0) K(row, lambda[c]) += values[k];
      if (torque[c] >= 0) b[row] -= values[k] * tau[torque[c]];
    }
  }
  CHECK((K - K.transpose()).norm() == 0);  // (−I, Jᵀ; J, 0)
  CHECK(K.bottomRightCorner(5 * n, 5 * n).norm() == 0);
  const Eigen::VectorXd x = K.fullPivLu().solve(b);
  Workspace<double> ws(model);
  std::vector<double> ddq(model.nv);
  aba(model, ws, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr), ddq.data());
  for (int i = 0; i < n; ++i) {  // q̈ = Aᵀ(a_i − iX_λ a_λ − c_i), from the row that is no constraint
    const BodyTerms& t = system.terms()[i];
    const int r = t.kinematics + t.basis.along[0];
    double found = -rhs[r];
    for (int k = system.pattern().row_start[r]; k < system.pattern().row_start[r + 1]; ++k)
      if (acc[system.pattern().column[k]] >= 0) found += values[k] * x[acc[system.pattern().column[k]]];
    CHECK(std::abs(found - ddq[t.joint.v]) < 1e-10 * std::max(1.0, std::abs(ddq[t.joint.v])));
  }
}

TEST_CASE("maximal coordinates: by multipliers, by range space and by the recursions, fixed and floating") {
  for (bool floating : {false, true})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      CAPTURE(floating, seed);
      check_orders(random_tree(8, seed, {floating, true, 0.4}), seed, 4);
    }
  check_orders(random_tree(30, 7, {false, false, 0.0, {JointKind::revolute}}), 7, 4);
  check_orders(random_tree(6, 2, {true, true, 0.4, every_joint_kind()}), 2, 2);  // composite joints have frames without mass
}

TEST_CASE("maximal coordinates: whole robots by every order") {
  for (const std::string& file : all_robots()) {
    if (!is_one_of(file, {"arm.", "quadruped.", "panda.", "hyq.", "atlas.", "lwr.", "iiwa"})) continue;
    for (bool floating : {false, true}) {
      CAPTURE(file, floating);
      LoadOptions options;
      options.floating = floating;
      const Model model = load_urdf(file, options);
      const System system(model, forward_dynamics_set(), maximal);
      check_orders(model, 3, multiplier_order(system) ? 4 : 2);
    }
  }
}
