// A quadruped that sways on its feet, pushed or not, with noisy readings, and what rows of the whole body make of them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "support/legged_robot.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"
#include "tracking/whole/whole_layout.hpp"

namespace sparsedyn::test {

/// An acceleration of the base from a time on (s): `most` sin² (m/s²) while it lasts, then back with a sixth for six times as
/// long.
struct BasePush {
  double from, lasts, most;
};

/// m by which it moves a base that was at rest.
inline double pushed_at(double t, const BasePush& push) {
  const double from = push.from, lasts = push.lasts, most = push.most;
  const auto shift = [](double x, double long_for, double a) {
    if (x <= 0) return 0.0;
    const double rate = 2 * M_PI / long_for;
    const auto during = [&](double s) { return a * (s * s / 4 + (std::cos(rate * s) - 1) / (2 * rate * rate)); };
    return x <= long_for ? during(x) : during(long_for) + a * long_for / 2 * (x - long_for);
  };
  return shift(t - from, lasts, most) - shift(t - from - lasts, 6 * lasts, most / 6);
}

/// A robot on four feet that sways, what its sensors read with their noise, by row and input of the tracker. A push moves it,
/// of which torques show nothing.
struct Swaying {
  explicit Swaying(const Tracker& tracker, const std::shared_ptr<const System>& system, int samples = 80,
                   const BasePush& push = {1e3, 0.06, 0}) {
    tracking::IntervalRows rows(*system, tracking::WholeLayout::freed_link(*system));
    const tracking::WholeLayout layout(system, rows);
    tracking::StandingMotion motion(system->model(), ConstraintSet{}, layout.points, 0.25),
        alone(system->model(), ConstraintSet{}, layout.points, 0.25);
    std::vector<int> links;
    for (const tracking::TrackedContact& contact : layout.contacts) links.push_back(contact.link);
    tracking::ExactReadings readings(*system, links), readings_alone(*system, links);
    std::mt19937 rng(4);
    std::normal_distribution<double> normal;
    std::vector<double> q[3] = {motion.at(-dt), motion.at(0), {}}, v0(18), v1(18);
    std::vector<double> p[3] = {alone.at(-dt), alone.at(0), {}}, u0(18), u1(18);
    for (int k = 0; k < samples; ++k) {
      q[2] = motion.at((k + 1) * dt, pushed_at((k + 1) * dt, push)), p[2] = alone.at((k + 1) * dt);
      difference(system->model(), q[0].data(), q[2].data(), v1.data());
      difference(system->model(), p[0].data(), p[2].data(), u1.data());
      for (double& x : v1) x /= 2 * dt;
      for (double& x : u1) x /= 2 * dt;
      if (k == 0) v0 = v1, u0 = u1, start_q = q[1], start_v = v1;
      auto exact = readings.of(q[0], v0, q[1], v1, dt);
      for (const auto& [column, reading] : readings_alone.of(p[0], u0, p[1], u1, dt))
        if (column.rfind("y.torques", 0) == 0) exact[column] = reading;
      std::vector<double> row;
      for (const TrackerInput& input : tracker.inputs()) {
        const auto at = exact.find(input.columns.front());
        row.push_back(at == exact.end() ? (input.is_flag ? 1.0 : input.fallback)
                                        : at->second + sigma_of(input.columns.front()) * normal(rng));
      }
      y.push_back(row), v.push_back(v1);
      q[0] = q[1], q[1] = q[2], v0 = v1, p[0] = p[1], p[1] = p[2], u0 = u1;
    }
  }
  static double sigma_of(const std::string& column) {
    if (column.rfind("y.torques", 0) == 0) return legged_torque_noise;
    return column.rfind("y.accelerometer", 0) == 0 ? 0.05 : column.rfind("y.gyroscope", 0) == 0 ? 2e-3 : 1e-3;
  }

  static constexpr double dt = 0.004;
  std::vector<std::vector<double>> y, v;  // readings, and the true velocity
  std::vector<double> start_q, start_v;
};

inline SensorSet with_honest_model() {
  SensorSet set = legged_sensors();
  set.model_wrench = {40, 4, true};
  return set;
}

using Readings = std::vector<std::vector<double>>;  // by row and input

struct Answers {
  std::vector<std::vector<double>> out;  // as they come, some rows late, of the whole log
  std::vector<double> nis;
  double surprise = 0;
};

inline Answers answers_of(const std::shared_ptr<const System>& system, const TrackerOptions& options, const Swaying& log,
                          const std::vector<std::vector<double>>& y) {
  Tracker tracker(system, options);
  std::vector<double> out(tracker.columns().size()), all, intervals(y.size(), Swaying::dt);
  Answers found;
  tracker.start(log.start_q.data(), log.start_v.data());
  for (std::size_t k = 0; k < y.size(); ++k) {
    const TrackerStep step = tracker.step(y[k].data(), Swaying::dt, out.data());
    REQUIRE(step.ok);
    found.surprise += step.surprise;
    found.nis.push_back(step.innovation / std::max(step.rows, 1));
    found.out.push_back(out);
    if (tracker.delayed(std::min(static_cast<int>(k), options.lag), out.data())) found.out.push_back(out);
    all.insert(all.end(), y[k].begin(), y[k].end());
  }
  std::vector<double> whole(y.size() * out.size());
  tracker.start(log.start_q.data(), log.start_v.data());
  smooth(tracker, all, intervals, 1, whole.data());
  for (std::size_t k = 0; k < y.size(); ++k)
    found.out.emplace_back(whole.begin() + static_cast<std::ptrdiff_t>(k * out.size()),
                           whole.begin() + static_cast<std::ptrdiff_t>((k + 1) * out.size()));
  return found;
}

/// How far the base's velocities and the joints' are off after a row, and `nis`.
struct Off {
  double base = 0, in_deviations = 0, joints = 0, joints_in_deviations = 0;  // m/s, rad/s: the worst
  double turn_in_deviations = 0;                                             // of the base's angular velocity
  double nis = 0;                                                            // mean of the rows
};

/// The readings with a column off by as much from a row on, to another.
inline Readings with_offset(const Tracker& tracker, Readings y, const std::string& column, double off, std::size_t from,
                            std::size_t to) {
  bool there = false;
  for (std::size_t i = 0; i < tracker.inputs().size(); ++i) {
    if (tracker.inputs()[i].columns.front() != column) continue;
    there = true;
    for (std::size_t k = from; k < to; ++k) y[k][i] += off;
  }
  REQUIRE(there);
  return y;
}

/// A tracker of velocities and their deviations, and logs for it.
struct VelocityTracker {
  explicit VelocityTracker(const SensorSet& set = with_honest_model(), int lag = 0, TrackRows rows = TrackRows::automatic)
      : system(std::make_shared<const System>(walking_quadruped(), set)),
        options(options_of(lag, rows)),
        tracker(system, options) {}

  Swaying log(int samples, const BasePush& push = {1e3, 0.06, 0}) const { return Swaying(tracker, system, samples, push); }
  Readings with(Readings y, const std::string& column, double off, std::size_t from, std::size_t to) const {
    return with_offset(tracker, std::move(y), column, off, from, to);
  }
  Answers answers(const Swaying& log, const Readings& y) const { return answers_of(system, options, log, y); }

  Off off_after(const Swaying& log, const Readings& y, std::size_t row) {
    std::vector<double> out(tracker.columns().size());
    tracker.start(log.start_q.data(), log.start_v.data());
    Off found;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const TrackerStep step = tracker.step(y[k].data(), Swaying::dt, out.data());
      REQUIRE(step.ok);
      if (k < row) continue;
      found.nis += step.innovation / std::max(step.rows, 1) / static_cast<double>(y.size() - row);
      for (std::size_t c = 0; c < 18; ++c) {
        const double error = std::abs(out[c] - log.v[k][c]);
        if (c < 3) {
          found.turn_in_deviations = std::max(found.turn_in_deviations, error / out[18 + c]);
          continue;
        }
        double &worst = c < 6 ? found.base : found.joints,
               &deviations = c < 6 ? found.in_deviations : found.joints_in_deviations;
        worst = std::max(worst, error), deviations = std::max(deviations, error / out[18 + c]);
      }
    }
    return found;
  }

  static TrackerOptions options_of(int lag, TrackRows rows) {
    TrackerOptions options;
    options.outputs = {"dq"}, options.deviations = true, options.lag = lag, options.rows = rows;
    return options;
  }

  std::shared_ptr<const System> system;
  TrackerOptions options;
  Tracker tracker;
};

}  // namespace sparsedyn::test
