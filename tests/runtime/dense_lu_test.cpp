// The last resort beside Eigen's factors with full pivoting.
#include "sparsedyn/sparse/detail/dense_lu.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "random_systems.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;

namespace {

/// Rows of a random matrix in units that differ by twelve decades.
void scale_by_decades(test::RandomSystem& system, std::mt19937& rng) {
  std::uniform_int_distribution<int> decades(-6, 6);
  for (int r = 0; r < system.pattern.rows; ++r) {
    const double unit = std::pow(10.0, decades(rng));
    for (int e = system.pattern.row_start[r]; e < system.pattern.row_start[r + 1]; ++e) system.values[e] *= unit;
    system.right_side[r] *= unit;
  }
}

Eigen::MatrixXd matrix_of(const test::RandomSystem& system) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(system.pattern.rows, system.pattern.columns);
  for (int r = 0; r < system.pattern.rows; ++r)
    for (int e = system.pattern.row_start[r]; e < system.pattern.row_start[r + 1]; ++e)
      A(r, system.pattern.column[e]) = system.values[e];
  return A;
}

}  // namespace

TEST_CASE("dense LU solves with a matrix and its transpose, whatever the units of its rows, without the heap") {
  std::mt19937 rng(5);
  for (int n : {1, 2, 5, 20})
    for (unsigned seed = 0; seed < 10; ++seed) {
      test::RandomSystem system = test::random_system(n, 0.3, seed);
      const Eigen::VectorXd expected =
          matrix_of(system).fullPivLu().solve(Eigen::Map<const Eigen::VectorXd>(system.right_side.data(), n));
      scale_by_decades(system, rng);
      const Eigen::VectorXd c = Eigen::VectorXd::Random(n);
      DenseLU lu(system.pattern);
      Eigen::VectorXd x(n), z(n);
      const long before = test::allocations();
      const bool regular = lu.factor(system.values.data());
      lu.solve(system.right_side.data(), x.data());
      lu.solve_transposed(c.data(), z.data());
      REQUIRE(test::allocations() == before);
      REQUIRE(regular);
      REQUIRE(!lu.doubtful());
      REQUIRE(lu.singular_column() == -1);
      for (int k = 0; k < n; ++k) REQUIRE(std::abs(x[k] - expected[k]) <= 1e-10 * std::max(1.0, std::abs(expected[k])));
      const Eigen::VectorXd back = matrix_of(system).transpose() * z;
      const Eigen::VectorXd terms = matrix_of(system).transpose().cwiseAbs() * z.cwiseAbs();
      for (int k = 0; k < n; ++k) REQUIRE(std::abs(back[k] - c[k]) <= 1e-10 * std::max(1.0, terms[k]));
    }
}

TEST_CASE("dense LU names an unknown that the equations do not determine") {
  for (int lost = 0; lost < 6; ++lost) {
    test::RandomSystem system = test::random_system(6, 1.0, 3);
    for (int r = 0; r < 6; ++r) system.values[6 * r + lost] = 0;
    DenseLU lu(system.pattern);
    CHECK_FALSE(lu.factor(system.values.data()));
    CHECK(lu.singular_column() == lost);
  }
}

TEST_CASE("dense LU tells pivots that are rounding from small ones, and keeps its factors") {
  test::RandomSystem system = test::random_system(6, 1.0, 4);
  for (int e = 0; e < 6; ++e) system.values[6 * 5 + e] = system.values[6 * 4 + e];
  system.values[6 * 5 + 3] *= 1 + 1e-13;
  DenseLU lu(system.pattern);
  REQUIRE(lu.factor(system.values.data()));
  CHECK(lu.doubtful());
  const std::vector<double> same = system.values;
  std::vector<double> moved = same;
  CHECK(lu.withstands(same.data(), moved.data()));
  for (int e = 0; e < 6; ++e) moved[6 * 5 + e] *= 1 + 2e-14 * (e - 2);
  CHECK_FALSE(lu.withstands(same.data(), moved.data()));
  CHECK(lu.singular_column() == 5);
  Eigen::VectorXd x(6), again(6);
  lu.solve(system.right_side.data(), x.data());
  lu.factor(same.data());
  lu.solve(system.right_side.data(), again.data());
  CHECK(x == again);
}
