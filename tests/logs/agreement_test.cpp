// When what a log leaves agrees with the noise that its sensors state.
#include "sparsedyn/logs/agreement.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace sparsedyn;

namespace {

/// The probability that chi-square of 2 m freedoms exceeds x: m events of a Poisson process by x / 2.
double tail(double x, int m) {
  double term = std::exp(-0.5 * x), sum = 0;
  for (int k = 0; k < m; term *= 0.5 * x / ++k) sum += term;
  return sum;
}

}  // namespace

TEST_CASE("a chi-square is rejected beyond one in a million, and above 1.2 times its expectation") {
  for (int m : {1, 5, 50, 200}) {
    double x = 2.0 * m;
    while (tail(x, m) > 1e-6) x += 1e-3;
    CAPTURE(m, x);
    REQUIRE(x > 1.2 * 2 * m);
    CHECK(trusted({x - 0.1, 2 * m}) == true);
    CHECK(trusted({x + 0.1, 2 * m}) == false);
  }
  for (std::int64_t freedoms :
       {std::int64_t{10000}, std::int64_t{1000000}, std::int64_t{1000000000000}}) {  // of many the quantile lies lower
    const auto n = static_cast<double>(freedoms);
    CHECK(trusted({1.199 * n, freedoms}) == true);
    CHECK(trusted({1.201 * n, freedoms}) == false);
  }
  CHECK(trusted({0, 5}) == true);
  CHECK(trusted({std::numeric_limits<double>::infinity(), 5}) == false);
  CHECK(trusted({std::nan(""), 5}) == false);
}

TEST_CASE("without redundancy the noise is not judged") {
  CHECK_FALSE(trusted({0, 0}).has_value());
  CHECK_FALSE(trusted({1e-30, -2}).has_value());
  CHECK(deviation_scale({7, 0}) == 1);
}

TEST_CASE("deviations are scaled up by what chi-square is beyond its expectation, never down") {
  CHECK(deviation_scale({400, 100}) == Approx(2));
  CHECK(deviation_scale({25, 100}) == 1);
}
