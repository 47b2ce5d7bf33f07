// A step of the state over time: a quadruped on point feet, with and without deviations among the outputs, and looking back; by
// rows of the whole body the same quadruped with torques, and the arm that ships with a wrench at its flange.
#include <benchmark/benchmark.h>

#include "sparsedyn/tracking/tracker.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/pushed_arm.hpp"
#include "support/walking_robot.hpp"

namespace {

using namespace sparsedyn;
using namespace sparsedyn::test;

void step(benchmark::State& state, bool deviations, int back) {
  TrackerOptions options;
  options.deviations = deviations, options.lag = back;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), walking_sensors()), options);
  const WalkLog log = walk(1000, 250, 1);
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  for (std::size_t k = 0; k < 100; ++k) tracker.step(log.readings[k].data(), log.dt, out.data());
  std::size_t k = 100;
  for (auto _ : state) {
    tracker.step(log.readings[k].data(), log.dt, out.data());
    if (back > 0) tracker.delayed(back, out.data());
    benchmark::DoNotOptimize(out.data());
    k = k + 1 < log.readings.size() ? k + 1 : 100;  // the readings go back to where the robot was: slips, but no other cost
  }
}

/// Steps over rows of readings, again and again.
void steps(benchmark::State& state, Tracker& tracker, const std::vector<std::vector<double>>& rows, double dt) {
  std::vector<double> out(tracker.columns().size());
  std::size_t k = 0;
  for (auto _ : state) {
    tracker.step(rows[k].data(), dt, out.data());
    benchmark::DoNotOptimize(out.data());
    k = k + 1 < rows.size() ? k + 1 : 0;
  }
}

/// Torques are zero and wrong, which changes no cost.
void legs_by_dynamics(benchmark::State& state) {
  SensorSet set = walking_sensors();
  Sensor torques, nothing;
  torques.name = "torques", torques.type = "joint_torque", torques.all = true, torques.sigma = {30};
  nothing.name = "nothing", nothing.type = "external_wrench", nothing.all = true, nothing.value = {0};
  for (int leg = 0; leg < 4; ++leg) nothing.except.push_back({"foot" + std::to_string(leg)});
  set.sensors.push_back(torques), set.sensors.push_back(nothing);
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set));
  const WalkLog log = walk(500, 250, 1);
  std::vector<std::vector<double>> rows;
  for (const std::vector<double>& y : log.readings) {
    std::vector<double> row(y.begin(), y.begin() + 12);     // encoders
    row.insert(row.end(), y.begin() + 18, y.end());         // flags
    row.insert(row.end(), y.begin() + 12, y.begin() + 15);  // gyroscope
    row.insert(row.end(), y.begin() + 15, y.begin() + 18);  // accelerometer
    row.resize(tracker.inputs().size(), 0.0);
    rows.push_back(row);
  }
  tracker.start(log.q[0].data(), log.v[0].data());
  steps(state, tracker, rows, log.dt);
}

void arm_by_dynamics(benchmark::State& state) {
  const Model arm = load_urdf(std::string(SPARSEDYN_SOURCE_DIR) + "/robots/arm.urdf");
  const std::string& tip = arm.links[static_cast<std::size_t>(arm.leading_link(static_cast<int>(arm.bodies.size()) - 1))].name;
  Tracker tracker(std::make_shared<const System>(arm, arm_sensors(tip)));
  const ArmLog log = push_arm(arm, tip, 500, 1000, 1);
  steps(state, tracker, log.readings, log.dt);
}

BENCHMARK(legs_by_dynamics);
BENCHMARK(arm_by_dynamics);
BENCHMARK_CAPTURE(step, filter, false, 0);
BENCHMARK_CAPTURE(step, filter_with_deviations, true, 0);
BENCHMARK_CAPTURE(step, ten_samples_late, false, 10);
BENCHMARK_CAPTURE(step, ten_samples_late_with_deviations, true, 10);

}  // namespace
