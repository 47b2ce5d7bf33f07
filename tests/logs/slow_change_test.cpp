// Slow changes in white numbers: told where they are, not where numbers are loud, coloured or led by another series.
#include "sparsedyn/logs/detail/slow_change.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "support/heap.hpp"

using namespace sparsedyn;

namespace {

using Signal = std::function<double(double)>;  // of the share of the log that is over, 0 to 1

/// `loud`: the noise's deviation.
SlowChanges one_series(const Signal& signal, unsigned seed, int samples = 1000, double loud = 1, int every = 1) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> noise(0, loud);
  SlowChanges series(1);
  for (int k = 0; k < samples; ++k)
    series.add(0, k * every, k * every + 2, signal(static_cast<double>(k) / samples) + noise(rng));
  return series;
}

double zero(double) { return 0; }
double warming(double t) { return 3 * (1 - std::exp(-4 * t)); }

}  // namespace

TEST_CASE("noise alone shows no change: as stated, three times as loud, in short logs, beside a constant") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    CHECK(one_series(zero, seed).found().empty());
    CHECK(one_series(zero, seed, 1000, 3).found().empty());
    CHECK(one_series(zero, seed, 40).found().empty());
    CHECK(one_series([](double) { return 5; }, seed, 500).found().empty());
  }
}

TEST_CASE("a warming sensor, a steady drift and a jump are found, with their size and where they begin") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const auto warm = one_series(warming, seed).found();
    REQUIRE(warm.size() == 1);
    CHECK(warm[0].size == Approx(3 * (1 - std::exp(-4))).margin(0.5));
    CHECK(warm[0].from_line < 200);
    const auto falling = one_series([](double t) { return -2 * t; }, seed, 4000, 1, 3).found();
    REQUIRE(falling.size() == 1);
    CHECK(falling[0].size == Approx(-2).margin(0.3));
    const auto late = one_series([](double t) { return 20 * std::max(0.0, t - 0.7); }, seed).found();
    REQUIRE(late.size() == 1);
    CHECK(late[0].from_line > 300);
    CHECK(one_series([](double t) { return t < 0.5 ? 0.0 : 3.0; }, seed).found().size() == 1);
  }
}

TEST_CASE("errors that vary with the robot's motion are not reported as drift") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    CHECK(one_series([](double t) { return 4 * std::sin(2 * M_PI * 5 * t); }, seed).found().empty());
    // friction that changes its sign, over a motion whose base period is the log
    CHECK(
        one_series(
            [](double t) { return 3 * std::tanh(20 * (std::cos(6.28 * t) + std::cos(6.28 * 7 * t) + std::cos(6.28 * 4 * t))); },
            seed)
            .found()
            .empty());
  }
}

TEST_CASE("the drift of one sensor is not reported for other sensors") {
  // residuals (1 − H) y of four readings of one number, y = x + noise + drift: H is the mean
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(seed);
    std::normal_distribution<double> noise;
    SlowChanges series(4);
    const double v = 0.75;
    for (int k = 0; k < 2000; ++k) {
      double y[4], mean = 0;
      for (int i = 0; i < 4; ++i) y[i] = noise(rng) + (i == 2 ? 4 * k / 2000.0 : 0), mean += y[i] / 4;
      for (std::size_t i = 0; i < 4; ++i) series.add(i, k, k, (y[i] - mean) / std::sqrt(v));
    }
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < i; ++j) series.correlate(i, j, -0.25 / v);
    const auto found = series.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].series == 2);
    CHECK(found[0].or_else.empty());
    CHECK(series.found({2}).empty());  // known to be at fault: it explains the others
  }
}

TEST_CASE("if two readings measure the same quantity, both are named as possibly drifting") {
  std::mt19937 rng(3);
  std::normal_distribution<double> noise;
  SlowChanges series(2);
  for (int k = 0; k < 1000; ++k) {
    const double difference = (noise(rng) - noise(rng)) / std::sqrt(2) + 3 * k / 1000.0;
    series.add(0, k, k, difference), series.add(1, k, k, -difference);
  }
  series.correlate(0, 1, -1);
  const auto found = series.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].or_else.size() == 1);
}

TEST_CASE("a log of any length is followed without memory") {
  std::mt19937 rng(1);
  std::normal_distribution<double> noise;
  SlowChanges series(3);
  const long before = test::allocations();
  for (long k = 0; k < 200000; ++k) {
    for (std::size_t s = 0; s < 3; ++s) series.add(s, k, k, noise(rng) + (s == 1 ? 1e-5 * static_cast<double>(k) : 0.0));
    series.correlate(0, 1, 0);
  }
  CHECK(test::allocations() == before);
  CHECK(series.count(1) == 200000);
  const auto found = series.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].series == 1);
  CHECK(found[0].size == Approx(2).margin(0.1));
}
