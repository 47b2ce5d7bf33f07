// Symmetric matrices: what stands on both sides of the diagonal is computed once.
#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <random>

#include "sparsedyn/sparse/zero_fill_lu.hpp"

using namespace sparsedyn;

namespace {

/// All entries, or all but the first of the diagonal; row i belongs to column `partner[i]`.
Pattern dense_pattern(const std::vector<int>& partner, bool saddle = false) {
  Pattern pattern;
  pattern.rows = pattern.columns = static_cast<int>(partner.size());
  pattern.row_start = {0};
  for (int r = 0; r < pattern.rows; ++r) {
    for (int c = 0; c < pattern.columns; ++c)
      if (!saddle || r > 0 || c != partner[r]) pattern.column.push_back(c);
    pattern.row_start.push_back(pattern.entries());
  }
  pattern.partner = partner;
  return pattern;
}

/// A(r, partner[s]) = A(s, partner[r]), of both signs on the diagonal.
Eigen::MatrixXd random_symmetric(const std::vector<int>& partner, unsigned seed) {
  const int n = static_cast<int>(partner.size());
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A(n, n);
  for (int r = 0; r < n; ++r)
    for (int s = 0; s <= r; ++s) A(r, partner[s]) = A(s, partner[r]) = r == s ? (r % 2 ? -9 : 9) : normal(rng);
  return A;
}

std::vector<double> values_of(const Pattern& pattern, const Eigen::MatrixXd& A) {
  std::vector<double> values;
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) values.push_back(A(r, pattern.column[e]));
  return values;
}

void check_solution(const Plan& plan, const Eigen::MatrixXd& A) {
  const int n = plan.pattern.rows;
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, -1, 2), expected = A.fullPivLu().solve(b);
  std::vector<double> x(n);
  ZeroFillLU<double> lu(plan);
  REQUIRE(lu.factor(values_of(plan.pattern, A).data()).ok());
  REQUIRE(lu.solve(b.data(), x.data()).ok());
  for (int j = 0; j < n; ++j) CHECK(x[j] == Approx(expected[j]).epsilon(1e-12).margin(1e-13));
  CHECK(lu.backward_error(x.data()) <= 1e-15);
  CHECK(lu.growth() >= 1);
}

}  // namespace

TEST_CASE("pivots on the diagonal of a dense symmetric matrix cost what its square-root-free Cholesky factors do") {
  const std::vector<int> partner = {4, 0, 6, 1, 2, 3, 5};
  const long n = static_cast<long>(partner.size());
  const Pattern pattern = dense_pattern(partner);
  Order order;
  for (int r : {3, 0, 6, 1, 5, 2, 4}) order.rows.push_back(r), order.columns.push_back(partner[r]);
  const Plan plan = make_plan(pattern, order);
  const long products = (n - 1) * n * (n + 1) / 6, scalings = n * (n - 1) / 2;
  CHECK(plan.factor_flops() == Flops{products + scalings, products, n});
  check_solution(plan, random_symmetric(partner, 1));
}

TEST_CASE("a pair of rows that exchange their columns costs half of what two pivots do") {
  const std::vector<int> partner = {5, 3, 1, 0, 7, 2, 4, 6};
  Eigen::MatrixXd A = random_symmetric(partner, 2);
  A(0, partner[0]) = 0, A(0, partner[1]) = A(1, partner[0]) = 7;
  Order order{{0, 1}, {partner[1], partner[0]}};
  for (int r = 2; r < 8; ++r) order.rows.push_back(r), order.columns.push_back(partner[r]);
  const Plan plan = make_plan(dense_pattern(partner, true), order);
  check_solution(plan, A);
  // [0 e; e p] beside N other rows: N scalings of either row, N products with p, and two for each of N (N + 1) / 2 entries
  const long others = 6, pair = 3 * others + others * (others + 1);
  const long rest = (others - 1) * others * (others + 1) / 6 + others * (others - 1) / 2;
  CHECK(plan.factor_flops().mul == pair + rest);
}

TEST_CASE("an order that breaks the symmetry costs as much as without shared values") {
  const std::vector<int> partner = {2, 0, 3, 1, 4};
  const Pattern pattern = dense_pattern(partner);
  check_solution(make_plan(pattern, {{0, 1, 2, 3, 4}, {2, 1, 3, 4, 0}}), random_symmetric(partner, 3));
}
