#include "sparsedyn/sparse/zero_fill_lu.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "random_systems.hpp"
#include "sparsedyn/sparse/detail/health.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

template <class S>
Eigen::Matrix<S, Eigen::Dynamic, 1> dense_solution(const Pattern& pattern, const std::vector<S>& values,
                                                   const std::vector<S>& right_side) {
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic> A(pattern.rows, pattern.columns);
  A.setZero();
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) A(r, pattern.column[e]) = values[e];
  return A.fullPivLu().solve(Eigen::Map<const Eigen::Matrix<S, Eigen::Dynamic, 1>>(right_side.data(), pattern.rows));
}

template <class S>
void agrees_with_dense_lu(double bound) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const RandomSystem system = random_system(3 + 2 * static_cast<int>(seed), 0.04 * (seed % 7), seed);
    std::vector<S> values, b;
    for (double v : system.values) values.push_back(static_cast<S>(v));
    for (double v : system.right_side) b.push_back(static_cast<S>(v));
    const Plan plan = make_plan(system.pattern, system.order);
    ZeroFillLU<S> lu(plan);
    std::vector<S> x(b.size());
    REQUIRE(lu.factor(values.data()).ok());
    REQUIRE(lu.solve(b.data(), x.data()).ok());
    const auto expected = dense_solution(system.pattern, values, b);
    for (std::size_t j = 0; j < x.size(); ++j) CHECK(std::abs(x[j] - expected[j]) <= bound);
    CHECK(lu.backward_error(x.data()) <= bound);
    CHECK(lu.growth() >= 1);
    REQUIRE(lu.refine(x.data()).ok());
    CHECK(lu.backward_error(x.data()) <= bound);
  }
}

/// 2 x 2, dense, eliminated as it stands.
Plan dense_2x2() { return make_plan({2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {{0, 1}, {0, 1}}); }

}  // namespace

TEST_CASE("ZeroFillLU solves random sparse systems in every scalar") {
  agrees_with_dense_lu<double>(1e-12);
  agrees_with_dense_lu<float>(1e-4);
  agrees_with_dense_lu<std::complex<double>>(1e-12);
}

TEST_CASE("Complex steps pass through ZeroFillLU: dx/dt of A(t) x = b") {
  const RandomSystem system = random_system(12, 0.2, 5);
  const double h = 1e-30;
  std::vector<std::complex<double>> values(system.values.begin(), system.values.end()),
      b(system.right_side.begin(), system.right_side.end()), x(b.size());
  values[3] += std::complex<double>(0, h);
  const Plan plan = make_plan(system.pattern, system.order);
  ZeroFillLU<std::complex<double>> lu(plan);
  REQUIRE(lu.factor(values.data()).ok());
  REQUIRE(lu.solve(b.data(), x.data()).ok());
  // A x' = −A' x, where A' has its only entry at row 0 (entry 3 lies there if the row is long enough)
  int row = 0;
  while (system.pattern.row_start[row + 1] <= 3) ++row;
  std::vector<double> rest(b.size(), 0.0);
  rest[row] = -x[system.pattern.column[3]].real();
  const auto derivative = dense_solution(system.pattern, system.values, rest);
  for (std::size_t j = 0; j < x.size(); ++j) CHECK(x[j].imag() / h == Approx(derivative[j]).margin(1e-12));
}

TEST_CASE("A plan for some outputs computes these, fewer operations, and the rest on demand") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const RandomSystem system = random_system(25, 0.08, seed);
    const Plan all = make_plan(system.pattern, system.order);
    const std::vector<int> outputs{system.order.columns[24], system.order.columns[20]};
    const Plan some = make_plan(system.pattern, system.order, {}, outputs);
    CHECK(some.flops().mul < all.flops().mul);
    CHECK(some.flops() + some.program.complete.flops == all.flops());
    ZeroFillLU<double> lu(some);
    std::vector<double> x(25);
    REQUIRE(lu.factor(system.values.data()).ok());
    REQUIRE(lu.solve(system.right_side.data(), x.data()).ok());
    const auto expected = dense_solution(system.pattern, system.values, system.right_side);
    for (int j : outputs) CHECK(x[j] == Approx(expected[j]).margin(1e-12));
    REQUIRE(lu.complete(x.data()).ok());
    for (int j = 0; j < 25; ++j) CHECK(x[j] == Approx(expected[j]).margin(1e-12));
  }
}

TEST_CASE("Pivots known to be 1 are not divided by") {
  // lower triangular: [1; a 1; b c 1]
  const Pattern pattern{3, 3, {0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}};
  const Order order{{0, 1, 2}, {0, 1, 2}};
  const Plan plan = make_plan(pattern, order, {1, 0, 1, 0, 0, 1});
  CHECK(plan.factor_flops() == Flops{0, 0, 0});
  CHECK(plan.solve_flops() == Flops{3, 3, 0});
  CHECK(make_plan(pattern, order).flops().div == 3);
  ZeroFillLU<double> lu(plan);
  const double values[] = {1, 2, 1, 3, 4, 1}, b[] = {1, 3, 10};
  double x[3];
  REQUIRE(lu.factor(values).ok());
  REQUIRE(lu.solve(b, x).ok());
  CHECK(x[0] == 1);
  CHECK(x[1] == 1);
  CHECK(x[2] == 3);
  CHECK(lu.growth() == 1);
}

TEST_CASE("Growth is max |u| over max |a| of rows scaled to 1") {
  const Plan plan = dense_2x2();
  ZeroFillLU<double> lu(plan);
  const double values[] = {1e-3, 1, 5, 5};  // scaled: U = [1e-3 1; 0 (5 − 5000)/5]
  REQUIRE(lu.factor(values).ok());
  CHECK(lu.growth() == Approx(999));
  CHECK(lu.reciprocal_growth() == Approx(1 / 999.0));
}

TEST_CASE("A pivot that is zero names its unknown") {
  const Plan plan = dense_2x2();
  ZeroFillLU<double> lu(plan);
  const double zero_first[] = {0, 1, 1, 0}, singular[] = {1, 2, 2, 4};
  CHECK(lu.factor(zero_first).state == LUState::zero_pivot);
  CHECK(lu.factor(zero_first).column == 0);
  CHECK(lu.factor(singular).state == LUState::zero_pivot);
  CHECK(lu.factor(singular).column == 1);
}

TEST_CASE("Input that is not finite is found and its equation named") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const RandomSystem system = random_system(15, 0.1, 3);
  const Plan plan = make_plan(system.pattern, system.order);
  ZeroFillLU<double> lu(plan);
  std::vector<double> x(15);
  for (double bad : {nan, infinity, -infinity}) {
    for (int r = 0; r < 15; ++r) {
      std::vector<double> values = system.values, b = system.right_side;
      values[system.pattern.row_start[r]] = bad;
      LUStatus status = lu.factor(values.data());
      if (status.ok()) status = lu.solve(b.data(), x.data());
      CHECK(status.state == LUState::not_finite_input);
      CHECK(status.row == r);
      REQUIRE(lu.factor(system.values.data()).ok());
      b[r] = bad;
      status = lu.solve(b.data(), x.data());
      CHECK(status.state == LUState::not_finite_input);
      CHECK(status.row == r);
    }
  }
}

TEST_CASE("A solution that overflows is not handed on in silence") {
  const Plan plan = dense_2x2();
  ZeroFillLU<double> lu(plan);
  const double values[] = {1e-200, 0, 0, 1}, b[] = {1e200, 1};
  double x[2];
  REQUIRE(lu.factor(values).ok());
  const LUStatus status = lu.solve(b, x);
  CHECK(status.state == LUState::overflow);
  CHECK(status.column == 0);
}

namespace {

/// Rows and columns in other units: exact powers of two, from 2⁻⁴⁰ to 2⁴⁰.
RandomSystem in_other_units(RandomSystem system, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<int> power(-40, 40);
  std::vector<int> column(system.pattern.columns);
  for (int& p : column) p = power(rng);
  for (int r = 0; r < system.pattern.rows; ++r) {
    const int row = power(rng);
    for (int e = system.pattern.row_start[r]; e < system.pattern.row_start[r + 1]; ++e)
      system.values[e] = std::ldexp(system.values[e], row + column[system.pattern.column[e]]);
    system.right_side[r] = std::ldexp(system.right_side[r], row);
  }
  return system;
}

}  // namespace

TEST_CASE("Errors are those of their formulas, and a number that is none is seen wherever it stands") {
  const RandomSystem system = random_system(20, 0.1, 5);
  const Pattern& pattern = system.pattern;
  const Plan plan = make_plan(pattern, system.order);
  ZeroFillLU<double> lu(plan);
  Eigen::VectorXd x(pattern.columns);
  REQUIRE((lu.factor(system.values.data()).ok() && lu.solve(system.right_side.data(), x.data()).ok()));
  x[3] *= 1.001;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.rows, pattern.columns);
  for (int r = 0; r < pattern.rows; ++r)
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) A(r, pattern.column[e]) = system.values[e];
  const auto b = Eigen::Map<const Eigen::VectorXd>(system.right_side.data(), pattern.rows);
  const Eigen::ArrayXd left = (b - A * x).array().abs(), terms = (A.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs()).array();
  const double norm = A.cwiseAbs().rowwise().sum().maxCoeff();
  const SolutionErrors errors = lu.errors(x.data());
  CHECK(errors.norm == Approx(norm));
  CHECK(errors.backward == Approx(left.maxCoeff() / (norm * x.cwiseAbs().maxCoeff() + b.cwiseAbs().maxCoeff())));
  CHECK(errors.componentwise == Approx((left / terms).maxCoeff()));
  const auto seen = [&](double* numbers, int count, double none) {
    int found = 0;
    for (int k = 0; k < count; ++k) {
      const double own = std::exchange(numbers[k], none);
      found += std::isnan(lu.errors(x.data()).backward);
      numbers[k] = own;
    }
    return found == count;
  };
  for (const double none : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK(seen(lu.values(), pattern.entries(), none));
    CHECK(seen(lu.right_side(), pattern.rows, none));
    CHECK(seen(x.data(), pattern.columns, none));
  }
  CHECK(lu.errors(x.data()).backward == errors.backward);
}

TEST_CASE("The componentwise error knows no units") {
  for (unsigned seed = 1; seed < 10; ++seed) {
    const RandomSystem system = random_system(20, 0.15, seed), scaled = in_other_units(system, seed);
    const Plan plan = make_plan(system.pattern, system.order);
    ZeroFillLU<double> lu(plan), other(plan);
    std::vector<double> x(20), z(20);
    REQUIRE((lu.factor(system.values.data()).ok() && lu.solve(system.right_side.data(), x.data()).ok()));
    REQUIRE((other.factor(scaled.values.data()).ok() && other.solve(scaled.right_side.data(), z.data()).ok()));
    x[3] *= 1 + 1e-9, z[3] *= 1 + 1e-9;
    CHECK(lu.errors(x.data()).componentwise > 1e-12);
    CHECK(other.errors(z.data()).componentwise == Approx(lu.errors(x.data()).componentwise));
    long steps = 0;
    CHECK(lu.improve(x.data(), lu.errors(x.data()), 1e-14, steps).componentwise <= 1e-14);
    CHECK(steps == 1);
  }
}

TEST_CASE("A pivot of rounding is told from a small one, in all units") {
  for (unsigned seed = 1; seed < 10; ++seed) {
    // without an entry of unit size that pivots could be compared with
    RandomSystem system = random_system(12, 1.0, seed);
    const Plan plan = make_plan(system.pattern, system.order);
    ZeroFillLU<double> lu(plan);
    std::vector<double> x(12);
    const RandomSystem regular = in_other_units(system, seed);
    REQUIRE(lu.factor(regular.values.data()).ok());
    CHECK(lu.smallest_pivot() < 1e-9);
    REQUIRE(lu.solve(regular.right_side.data(), x.data()).ok());
    CHECK(lu.doubtful(lu.errors(x.data()).norm));
    CHECK(lu.vanishing_pivot(lu.values()) == -1);
    REQUIRE(lu.solve(regular.right_side.data(), x.data()).ok());
    CHECK(lu.errors(x.data()).componentwise <= 1e-12);  // the factors are as they were
    // the last row as a sum of two others
    const int last = system.order.rows[11], a = system.order.rows[2], b = system.order.rows[5];
    for (int k = 0; k < 12; ++k)
      system.values[system.pattern.row_start[last] + k] =
          0.3 * system.values[system.pattern.row_start[a] + k] - 0.7 * system.values[system.pattern.row_start[b] + k];
    for (const RandomSystem& singular : {system, in_other_units(system, seed)}) {
      if (!lu.factor(singular.values.data()).ok()) continue;
      CHECK(lu.doubtful(lu.errors(x.data()).norm));
      CHECK(lu.vanishing_pivot(lu.values()) == system.order.columns[11]);
    }
  }
}

TEST_CASE("A pivot that is the difference of two equal products vanishes, whatever signs the entries are moved by") {
  Pattern pattern;
  pattern.rows = pattern.columns = 2;
  pattern.row_start = {0, 2, 4}, pattern.column = {0, 1, 0, 1};
  Order order;
  order.rows = order.columns = {0, 1};
  const Plan plan = make_plan(pattern, order);
  ZeroFillLU<double> lu(plan);
  std::mt19937 rng(4);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (int k = 0; k < 100; ++k) {
    const double a = uniform(rng), b = uniform(rng), c = uniform(rng), near_one = 1 + 1e-14 * uniform(rng);
    const std::vector<double> values{a, b, c, b * c / a * near_one};
    REQUIRE(lu.factor(values.data()).ok());
    CHECK(lu.vanishing_pivot(lu.values()) == 1);
    for (const bool regular : {true, false}) {  // and no order is healthy where solvers refuse
      Samples samples;
      samples.count = samples.random = 1;
      samples.fill = [&](int, double* to, double* right_side) {
        std::copy(values.begin(), values.end(), to);
        if (regular) to[3] *= 2;
        right_side[0] = 1, right_side[1] = c / a;
      };
      samples.state = [](int) { return std::vector<double>{}; };
      CHECK(measure_health(plan, samples).healthy() == regular);
    }
  }
}

TEST_CASE("An unknown without digits is named, though no pivot is small") {
  // M = J J', J = [1 1 0; 1 1+h 0; 1 1 1]: with h = 6e-8, κ(M) is about 1/ε
  for (const double h : {6e-8, 1e-5}) {
    Pattern pattern;
    pattern.rows = pattern.columns = 3;
    pattern.row_start = {0, 3, 6, 9}, pattern.column = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    Order order;
    order.rows = order.columns = {2, 1, 0};
    const Plan plan = make_plan(pattern, order);
    ZeroFillLU<double> lu(plan);
    const std::vector<double> values{2, 2 + h, 2, 2 + h, 1 + (1 + h) * (1 + h), 2 + h, 2, 2 + h, 3}, b{1, -2, 0.5};
    std::vector<double> x(3);
    REQUIRE(lu.factor(values.data()).ok());
    REQUIRE(lu.solve(b.data(), x.data()).ok());
    CHECK(lu.errors(x.data()).componentwise < 1e-12);  // which says nothing of digits
    const std::vector<double> before(lu.right_side(), lu.right_side() + 3);
    const std::vector<double> negligible(3, 0.0);
    CHECK((lu.unknown_without_digits(x.data(), negligible.data()) >= 0) == (h < 1e-6));
    CHECK(std::equal(before.begin(), before.end(), lu.right_side()));
  }
}

namespace {

/// Three unknowns without many digits (h small) beside a joint at rest: f + I a = b, f − t = 0, t = 0, of which f = b − I a
/// gives rounding.
struct BesideRest {
  Pattern pattern{6, 6, {0, 3, 6, 9, 11, 13, 14}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 3, 5, 5}};
  Order order{{5, 3, 4, 2, 1, 0}, {5, 3, 4, 2, 1, 0}};
  UnitEntries unit{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1};

  std::vector<double> values(double h, double inertia) const {
    return {2, 2 + h, 2, 2 + h, 1 + (1 + h) * (1 + h), 2 + h, 2, 2 + h, 3, 1, inertia, 1, -1, 1};
  }
};

}  // namespace

TEST_CASE("Equations of zeros take one correction, and do not hide unknowns without digits") {
  const BesideRest system;
  const Plan plan = make_plan(system.pattern, system.order, system.unit);
  ZeroFillLU<double> lu(plan);
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> uniform(0.1, 1);
  int answered = 0, refused = 0;
  for (const double h : {0.5, 6e-8})
    for (int k = 0; k < 200; ++k) {
      const double inertia = uniform(rng), wrench = uniform(rng);
      const std::vector<double> values = system.values(h, inertia), b{uniform(rng), -uniform(rng), uniform(rng), wrench, 0, 0};
      std::vector<double> x(6);
      REQUIRE(lu.factor(values.data()).ok());
      REQUIRE(lu.solve(b.data(), x.data()).ok());
      const SolutionErrors found = lu.errors(x.data());
      if (found.componentwise <= 1e-12) continue;  // f = 0 by chance
      long steps = 0;
      const double left = lu.improve(x.data(), found, 1e-12, steps).componentwise;
      CAPTURE(h, inertia, wrench);
      if (h < 1e-6) {
        // as solvers do: a correction that is zero by chance does not tell digits, pivots do
        CHECK((left >= 1 || (lu.doubtful(found.norm) && lu.vanishing_pivot(lu.values()) >= 0)));
        refused += left >= 1;
        continue;
      }
      ++answered;
      CHECK(left <= 1e-12);
      CHECK(steps == 1);
      CHECK(std::abs(x[3]) <= 1e-30);
      CHECK(x[4] == Approx(wrench / inertia).epsilon(1e-14));
    }
  CHECK(answered > 3);
  CHECK(refused > 3);
}
