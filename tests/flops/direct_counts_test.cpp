// Closed forms against factorisations that count themselves.
#include "flops/direct_counts.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sparsedyn/flops/counts.hpp"

using namespace sparsedyn;

namespace {

/// What LU of a full matrix and its solve execute, written out.
OperationCounts full_lu(int n) {
  std::vector<CountingScalar> A(static_cast<std::size_t>(n) * n), x(n), inverse(n);
  CountingScalar::counts() = {};
  for (int k = 0; k < n; ++k) {
    inverse[k] = CountingScalar(1.0) / A[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      A[i * n + k] = A[i * n + k] * inverse[k];
      for (int j = k + 1; j < n; ++j) A[i * n + j] -= A[i * n + k] * A[k * n + j];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i] -= A[i * n + j] * x[j];
  for (int i = n; i-- > 0;) {
    for (int j = i + 1; j < n; ++j) x[i] -= A[i * n + j] * x[j];
    x[i] = x[i] * inverse[i];
  }
  return CountingScalar::counts();
}

Pattern full(int n) {
  Pattern pattern{n, n, {0}, {}};
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) pattern.column.push_back(c);
    pattern.row_start.push_back(pattern.entries());
  }
  return pattern;
}

}  // namespace

TEST_CASE("Dense LU: the closed form is what a loop over all entries executes") {
  for (int n : {1, 2, 5, 11}) {
    const DirectCounts counts = dense_lu_counts(n);
    CHECK(counts.factorisation + counts.solve == full_lu(n));
  }
}

TEST_CASE("Normal equations: a diagonal matrix and a full one") {
  const Pattern diagonal{3, 3, {0, 1, 2, 3}, {0, 1, 2}};
  const DirectCounts three = normal_cholesky_counts(diagonal, {2, 0, 1});
  CHECK(three.factorisation == OperationCounts{6, 0, 3, 3, 0});  // squares and A'b, three roots, three reciprocals
  CHECK(three.solve == OperationCounts{6, 0, 0, 0, 0});
  // full: n (n + 1)/2 sums of n products for A'A, n for A'b; then the (n³ − n)/6 updates and n (n − 1)/2 scalings of Cholesky
  for (long n : {2, 3, 6}) {
    std::vector<int> order;
    for (int k = 0; k < n; ++k) order.push_back(k);
    const OperationCounts counts = normal_cholesky_counts(full(static_cast<int>(n)), order).factorisation;
    CHECK(counts.mul == n * (n * (n + 1) / 2 + n) + (n * n * n - n) / 6 + n * (n - 1) / 2);
    CHECK(counts.add == (n - 1) * (n * (n + 1) / 2 + n) + (n * n * n - n) / 6);
    CHECK(counts.div == n);
    CHECK(counts.sqrt == n);
  }
}

TEST_CASE("Joint-space solvers: LTDL needs no root and, on a chain, what the literature states") {
  const auto of = [](const std::string& name, int n) {
    for (const AlgorithmCounts& counted : recursive_counts(general_chain(n)))
      if (counted.algorithm == name) return counted.raw;
    FAIL(name);
    return OperationCounts{};
  };
  for (int n : {4, 9}) {
    const OperationCounts ltdl = of("rnea+crba+ltdl", n), cholesky = of("rnea+crba+cholesky", n);
    CHECK(ltdl.sqrt == 0);
    CHECK(cholesky.sqrt == n);
    CHECK(cholesky.div == n * (n - 1) / 2 + 2 * n);
    CHECK(cholesky.trig == ltdl.trig);
    CHECK(cholesky.mul - ltdl.mul <= n * n);
  }
}

TEST_CASE("Long chains are folded as far as they can be recorded") {
  for (const AlgorithmCounts& counted : recursive_counts(general_chain(70))) {
    INFO(counted.algorithm);
    const bool factors = counted.algorithm != "rnea" && counted.algorithm != "aba" && counted.algorithm != "crba";
    CHECK(counted.folded.has_value() != factors);
    CHECK(counted.folded.has_value() == (counted.raw.flops() <= (factors ? most_recorded_of_factors : most_recorded)));
    if (counted.folded) CHECK(counted.folded->flops() < counted.raw.flops());
  }
}
