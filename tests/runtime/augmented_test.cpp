#include "sparsedyn/sparse/augmented.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "sparsedyn/sparse/zero_fill_lu.hpp"
#include "support/least_squares.hpp"

using namespace sparsedyn;

namespace {

struct LeastSquares {
  Pattern rows;
  std::vector<char> exact;
  std::vector<double> values, y, weight;
  Eigen::MatrixXd dense;
};

/// m rows on n unknowns; the first `exact` rows hold exactly, weights between 1 and 1e3.
LeastSquares random_problem(int m, int n, int exact, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  LeastSquares p;
  p.rows.rows = m, p.rows.columns = n;
  p.rows.row_start = {0};
  p.dense = Eigen::MatrixXd::Zero(m, n);
  for (int r = 0; r < m; ++r) {
    for (int c = 0; c < n; ++c)
      if (c == r % n || unit(rng) < 0.3) {
        p.rows.column.push_back(c);
        p.values.push_back(normal(rng) + (c == r % n ? 3.0 : 0.0));
        p.dense(r, c) = p.values.back();
      }
    p.rows.row_start.push_back(p.rows.entries());
    p.exact.push_back(r < exact);
    p.weight.push_back(std::pow(10.0, 3 * unit(rng)));
    p.y.push_back(normal(rng));
  }
  return p;
}

/// An order of complete pivoting at these numbers.
Order full_pivoting(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.rows, pattern.columns);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) A(r, pattern.column[e]) = values[e];
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
  const auto rows = lu.permutationP().inverse().eval().indices(), columns = lu.permutationQ().indices();
  return {{rows.data(), rows.data() + rows.size()}, {columns.data(), columns.data() + columns.size()}};
}

}  // namespace

TEST_CASE("the augmented system gives the constrained weighted least-squares solution") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const bool priors = seed % 2;
    const int n = 6 + static_cast<int>(seed), m = n + 4, exact = static_cast<int>(seed) % 5;
    LeastSquares p = random_problem(m, n, exact, seed);
    if (seed % 3 == 0) {  // a missing measurement: its number must not matter
      p.weight[m - 1] = 0;
      p.y[m - 1] = std::numeric_limits<double>::quiet_NaN();
    }
    const Eigen::VectorXd precision = priors ? Eigen::VectorXd::Constant(n, 0.25) : Eigen::VectorXd::Zero(n);
    const Augmented augmented(p.rows, p.exact, std::vector<char>(n, priors));
    std::vector<double> matrix(augmented.pattern().entries()), right_side(m + n), solution(m + n);
    augmented.fill(p.values.data(), p.y.data(), p.weight.data(), precision.data(), matrix.data(), right_side.data());
    const Plan plan = make_plan(augmented.pattern(), full_pivoting(augmented.pattern(), matrix));
    ZeroFillLU<double> lu(plan);
    REQUIRE(lu.factor(matrix.data()).ok());
    REQUIRE(lu.solve(right_side.data(), solution.data()).ok());

    const Eigen::VectorXd reference = test::dense_estimate(p.dense, Eigen::Map<const Eigen::VectorXd>(p.y.data(), m), p.exact,
                                                           Eigen::Map<const Eigen::VectorXd>(p.weight.data(), m), precision)
                                          .x;
    for (int j = 0; j < n; ++j) CHECK(solution[j] == Approx(reference[j]).epsilon(1e-10).margin(1e-10));
    for (int r = 0; r < exact; ++r) {
      double residual = p.y[r];
      for (int e = p.rows.row_start[r]; e < p.rows.row_start[r + 1]; ++e) residual -= p.values[e] * solution[p.rows.column[e]];
      CHECK(std::abs(residual) < 1e-12);
    }
  }
}

TEST_CASE("a flag is expected for every row and column") {
  const LeastSquares p = random_problem(5, 4, 0, 1);
  CHECK_THROWS_AS(Augmented(p.rows, {1, 0}, {}), std::invalid_argument);
  CHECK_THROWS_AS(Augmented(p.rows, p.exact, {1}), std::invalid_argument);
}
