// Velocities and accelerations of bases that spin and tumble, of wheels, of what stands still, and of logs of a few rows.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/logs/differentiate.hpp"

using namespace sparsedyn;

namespace {

using Table = std::vector<std::vector<double>>;
const std::vector<std::string> pose_columns{"q.base.x",  "q.base.y",  "q.base.z", "q.base.qx",
                                            "q.base.qy", "q.base.qz", "q.base.qw"};

/// A base at rest in the world that turns at a constant rate about an axis of its own.
struct Spin {
  double rate;
  std::vector<double> axis;  // a unit vector
  Table positions(std::size_t rows, double dt, std::mt19937* signs) const {
    Table q(7);
    for (std::size_t i = 0; i < rows; ++i) {
      const double half = 0.5 * rate * dt * static_cast<double>(i), sign = signs && ((*signs)() & 1) ? -1 : 1;
      for (std::size_t k = 0; k < 3; ++k) q[k].push_back(0.1), q[3 + k].push_back(sign * axis[k] * std::sin(half));
      q[6].push_back(sign * std::cos(half));
    }
    return q;
  }
};

std::vector<double> unit(std::vector<double> x) {
  const double n = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (double& each : x) each /= n;
  return x;
}

/// The largest errors of angular velocity and acceleration, beside what is stated of each.
void check_spin(const Spin& spin, std::size_t rows, double dt, std::mt19937* signs, const DifferentiateOptions& options) {
  const Differentiated made = differentiate(pose_columns, spin.positions(rows, dt, signs), dt, options);
  INFO(rows << " rows, " << spin.rate * dt << " rad a row about " << spin.axis[0] << " " << spin.axis[1] << " " << spin.axis[2]
            << ", windows " << made.window[0] / dt << " and " << made.window[6] / dt << " rows");
  double velocity = 0, acceleration = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      REQUIRE(std::isfinite(made.values[c][i]));
      velocity = std::max(velocity, std::abs(made.values[c][i] - spin.rate * spin.axis[c]));
      acceleration = std::max(acceleration, std::abs(made.values[6 + c][i]));
    }
  CHECK(velocity <= 10 * made.deviation[0]);  // at the ends, about 8 and 6 times as much as inside
  CHECK(acceleration <= 10 * made.deviation[6]);
  CHECK(made.deviation[0] < 1e-9 / dt);
  CHECK(made.deviation[6] < 1e-9 / (dt * dt));
  CHECK(made.deviation[0] >= 1e-16);
}

}  // namespace

TEST_CASE("a base that spins at a constant rate has it in every row, up to half a turn from row to row") {
  constexpr double dt = 0.01;
  std::mt19937 rng(7);
  for (const std::size_t rows : {7, 8, 12, 20, 94, 632})
    for (const double rate : {0.0, 0.02, 0.5, 3.0, 10.0, 26.0, 60.0, 90.0, 110.0, 157.0, 200.0, 260.0, 310.0})
      for (const std::vector<double>& axis : {std::vector<double>{0, 0, 1}, {0, -1, 0}, {1, 2, 3}, {-0.3, 0.1, -0.9}})
        if (rows < 600 || axis[0] != 0) check_spin({rate, unit(axis)}, rows, dt, axis[1] != 0 ? &rng : nullptr, {});
}

TEST_CASE("random spins are found in every row, with stated windows too") {
  std::mt19937 rng(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 60; ++k) {
    const double dt = std::pow(10, -3 + 2 * uniform(rng));
    const Spin spin{3.1 * uniform(rng) / dt, unit({normal(rng), normal(rng), normal(rng)})};
    const auto rows = static_cast<std::size_t>(7 + 500 * uniform(rng));
    const DifferentiateOptions options[] = {{}, {0, 200 * uniform(rng) * dt}, {0.4 * uniform(rng) / dt, 0}};
    check_spin(spin, rows, dt, &rng, options[k % 3]);
  }
}

TEST_CASE("the deviation of a noisy spin is that of its error") {
  constexpr double dt = 0.01;
  for (const double rate : {0.5, 5.0, 20.0, 50.0, 120.0, 200.0})
    for (const double sigma : {1e-4})
      for (const DifferentiateOptions& options : {DifferentiateOptions{}, DifferentiateOptions{0, 0.5}}) {
        std::mt19937 rng(3);
        std::normal_distribution<double> noise(0, 0.5 * sigma);
        const Spin spin{rate, unit({1, 2, 3})};
        Table q = spin.positions(1500, dt, &rng);
        for (std::size_t i = 0; i < 1500; ++i) {  // q Exp(ε)
          const double a[] = {q[3][i], q[4][i], q[5][i], q[6][i]}, e[] = {noise(rng), noise(rng), noise(rng)};
          for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
            q[3 + k][i] = a[k] + a[3] * e[k] + a[l] * e[m] - a[m] * e[l];
          }
          q[6][i] = a[3] - a[0] * e[0] - a[1] * e[1] - a[2] * e[2];
        }
        const Differentiated made = differentiate(pose_columns, q, dt, options);
        INFO(rate << " rad/s, noise " << sigma << ", windows " << made.window[0] << " s and " << made.window[6] << " s");
        for (const std::size_t first : {0, 6}) {
          double squares = 0;
          const std::size_t edge = static_cast<std::size_t>(made.window[first] / dt) / 2 + 1;
          for (std::size_t i = edge; i + edge < 1500; ++i)
            for (std::size_t c = 0; c < 3; ++c) {
              const double error = made.values[first + c][i] - (first == 0 ? rate * spin.axis[c] : 0.0);
              squares += error * error / 3;
            }
          const double error = std::sqrt(squares / static_cast<double>(1500 - 2 * edge));
          double stated = 0;
          for (std::size_t c = 0; c < 3; ++c) stated = std::hypot(stated, made.deviation[first + c] / std::sqrt(3.0));
          CHECK(error < 1.3 * stated);
          CHECK(error > 0.5 * stated);
        }
      }
}

TEST_CASE("a base that tumbles is followed where it turns far within the window stated") {
  // Exp(t a) Exp(u(t) b): ω = Rᵀ(u b) a + u' b, with R(u b) the turn by u about b.
  constexpr double dt = 0.002;
  const std::vector<double> a = unit({1, 2, 2}), b = unit({2, -1, 0.5});
  const double turn = 9.0;
  const auto u = [](double t) { return 1.2 * std::sin(3 * t); };
  Table q(7);
  for (int i = 0; i < 3000; ++i) {
    const double t = dt * i, ca = std::cos(0.5 * turn * t), sa = std::sin(0.5 * turn * t), cb = std::cos(0.5 * u(t)),
                 sb = std::sin(0.5 * u(t));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
      q[k].push_back(0);
      q[3 + k].push_back(ca * sb * b[k] + cb * sa * a[k] + sa * sb * (a[l] * b[m] - a[m] * b[l]));
    }
    q[6].push_back(ca * cb - sa * sb * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
  }
  for (const DifferentiateOptions& options :
       {DifferentiateOptions{}, DifferentiateOptions{0, 0.2}, DifferentiateOptions{0, 2.0}}) {
    const Differentiated made = differentiate(pose_columns, q, dt, options);
    double error = 0;
    for (int i = 300; i < 2700; ++i) {
      const double t = dt * i, c = std::cos(u(t)), s = std::sin(u(t)), along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
        const double across = a[l] * b[m] - a[m] * b[l];  // a × b, and Rᵀa = c a + s a × b + (1 − c)(a·b) b
        const double w = turn * (c * a[k] + s * across + (1 - c) * along * b[k]) + 3.6 * std::cos(3 * t) * b[k];
        error += std::pow(made.values[k][static_cast<std::size_t>(i)] - w, 2) / 7200;
      }
    }
    INFO("window " << made.window[0] << " s");
    double stated = 0;
    for (std::size_t c = 0; c < 3; ++c) stated = std::hypot(stated, made.deviation[c] / std::sqrt(3.0));
    CHECK(std::sqrt(error) < 1.5 * stated);
    CHECK(made.bounded.empty() == (options.window < 1));
  }
}

TEST_CASE("a base at rest has zero velocity and the deviation of rounding") {
  for (const std::size_t rows : {7, 40, 1200})
    for (const DifferentiateOptions& options :
         {DifferentiateOptions{}, DifferentiateOptions{0, 1.0}, DifferentiateOptions{5, 0}}) {
      const std::vector<double> at{0.3, -2.0, 1e3, 0.1, 0.2, -0.3, 0.7, 0.0, 0.3, -1e-9};
      std::vector<std::string> columns = pose_columns;
      for (const char* joint : {"q.zero", "q.a", "q.b"}) columns.push_back(joint);
      Table q;
      for (double x : at) q.emplace_back(rows, x);
      const Differentiated made = differentiate(columns, q, 0.004, options);
      for (std::size_t k = 0; k < made.columns.size(); ++k) {
        INFO(made.columns[k] << ", " << rows << " rows");
        for (double x : made.values[k]) REQUIRE(x == 0);
        CHECK(made.deviation[k] > 0);
        CHECK(made.deviation[k] < 1e-6);
      }
    }
}

TEST_CASE("fewer samples than the smallest window has give none, and no deviation") {
  for (const std::size_t rows : {0, 1, 2, 6}) {
    const Differentiated made = differentiate({"q.a"}, {std::vector<double>(rows, 0.5)}, 0.004);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(std::isnan(made.deviation[k]));
      CHECK(made.window[k] == Approx(7 * 0.004));
      for (double x : made.values[k]) CHECK(std::isnan(x));
    }
  }
}

TEST_CASE("the angle of a fast wheel is unwrapped, and a joint that moves more than a turn is unchanged") {
  constexpr double dt = 0.01;
  for (const double rate : {0.5, 90.0, 150.0, 250.0, 310.0, -200.0}) {
    Table q(2);
    for (int i = 0; i < 200; ++i) q[0].push_back(std::remainder(rate * dt * i + 0.4, 2 * M_PI)), q[1].push_back(4.0 * i);
    const Differentiated made = differentiate({"q.wheel", "q.rack"}, q, dt);
    INFO(rate << " rad/s");
    for (std::size_t i = 0; i < 200; ++i) {
      CHECK(made.values[0][i] == Approx(rate).epsilon(1e-9));
      CHECK(made.values[1][i] == Approx(400).epsilon(1e-9));
    }
  }
}
