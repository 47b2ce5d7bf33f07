// A quadruped at 1 kHz through a live loop: what is lost, how long answers take beyond a step of the tracker, and how late a
// loop wakes that does nothing, at the same time on the same machine.
//
//   bench_live_latency [SECONDS] [PRIORITY]      60; 0: no SCHED_FIFO
#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "sparsedyn/live/live_loop.hpp"
#include "support/walking_robot.hpp"

namespace {

using namespace sparsedyn;
using namespace sparsedyn::test;

constexpr std::int64_t period = 1'000'000;  // ns

std::int64_t monotonic() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{1'000'000'000} * t.tv_sec + t.tv_nsec;
}

void sleep_until(std::int64_t ns) {
  const timespec t{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
}

long resident_kb() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4;
}

/// Encoders, IMUs on trunk and feet, joint velocities and torques, flags.
SensorSet sixty_readings() {
  SensorSet set = walking_sensors();
  Sensor torques;
  torques.name = "torques", torques.type = "joint_torque", torques.all = true, torques.sigma = {30};
  Sensor nothing;
  nothing.name = "nothing", nothing.type = "external_wrench", nothing.all = true, nothing.value = {0};
  for (int leg = 0; leg < 4; ++leg) nothing.except.push_back({"foot" + std::to_string(leg)});
  Sensor speeds;
  speeds.name = "speeds", speeds.type = "joint_velocity", speeds.all = true, speeds.sigma = {0.1};
  set.sensors.push_back(torques), set.sensors.push_back(nothing), set.sensors.push_back(speeds);
  const auto foot_sensor = [&](const char* type, int leg, double sigma) {
    for (const Sensor& sensor : set.sensors)
      if (sensor.type == type) {
        Sensor copy = sensor;
        copy.name += "_foot" + std::to_string(leg), copy.sigma = {sigma}, copy.bias = false, copy.over_time.offset = {};
        copy.targets = {{"foot" + std::to_string(leg)}};
        return copy;
      }
    return Sensor{};
  };
  for (int leg = 0; leg < 3; ++leg)
    set.sensors.push_back(foot_sensor("gyroscope", leg, 1)), set.sensors.push_back(foot_sensor("accelerometer", leg, 30));
  return set;
}

/// The log's readings by the tracker's columns; what the log has not reads zero.
std::vector<std::vector<double>> rows_of(const LiveEstimate& estimate, const WalkLog& log) {
  const std::vector<std::string> columns = walk_columns();
  std::vector<std::vector<double>> rows(log.readings.size(), std::vector<double>(estimate.readings().size(), 0.0));
  for (std::size_t k = 0; k < estimate.readings().size(); ++k)
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c] == estimate.readings()[k].columns.front())
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i][k] = log.readings[i][c];
  return rows;
}

void tell(const char* what, const LiveDelays& delays) {
  std::printf("%-28s p50 %7.1f us   p99 %7.1f us   p99.99 %8.1f us   worst %8.1f us\n", what, 1e6 * delays.quantile(0.5),
              1e6 * delays.quantile(0.99), 1e6 * delays.quantile(0.9999), 1e6 * delays.worst());
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  const auto system = std::make_shared<const System>(walking_quadruped(), sixty_readings());
  TrackerOptions wanted;
  wanted.deviations = true;
  LiveLoopOptions how;
  how.priority = argc > 2 ? std::atoi(argv[2]) : 0, how.lock_memory = how.priority > 0;
  LiveLoop loop(live_tracker(Tracker(system, wanted), *system), {}, how);
  const auto rows = rows_of(loop.estimate(), walk(10000, 1000, 1));

  Tracker alone(system, wanted);  // what a step itself takes
  std::vector<double> out(alone.columns().size());
  LiveDelays steps, paced, idle, whole;
  for (std::size_t k = 0; k < 2000; ++k) {
    const std::int64_t before = monotonic();
    alone.step(rows[k].data(), 1e-3, out.data());
    steps.add(monotonic() - before);
  }
  for (std::int64_t k = 0, begin = monotonic() + period; k < 2000; ++k) {  // one a millisecond: caches and processor have idled
    sleep_until(begin + period * k);
    const std::int64_t before = monotonic();
    alone.step(rows[static_cast<std::size_t>(k)].data(), 1e-3, out.data());
    paced.add(monotonic() - before);
  }
  for (const std::string& lacking : loop.start()) std::printf("%s\n", lacking.c_str());
  std::atomic<bool> done{false};
  const long before_kb = resident_kb();
  std::thread sender([&] {
    const std::int64_t begin = monotonic() + period;
    for (long k = 0; k < static_cast<long>(1000 * seconds); ++k) {
      sleep_until(begin + period * k);
      loop.readings(0, 1e-3 * static_cast<double>(k), rows[static_cast<std::size_t>(k) % rows.size()].data());
    }
    loop.end();
    done = true;
  });
  std::thread idler([&] {
    for (std::int64_t next = monotonic() + period; !done; next += period) {
      sleep_until(next);
      idle.add(monotonic() - next);
    }
  });
  long samples = 0, answered = 0;
  const auto take = [&] {
    while (const auto row = loop.next_sample()) {
      ++samples, answered += row.head->answer.ok;
      whole.add(loop.now() - row.head->ready);
      loop.pop_sample();
    }
    while (loop.next_finding()) loop.pop_finding();
  };
  while (loop.wait(0.1)) take();
  take();
  sender.join(), idler.join();
  const LiveLosses lost = loop.losses();
  std::printf(
      "%zu readings, %d states, %.0f s at 1 kHz: %ld samples, %ld answered; lost: %ld readings, %ld samples; %ld deadlines "
      "missed\n",
      loop.estimate().readings().size(), alone.states(), seconds, samples, answered, lost.readings, lost.samples,
      loop.deadline_misses());
  tell("a step of the tracker", steps);
  tell("a step each millisecond", paced);
  tell("handed in to answered", loop.delays());
  tell("handed in to taken out", whole);
  tell("an idle loop wakes late by", idle);
  std::printf("memory: %ld kB at the start, %ld kB at the end\n", before_kb, resident_kb());
  return 0;
}
