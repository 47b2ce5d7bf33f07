// Counts of the recursive algorithms on chains of 2 to 30 joints are the polynomials that theory says.
#include "flops/count_growth.hpp"

#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/flops/counts.hpp"
#include "sparsedyn/scalar/counting_scalar.hpp"

using namespace sparsedyn;

namespace {

using Counter = CountingScalar;

/// What one run of `algorithm(model, workspace, input, output)` executes; the vectors hold nv² counters.
template <class Algorithm>
OperationCounts counts_of(const Model& model, Algorithm&& algorithm) {
  Workspace<Counter> work(model);
  std::vector<Counter> in(model.nv), out(model.nv * model.nv);
  Counter::counts() = {};
  algorithm(model, work, in.data(), out.data());
  return Counter::counts();
}

/// The fit of multiplications and of additions over n = 2 … 30.
template <class Algorithm>
std::pair<CountGrowth, CountGrowth> growth_of(int degree, Algorithm&& algorithm) {
  std::vector<double> n, mul, add;
  for (int joints = 2; joints <= 30; ++joints) {
    const OperationCounts counted = counts_of(general_chain(joints), algorithm);
    n.push_back(joints), mul.push_back(static_cast<double>(counted.mul)), add.push_back(static_cast<double>(counted.add));
  }
  return {fit_growth(n, mul, degree), fit_growth(n, add, degree)};
}

const Force<Counter>* const no_wrenches = nullptr;

}  // namespace

TEST_CASE("a fit finds the polynomial that the points lie on") {
  std::vector<double> n, y;
  for (int k = 2; k <= 30; ++k) n.push_back(k), y.push_back(10 * k * k + 22 * k - 32);
  const CountGrowth growth = fit_growth(n, y, 2);
  CHECK(growth.coefficients[2] == Approx(10));
  CHECK(growth.coefficients[1] == Approx(22));
  CHECK(growth.coefficients[0] == Approx(-32));
  CHECK(growth.largest_residual < 1e-9);
  CHECK(growth_text(growth) == "10 n² + 22 n − 32");
  CHECK(fit_growth(n, y, 1).largest_residual > 100);
  CHECK(growth_text({{-7.0 / 6, 1, 1.0 / 6}, 0}) == "0.167 n² + n − 1.167");
  CHECK(growth_text({{0, 0}, 0}) == "0");
}

TEST_CASE("rnea and aba are linear in the length of a chain") {
  const auto rnea_growth = growth_of(
      1, [](const Model& model, auto& work, const Counter* x, Counter* out) { rnea(model, work, x, x, x, no_wrenches, out); });
  const auto aba_growth = growth_of(
      1, [](const Model& model, auto& work, const Counter* x, Counter* out) { aba(model, work, x, x, x, no_wrenches, out); });
  for (const auto& [mul, add] : {rnea_growth, aba_growth}) {
    CHECK(mul.largest_residual < 1e-6);
    CHECK(add.largest_residual < 1e-6);
  }
  // no more than these for one joint more
  CHECK(rnea_growth.first.coefficients[1] <= 116.001);
  CHECK(rnea_growth.second.coefficients[1] <= 100.001);
  CHECK(aba_growth.first.coefficients[1] <= 328.001);
  CHECK(aba_growth.second.coefficients[1] <= 280.001);
}

TEST_CASE("crba is quadratic in the length of a chain") {
  std::vector<double> n, mul;
  const auto growth =
      growth_of(2, [](const Model& model, auto& work, const Counter* x, Counter* out) { crba(model, work, x, out); });
  CHECK(growth.first.largest_residual < 1e-6);
  CHECK(growth.second.largest_residual < 1e-6);
  CHECK(growth.first.coefficients[2] == Approx(12));
  CHECK(growth.second.coefficients[2] == Approx(9));
}
