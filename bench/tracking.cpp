// A step of the state over time: a quadruped on point feet, with and without deviations among the outputs, and looking back.
#include <benchmark/benchmark.h>

#include "sparsedyn/tracking/tracker.hpp"
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

BENCHMARK_CAPTURE(step, filter, false, 0);
BENCHMARK_CAPTURE(step, filter_with_deviations, true, 0);
BENCHMARK_CAPTURE(step, ten_samples_late, false, 10);
BENCHMARK_CAPTURE(step, ten_samples_late_with_deviations, true, 10);

}  // namespace
