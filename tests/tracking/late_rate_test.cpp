// The base's angular velocity by kinematic rows, some rows late and of a whole log: where intervals are uneven, axes of the
// gyroscope differ in noise, and readings lack.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/tracking/tracker.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double coarse = 3e-2;  // rad/s, noise of the gyroscope's second axis

struct UnevenLog {
  std::vector<std::vector<double>> y, v;
  std::vector<double> dt;
};

/// Every fourth row is left out, and what gyroscope and accelerometer read in its interval is part of the next one's mean; the
/// gyroscope has a gap in every tenth.
UnevenLog uneven(unsigned seed) {
  const WalkLog log = walk(1200, 250, seed);
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  UnevenLog found;
  double dt = 0;
  std::vector<double> sum(6, 0.0);
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    std::vector<double> y = log.readings[k];
    y[13] += coarse * normal(rng);
    dt += log.dt;
    for (std::size_t i = 0; i < 6; ++i) sum[i] += log.dt * y[12 + i];
    if (k > 0 && rng() % 4 == 0) continue;
    for (std::size_t i = 0; i < 6; ++i) y[12 + i] = sum[i] / dt;
    if (k > 0 && rng() % 10 == 0) y[12] = y[13] = y[14] = std::nan("");
    found.y.push_back(y), found.v.push_back(log.v[k]), found.dt.push_back(dt);
    dt = 0;
    std::fill(sum.begin(), sum.end(), 0.0);
  }
  return found;
}

}  // namespace

TEST_CASE(
    "a base's angular velocity, late and of the whole log, is as far off as its deviation says, on uneven rows with gaps") {
  SensorSet set = walking_sensors();
  for (Sensor& s : set.sensors)
    if (s.type == "gyroscope") s.sigma = {2e-3, coarse, 2e-3};
  TrackerOptions options;
  options.outputs = {"dq.base.wx", "dq.base.wy", "dq.base.wz"}, options.deviations = true, options.lag = 4;
  options.rows = TrackRows::kinematic;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  std::vector<double> late[3], whole[3];  // errors in deviations, by axis
  for (unsigned seed : {1U, 2U, 3U}) {
    const UnevenLog log = uneven(seed);
    std::vector<double> out(6), all;
    tracker.start();
    for (std::size_t k = 0; k < log.y.size(); ++k) {
      REQUIRE(tracker.step(log.y[k].data(), log.dt[k], out.data()).ok);
      all.insert(all.end(), log.y[k].begin(), log.y[k].end());
      if (k < 200) continue;
      REQUIRE(tracker.delayed(4, out.data()));
      for (std::size_t c = 0; c < 3; ++c) late[c].push_back((out[c] - log.v[k - 4][c]) / out[3 + c]);
    }
    std::vector<double> results(6 * log.y.size());
    tracker.start();
    smooth(tracker, all, log.dt, 2, results.data());
    for (std::size_t k = 200; k < log.y.size(); ++k)
      for (std::size_t c = 0; c < 3; ++c) whole[c].push_back((results[6 * k + c] - log.v[k][c]) / results[6 * k + 3 + c]);
  }
  for (const auto* errors : {late, whole}) {
    double widest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      double squares = 0, inside = 0;
      for (double e : errors[axis]) squares += e * e, inside += std::abs(e) < 2;
      const auto count = static_cast<double>(errors[axis].size());
      CAPTURE(axis, errors == late, squares / count, inside / count);
      CHECK(squares / count < 1.4);
      CHECK(inside / count > 0.92);
      widest = std::max(widest, squares / count);
    }
    CHECK(widest > 0.3);  // one deviation stands for all axes, the coarsest one's
  }
}
