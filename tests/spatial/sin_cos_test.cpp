#include "sparsedyn/spatial/detail/sin_cos.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "support/quad.hpp"

using sparsedyn::sin_cos;
using sparsedyn::test::Quad;

namespace {

/// |x − r| in units of r's last place. r has 34 digits: Windows' sinl, the processor's fsin, is as wrong as its π of 66 bits.
double ulps(double x, const Quad& r) {
  const double near = std::fabs(static_cast<double>(r));
  return static_cast<double>(abs(x - r)) / (std::nextafter(near, HUGE_VAL) - near);
}

}  // namespace

TEST_CASE("sine and cosine are within 2.5 units in the last place") {
  std::mt19937 rng(1);
  double worst = 0;
  for (double range : {0.1, 1.0, 3.2, 100.0, 1e5}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int k = 0; k < 20000; ++k) {
      const double x = uniform(rng);
      const auto [s, c] = sin_cos(x);
      worst = std::max({worst, ulps(s, sin(Quad(x))), ulps(c, cos(Quad(x)))});
    }
  }
  CHECK(worst < 2.5);
}

TEST_CASE("sine and cosine keep their digits where they are small, near every quarter turn") {
  double worst = 0;
  for (int turns : {0, 1, 2, 3, 4, 7, 100, 1001, 63661})
    for (int k = 1; k <= 12; ++k)
      for (double sign : {1.0, -1.0}) {
        const double x = turns * std::acos(0.0) + sign * std::pow(10.0, -k);
        const auto [s, c] = sin_cos(x);
        const Quad wide(x);
        const auto off = [](double value, const Quad& exact) {
          return static_cast<double>(abs((value - exact) / exact)) / std::numeric_limits<double>::epsilon();
        };
        worst = std::max({worst, off(s, sin(wide)), off(c, cos(wide))});
      }
  CHECK(worst < 2.5);
}

TEST_CASE("sines and cosines of quarter turns, zeros and angles outside the range") {
  const double pi = std::acos(-1.0), infinity = std::numeric_limits<double>::infinity();
  for (int k = -8; k <= 8; ++k) {
    const double x = k * pi / 2;
    CHECK(std::fabs(sin_cos(x).sin - std::sin(x)) < 1e-16);
    CHECK(std::fabs(sin_cos(x).cos - std::cos(x)) < 1e-16);
  }
  CHECK(sin_cos(0.0).cos == 1.0);
  for (double x : {1e6, -1e15, 1e300}) CHECK((sin_cos(x).sin == std::sin(x) && sin_cos(x).cos == std::cos(x)));
  for (double x : {infinity, -infinity, std::nan("")}) CHECK((std::isnan(sin_cos(x).sin) && std::isnan(sin_cos(x).cos)));
}
