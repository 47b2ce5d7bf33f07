// The joint-space matrices against rnea, column by column, and against each other.
#include <catch2/catch.hpp>

#include "dynamics/ltdl.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/detail/articulated_solve.hpp"
#include "sparsedyn/dynamics/detail/direct_minverse.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "support/joint_law.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"
#include "support/sweep.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// M by columns of inverse dynamics: rnea(q, 0, e_j) − rnea(q, 0, 0).
Vector inertia_by_rnea(const Model& model, Workspace<double>& ws, const State& s) {
  const std::size_t n = s.v.size();
  Vector M(n * n), unit(n, 0.0), column(n);
  const Vector still(n, 0.0);
  Model weightless = model;
  weightless.gravity = zero3<double>();
  for (JointPhysics& p : weightless.physics) p.offset = 0, p.stiffness.reset();
  for (std::size_t j = 0; j < n; ++j) {
    unit[j] = 1;
    rnea<double>(weightless, ws, s.q.data(), still.data(), unit.data(), nullptr, column.data());
    for (std::size_t i = 0; i < n; ++i) M[i * n + j] = column[i];
    unit[j] = 0;
  }
  return M;
}

Vector identity(std::size_t n) {
  Vector I(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) I[i * n + i] = 1;
  return I;
}

Vector product(const Vector& A, const Vector& B, std::size_t n) {
  Vector C(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) C[i * n + j] += A[i * n + k] * B[k * n + j];
  return C;
}

double largest(const Vector& x) {
  double size = 1;
  for (double e : x) size = std::max(size, std::fabs(e));
  return size;
}

/// M without armature, all columns that pass a joint side by side, as crba has it where four numbers fill a register.
Vector inertia_together(const Model& model, const Vector& q) {
  Workspace<double> ws(model);
  REQUIRE(ws.carried.together);
  Vector M(static_cast<std::size_t>(model.nv * model.nv), 0.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].parent >= 0) ws.pose[i] = joint_pose(model.bodies[i], q.data());
    ws.composite[i] = model.bodies[i].inertia;
  }
  detail::write_columns<true>(model, ws, M.data());
  return M;
}

void check_matrices(const Model& model, const State& s) {
  Workspace<double> ws(model);
  const int n = model.nv;
  const int* parent = ws.parent_freedom.data();
  const std::size_t size = s.v.size();
  Vector M(size * size), inverse(M);
  crba(model, ws, s.q.data(), M.data());
  CHECK(norm_error(M, inertia_by_rnea(model, ws, s)) < 1e-13);

  // condition number: M and M⁻¹ are scaled alike by it
  REQUIRE(minverse(model, ws, s.q.data(), inverse.data()).ok());
  const double condition = largest(M) * largest(inverse);
  CHECK(worst_error(product(M, inverse, size), identity(size)) < 1e-14 * condition);
  DirectMinverseWorkspace<double> direct_ws(model);
  Vector direct(size * size, 7.0);
  REQUIRE(direct_minverse(model, direct_ws, s.q.data(), direct.data()).ok());
  // what it eliminates are differences of articulated inertias, whose rounding is that of the largest on the branch
  CHECK(worst_error(product(M, direct, size), identity(size)) < 1e-13 * condition);
  CHECK(norm_error(direct, inverse) < 1e-13 * condition);

  Vector LD = M, x = s.tau, y(size);
  ltdl_factor(n, parent, LD.data());
  ltdl_product(n, parent, LD.data(), s.a.data(), y.data());
  Vector Ma(size, 0.0), Minv_tau(size, 0.0);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) Ma[i] += M[i * size + j] * s.a[j], Minv_tau[i] += inverse[i * size + j] * s.tau[j];
  CHECK(norm_error(y, Ma) < 1e-12);
  ltdl_solve(n, parent, LD.data(), x.data());
  CHECK(norm_error(x, Minv_tau) < 1e-14 * condition);
  x = s.tau;
  ws.factors.solve(x.data());
  CHECK(norm_error(x, Minv_tau) < 1e-14 * condition);
  x = s.tau;
  REQUIRE(aba(model, direct_ws.dynamics, s.q.data(), s.v.data(), s.tau.data(), s.fx.data(), Vector(size).data()).ok());
  articulated_solve(model, direct_ws.dynamics, x.data());
  CHECK(norm_error(x, Minv_tau) < 1e-13 * condition);

  // M q̈ + bias = τ, in pieces
  Vector tau(size), bias(size), gravity(size), static_torques(size);
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
  bias_forces(model, ws, s.q.data(), s.v.data(), s.fx.data(), bias.data());
  for (std::size_t i = 0; i < size; ++i) Ma[i] += bias[i];
  CHECK(norm_error(tau, Ma) < 1e-11);
  const Vector still(size, 0.0);
  bias_forces<double>(model, ws, s.q.data(), still.data(), nullptr, static_torques.data());
  gravity_torques(model, ws, s.q.data(), gravity.data());
  for (std::size_t k = 0; k < model.physics.size(); ++k) gravity[k] += torque_at_rest(model, s, k);
  CHECK(norm_error(gravity, static_torques) < 1e-12);
}

}  // namespace

TEST_CASE("the joint-space inertia matrix with its factors and its inverses") {
  on_mixed_trees(12, 8, 0, {5, 5}, check_matrices);
}

TEST_CASE("the inverses of M for each kind of joint") { on_each_kind({5}, 11, {1, 1}, check_matrices); }

TEST_CASE("the inverses of M for a tree whose branches are numbered alternately") {
  std::mt19937 rng(1);
  ModelBuilder builder("breadth first");
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  builder.root("link0", random_inertia(rng), true);
  for (int k = 1; k <= 14; ++k)
    builder.link("link" + std::to_string(k), random_inertia(rng), "link" + std::to_string((k - 1) / 2),
                 "joint" + std::to_string(k), hinge, random_pose(rng));
  const Model model = builder.build();
  CHECK_FALSE(Workspace<double>(model).carried.together);
  for (int k = 0; k < 3; ++k) check_matrices(model, random_state(model, rng));
}

TEST_CASE("a joint that moves no mass or no inertia is named by both inverses") {
  for (const Model& model : {massless_tip(), point_tip()}) {
    std::mt19937 rng(1);
    const State s = random_state(model, rng);
    Workspace<double> ws(model);
    DirectMinverseWorkspace<double> direct_ws(model);
    Vector inverse(4);
    CHECK(minverse(model, ws, s.q.data(), inverse.data()).singular == 1);
    CHECK(direct_minverse(model, direct_ws, s.q.data(), inverse.data()).singular == 1);
  }
}

TEST_CASE("entries between branches are exactly zero") {
  const Model model = random_tree(12, 5, {true, true, 0.7, {JointKind::revolute, JointKind::planar}});
  std::mt19937 rng(5);
  const State s = random_state(model, rng);
  Workspace<double> ws(model);
  const int n = model.nv;
  Vector M(s.v.size() * s.v.size());
  crba(model, ws, s.q.data(), M.data());
  const auto carries = [&](int i, int j) {
    while (j > i) j = ws.parent_freedom[j];
    return i == j;
  };
  int zeros = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      CHECK(M[i * n + j] == M[j * n + i]);
      if (carries(i, j) || carries(j, i)) continue;
      CHECK(M[i * n + j] == 0.0);
      ++zeros;
    }
  CHECK(zeros > 0);
}

TEST_CASE("columns of M side by side are those of one after the other") {
  int compared = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    TreeOptions options;
    options.kinds = every_joint_kind();
    options.floating = seed % 2 == 0;
    options.branching = seed % 3 == 0 ? 0 : 0.3;
    const Model model = random_tree(1 + static_cast<int>(seed % 11), seed, options);
    Workspace<double> ws(model);
    if (!ws.carried.together) continue;
    ++compared;
    std::mt19937 rng(seed);
    std::vector<State> states = special_states(model, rng, 1);
    states.push_back(random_state(model, rng));
    for (const State& s : states) {
      Vector M(static_cast<std::size_t>(model.nv * model.nv), 7.0);
      crba(model, ws, s.q.data(), M.data());
      CHECK(norm_error(inertia_together(model, s.q), M) < 1e-14);
    }
  }
  CHECK(compared >= 25);
}
