// The joint-space matrices against rnea, column by column, and against each other.
#include <catch2/catch.hpp>

#include "sparsedyn/recursive/bias_forces.hpp"
#include "sparsedyn/recursive/minverse.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

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

void check(const Model& model, const State& s) {
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

  Vector LD = M, x = s.tau, y(size);
  ltdl_factor(n, parent, LD.data());
  ltdl_product(n, parent, LD.data(), s.a.data(), y.data());
  Vector Ma(size, 0.0), Minv_tau(size, 0.0);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) Ma[i] += M[i * size + j] * s.a[j], Minv_tau[i] += inverse[i * size + j] * s.tau[j];
  CHECK(norm_error(y, Ma) < 1e-12);
  ltdl_solve(n, parent, LD.data(), x.data());
  CHECK(norm_error(x, Minv_tau) < 1e-14 * condition);

  // M q̈ + bias = τ, in pieces
  Vector tau(size), bias(size), gravity(size), static_torques(size);
  rnea(model, ws, s.q.data(), s.v.data(), s.a.data(), s.fx.data(), tau.data());
  bias_forces(model, ws, s.q.data(), s.v.data(), s.fx.data(), bias.data());
  for (std::size_t i = 0; i < size; ++i) Ma[i] += bias[i];
  CHECK(norm_error(tau, Ma) < 1e-11);
  const Vector still(size, 0.0);
  bias_forces<double>(model, ws, s.q.data(), still.data(), nullptr, static_torques.data());
  gravity_torques(model, ws, s.q.data(), gravity.data());
  CHECK(norm_error(gravity, static_torques) < 1e-12);
}

}  // namespace

TEST_CASE("the joint-space inertia matrix, its factors and its inverse") {
  for (bool floating : {false, true})
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Model model = random_tree(8, seed, {floating, true, 0.4, every_joint_kind()});
      std::mt19937 rng(seed);
      for (int k = 0; k < 5; ++k) check(model, random_state(model, rng));
      for (const State& s : special_states(model, rng, 5)) check(model, s);
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
