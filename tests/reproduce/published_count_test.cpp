// The count behind a published figure, and the honest one, on matrices small enough to count by hand.
#include "../../bench/reproduce/published_count.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "flops/direct_counts.hpp"
#include "ordering/algorithms/umfpack.hpp"

using namespace sparsedyn;
using namespace sparsedyn::reproduce;

namespace {

NumericMatrix full_random(int n) {
  std::mt19937 rng(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> uniform(2, 3);
  NumericMatrix A{n, std::vector<double>(static_cast<std::size_t>(n) * n)};
  for (double& x : A.values) x = uniform(rng);
  for (int k = 0; k < n; ++k) A.at(k, k) += 10 * n;
  return A;
}

double determinant(const NumericMatrix& A) {
  Eigen::MatrixXd m(A.n, A.n);
  for (int r = 0; r < A.n; ++r)
    for (int c = 0; c < A.n; ++c) m(r, c) = A.at(r, c);
  return std::abs(m.fullPivLu().determinant());
}

}  // namespace

TEST_CASE("A full matrix: what is executed is what dense LU costs, with divisions counted as multiplications") {
  for (int n : {2, 3, 6}) {
    const MulAdd count = honest_lu_count(full_random(n));
    const DirectCounts dense = dense_lu_counts(n);
    CHECK(count.mul == dense.factorisation.mul + dense.solve.mul);  // the solve's n products are divisions here
    CHECK(count.add == dense.factorisation.add + dense.solve.add);
  }
}

TEST_CASE("A full matrix: the published rule sees the diagonal of each product, and takes four off for each") {
  // n = 3: pivots with l = u = |I| = 2 and 1, then a solve of 6 entries off the diagonal and 2 · 3 on it
  const MulAdd plain = published_lu_count(full_random(3), false), figures = published_lu_count(full_random(3), true);
  CHECK(plain.mul == (2 + 2) + (1 + 1) + 6 + 6);
  CHECK(plain.add == 2 + 1 + 6 + 6);
  CHECK(figures.mul == plain.mul - 4 * 2 - 4 * 1);
  CHECK(figures.add == plain.add);
}

TEST_CASE("Products by one are no multiplications in the honest count") {
  const NumericMatrix A{2, {1, 1, 1, 3}};  // l = 1, u = 1, remainder 2, one division by it
  const MulAdd count = honest_lu_count(A);
  CHECK(count.mul == 1);
  CHECK(count.add == 1 + 2);
}

TEST_CASE("The published chain: 26 unknowns a link, regular, thin tubes") {
  for (int n : {4, 7}) {
    const Model chain = published_chain(n, 1.5, 0.9);
    CHECK(chain.nv == n);
    CHECK(chain.bodies[1].inertia.m == Approx(0.9 * 0.9 * 0.9));
    for (const SensorSet& set : {dynamics_set(true), dynamics_set(false), slippery_feet_set(n)}) {
      const NumericMatrix A = with_net_wrenches(System(chain, set), 1);
      CHECK(A.n == 26 * n);
      CHECK(determinant(A) > 0);
      const NumericMatrix B = permuted(A, row_pivoting(A));
      CHECK(B.nonzeros() == A.nonzeros());
    }
  }
}

TEST_CASE("Twenty links: by the published rule LU beats the articulated-body formula, executed it takes twice as much") {
  if (!has_umfpack()) {
    WARN("skipped: built without SuiteSparse");
    return;
  }
  const int n = 20;
  const NumericMatrix A = with_net_wrenches(System(published_chain(n, 1.5, 0.9), dynamics_set(false)), 20);
  const std::optional<Order> order = umfpack_order(pattern_of(A), entries_of(A).data());
  REQUIRE(order);
  const NumericMatrix B = permuted(A, *order);
  const long aba = 224 * n - 259;  // McMillan, Orin & Walker
  CHECK(published_lu_count(B, true).mul < aba);
  CHECK(honest_lu_count(B).mul > 3 * aba / 2);
}
