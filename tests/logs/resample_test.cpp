// Logs whose times jitter, on an even clock.
#include "sparsedyn/logs/resample.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace sparsedyn;
using Columns = std::vector<std::vector<double>>;

TEST_CASE("what is linear in time is met exactly on an even clock, wherever its samples lie") {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> jitter(-0.004, 0.004);
  std::vector<double> time;
  Columns values(2);
  for (int k = 0; k < 400; ++k) {
    time.push_back(5 + 0.01 * k + jitter(rng));
    values[0].push_back(3 * time.back() - 1), values[1].push_back(-time.back());
  }
  const Resampled made = resample({"q.a", "y.b"}, time, values, 250);
  REQUIRE(made.time.size() > 990);
  CHECK(made.late == 0);
  CHECK(made.repeated == 0);
  for (std::size_t i = 0; i < made.time.size(); ++i) {
    CHECK(made.time[i] * 250 == Approx(std::round(made.time[i] * 250)).epsilon(1e-12));
    CHECK(made.time[i] >= time.front() - 1e-9);
    CHECK(made.time[i] <= time.back() + 1e-9);
    CHECK(made.values[0][i] == Approx(3 * made.time[i] - 1).margin(1e-12));
    CHECK(made.values[1][i] == Approx(-made.time[i]).margin(1e-12));
  }
}

TEST_CASE("a sample at a time of the clock is taken as it is, and nothing is made up over a pause or beside a gap") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> time{0, 0.1, 0.15, 0.4, 0.5, 0.6};
  const Resampled made = resample({"a"}, time, {{1, 2, 9, 5, nan, 7}}, 20);  // 0, 0.05 … 0.6
  REQUIRE(made.time.size() == 13);
  const std::vector<double>& a = made.values[0];
  CHECK((a[0] == 1 && a[2] == 2 && a[3] == 9 && a[8] == 5 && a[12] == 7));
  CHECK(a[1] == Approx(1.5));
  for (int k : {4, 5, 6, 7, 9, 10, 11}) {
    CAPTURE(k);
    CHECK(std::isnan(a[static_cast<std::size_t>(k)]));
  }
}

TEST_CASE("samples out of order are put in order, and of those at one time the last counts") {
  const Resampled made = resample({"a"}, {0, 0.02, 0.01, 0.02, 0.03}, {{0, 7, 1, 2, 3}}, 100);
  CHECK(made.late == 1);
  CHECK(made.repeated == 1);
  CHECK(made.values[0] == std::vector<double>{0, 1, 2, 3});
}

TEST_CASE("orientations and angles go on the shorter way") {
  const double half = 0.2;  // of a turn by 0.4 rad about x; q and −q are one orientation
  const Resampled made = resample({"q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw", "q.wheel", "y.wheel"}, {0, 0.1},
                                  {{0, -std::sin(half)}, {0, 0}, {0, 0}, {1, -std::cos(half)}, {3.1, -3.1}, {3.1, -3.1}}, 20);
  REQUIRE(made.time.size() == 3);
  CHECK(made.values[0][1] == Approx(std::sin(half / 2)));
  CHECK(made.values[3][1] == Approx(std::cos(half / 2)));
  CHECK(made.values[4][1] == Approx(std::acos(-1.0)));  // not 0, where it never was
  CHECK(made.values[5][1] == Approx(0).margin(1e-12));  // a reading is what it is
}

TEST_CASE("what cannot be resampled is refused") {
  CHECK_THROWS_AS(resample({"a"}, {0, 1}, {{1}}, 10), std::invalid_argument);
  CHECK_THROWS_AS(resample({"a", "b"}, {0, 1}, {{1, 2}}, 10), std::invalid_argument);
  CHECK_THROWS_AS(resample({"a"}, {0, std::nan("")}, {{1, 2}}, 10), std::invalid_argument);
  CHECK_THROWS_AS(resample({"a"}, {0, 1}, {{1, 2}}, 0), std::invalid_argument);
  CHECK_THROWS_AS(resample({"a"}, {0, 1e9}, {{1, 2}}, 1e9), std::invalid_argument);
  CHECK_THROWS_AS(resample({"a"}, {}, {{}}, 10), std::invalid_argument);
}
