// Dual and bicomplex numbers against derivatives known in closed form.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/scalar/autodiff.hpp"

using namespace sparsedyn;

namespace {

/// Every operation and every mixture with a constant that the algorithms use.
template <class S>
S f(const S& x) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  S y = 2.0 * sin(x) * x + cos(x) / (1.0 + x * x) - 0.5;
  y += sqrt(x) / 3.0;
  y *= 1.5 - x;
  y -= 2.0 / x;
  y /= x + 0.25;
  return -y;
}

/// f' and f'' by Richardson's extrapolation of central differences.
double slope(double x, double h = 1e-3) {
  const auto d = [&](double step) { return (f(x + step) - f(x - step)) / (2 * step); };
  return (64 * d(h / 4) - 20 * d(h / 2) + d(h)) / 45;
}
double curvature(double x, double h = 1e-2) {
  const auto d = [&](double step) { return (f(x + step) - 2 * f(x) + f(x - step)) / (step * step); };
  return (64 * d(h / 4) - 20 * d(h / 2) + d(h)) / 45;
}

}  // namespace

TEST_CASE("a dual number carries value and slope") {
  for (double x : {0.3, 1.1, 2.7}) {
    const auto y = f(dual_variable<double>(x));
    CHECK(y.x == Approx(f(x)).epsilon(1e-15));
    CHECK(y.d[0] == Approx(slope(x)).epsilon(1e-10));
  }
}

TEST_CASE("a dual number with several directions gives the gradient of x² y / (x + y)") {
  const double x = 0.7, y = -1.9;
  const auto a = dual_variable<double, 2>(x, 0), b = dual_variable<double, 2>(y, 1);
  const auto g = a * a * b / (a + b);
  CHECK(g.d[0] == Approx((2 * x * y * (x + y) - x * x * y) / ((x + y) * (x + y))).epsilon(1e-14));
  CHECK(g.d[1] == Approx(x * x * x / ((x + y) * (x + y))).epsilon(1e-14));
}

TEST_CASE("a dual number of dual numbers carries the curvature") {
  using D = Dual<double>;
  for (double x : {0.3, 1.1, 2.7}) {
    const auto y = f(dual_variable<D>(dual_variable<double>(x)));
    CHECK(y.x.d[0] == Approx(y.d[0].x).epsilon(1e-14));
    CHECK(y.d[0].d[0] == Approx(curvature(x)).epsilon(1e-8));
  }
}

TEST_CASE("a bicomplex step gives slope and curvature, as the dual numbers do, at any small step") {
  using D = Dual<double>;
  for (double h : {1e-10, 1e-50})
    for (double x : {0.3, 1.1, 2.7}) {
      const Bicomplex y = f(Bicomplex({x, h}, {h, 0.0}));
      const auto exact = f(dual_variable<D>(dual_variable<double>(x)));
      CHECK(y.real() == Approx(f(x)).epsilon(1e-14));
      CHECK(y.i() / h == Approx(exact.x.d[0]).epsilon(1e-13));
      CHECK(y.j() / h == Approx(exact.x.d[0]).epsilon(1e-13));
      CHECK(y.ij() / (h * h) == Approx(exact.d[0].d[0]).epsilon(1e-12));
    }
}

TEST_CASE("bicomplex units: i² = j² = −1, ij = ji, (ij)² = 1, and x / x = 1") {
  const Bicomplex i({0, 1}, {0, 0}), j({0, 0}, {1, 0}), z({0.3, -1.2}, {0.7, 0.4});
  CHECK((i * i).real() == -1);
  CHECK((j * j).real() == -1);
  CHECK((i * j).ij() == 1);
  CHECK((j * i).ij() == 1);
  CHECK((i * j * i * j).real() == 1);
  const Bicomplex one = z / z, root = sqrt(z) * sqrt(z);
  CHECK(std::abs(one.a - 1.0) + std::abs(one.b) < 1e-15);
  CHECK(std::abs(root.a - z.a) + std::abs(root.b - z.b) < 1e-15);
}
