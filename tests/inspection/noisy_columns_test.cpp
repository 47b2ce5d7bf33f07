// A column that another one is compared with may be noisy itself. Noise there makes a fitted factor smaller than it is (errors
// in variables): S² / (S² + N) for a signal of mean square S² and noise of N. Clean logs have no finding however noisy the
// columns behind a comparison are, as long as the set states it; and faults that the noise leaves visible are found.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "inspection/faults.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

double gaussian(std::mt19937& rng) {
  const double u = (static_cast<double>(rng()) + 1.0) / 4294967297.0, part = static_cast<double>(rng()) / 4294967296.0;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979 * part);
}

std::vector<double>& noisy_column(RecordedLog& log, const std::string& name) {
  const auto at = std::find(log.columns.begin(), log.columns.end(), name);
  REQUIRE(at != log.columns.end());
  return log.values[static_cast<std::size_t>(at - log.columns.begin())];
}

/// Adds noise to all columns with this prefix; `memory` in [0, 1): x_k = memory x_(k−1) + ….
void add_noise(RecordedLog& log, const std::string& prefix, double sigma, unsigned seed, double memory = 0) {
  std::mt19937 rng(seed);
  for (std::size_t c = 0; c < log.columns.size(); ++c) {
    if (log.columns[c].compare(0, prefix.size(), prefix) != 0) continue;
    double held = sigma * gaussian(rng);
    for (double& value : log.values[c]) {
      value += held;
      held = memory * held + std::sqrt(1 - memory * memory) * sigma * gaussian(rng);
    }
  }
}

/// A wrench sensor on that link, which nothing touches: it reads its noise.
void add_wrench_sensor(SensedRobot& robot, RecordedLog& log, const std::string& link, double sigma, unsigned seed) {
  Sensor touch;
  touch.name = "touch", touch.type = "external_wrench", touch.sigma = {sigma};
  touch.targets.push_back({link});
  for (Sensor& s : robot.set.sensors)
    if (s.all) s.except.push_back({link});
  robot.set.sensors.push_back(touch);
  for (const char* c : {"nx", "ny", "nz", "fx", "fy", "fz"}) {
    log.columns.push_back(std::string("y.touch.") + c);
    log.values.emplace_back(log.values[0].size(), 0.0);
  }
  add_noise(log, "y.touch.", sigma, seed);
}

std::string told(const Inspection& found) {
  std::string text;
  for (const Finding& f : found.findings)
    text += std::string(finding_name(f.kind)) + "(" + f.columns.front() + ": " + f.evidence + ") ";
  return text;
}

}  // namespace

TEST_CASE("a clean log with a wrench sensor as noisy as the torques behind it has no finding") {
  for (const auto& [name, link] : {std::pair{"arm", "link7"}, {"quadruped", "rf_foot"}, {"humanoid", "l_hand"}})
    for (const double sigma : {0.1, 0.5, 2.0, 10.0})
      for (unsigned seed : {1u, 2u, 3u}) {
        SensedRobot robot = sensed_robot(name);
        RecordedLog log = made_log(robot, seed);
        add_wrench_sensor(robot, log, link, sigma, seed);
        const System system(robot.model, robot.set);
        const Inspection found = inspect(robot.model, log, &system);
        INFO(name << ", sigma " << sigma << ", seed " << seed << ": " << told(found));
        CHECK(found.findings.empty());
      }
}

TEST_CASE("signs and units of torques show beside a noisy wrench sensor") {
  for (const auto& [joint, factor, kind] : {std::tuple{"rf_hip_pitch", -1.0, FindingKind::torque_sign},
                                            {"lf_hip_pitch", -1.0, FindingKind::torque_sign},
                                            {"lf_knee", 1000.0, FindingKind::torque_scale}}) {
    SensedRobot robot = sensed_robot("quadruped");
    RecordedLog log = made_log(robot, 1);
    add_wrench_sensor(robot, log, "rf_foot", 0.05, 1);
    for (double& tau : noisy_column(log, std::string("tau.") + joint)) tau *= factor;
    const System system(robot.model, robot.set);
    const Inspection found = inspect(robot.model, log, &system);
    INFO(joint << ": " << told(found));
    REQUIRE(found.findings.size() == 1);
    CHECK(found.findings[0].kind == kind);
    CHECK(found.findings[0].columns == std::vector<std::string>{std::string("tau.") + joint});
  }
}

TEST_CASE("a torque of the other sign that a wrench sensor's noise drowns is not reported, and the result says so") {
  SensedRobot robot = sensed_robot("quadruped");
  RecordedLog log = made_log(robot, 1);
  add_wrench_sensor(robot, log, "rf_foot", 2, 1);
  for (double& tau : noisy_column(log, "tau.rf_hip_pitch")) tau *= -1;
  const System system(robot.model, robot.set);
  const Inspection found = inspect(robot.model, log, &system);
  INFO(told(found));
  CHECK(found.findings.empty());
  CHECK(std::any_of(found.unjudged.begin(), found.unjudged.end(), [](const Unjudged& one) {
    return one.why == "the noise of measured wrenches is larger than the torques" &&
           std::count(one.columns.begin(), one.columns.end(), "tau.rf_hip_pitch") == 1;
  }));
}

TEST_CASE("a clean log with noisy positions or velocities has no finding") {
  struct Noise {
    const char* prefix;
    double sigma, memory;
  };
  for (const char* name : {"arm", "quadruped"})
    for (const Noise& noise :
         {Noise{"q.", 1e-3, 0}, {"dq.", 0.02, 0}, {"dq.", 0.1, 0}, {"dq.", 0.05, 0.9}, {"dq.", 0.05, 0.99}})
      for (unsigned seed : {1u, 2u, 3u}) {
        const SensedRobot robot = sensed_robot(name);
        RecordedLog log = made_log(robot, seed);
        add_noise(log, noise.prefix, noise.sigma, seed, noise.memory);
        const System system(robot.model, robot.set);
        const Inspection found = inspect(robot.model, log, &system);
        INFO(name << ", " << noise.prefix << " " << noise.sigma << ", memory " << noise.memory << ", seed " << seed << ": "
                  << told(found));
        CHECK(found.findings.empty());
      }
}

TEST_CASE("a clean log without velocities and with noisy positions has no finding") {
  for (const double sigma : {1e-3, 3e-3, 1e-2})
    for (unsigned seed : {1u, 2u, 3u}) {
      const SensedRobot robot = sensed_robot("arm");
      MadeLogOptions options;
      options.with_velocity = false;
      RecordedLog log = made_log(robot, seed, options);
      add_noise(log, "q.", sigma, seed);
      const System system(robot.model, robot.set);
      const Inspection found = inspect(robot.model, log, &system);
      INFO("sigma " << sigma << ", seed " << seed << ": " << told(found));
      CHECK(found.findings.empty());
    }
}

TEST_CASE("clean logs with noisy inertial, force/torque and wrench sensors have no finding, where the set states the noise") {
  for (const char* name : {"arm", "quadruped"})
    for (const double factor : {10.0, 100.0, 1000.0})
      for (const char* sensor : {"acc", "gyro", "ft", "lf_foot"})
        for (unsigned seed : {1u, 2u}) {
          SensedRobot robot = sensed_robot(name);
          RecordedLog log = made_log(robot, seed);
          bool there = false;
          for (Sensor& s : robot.set.sensors) {
            if (s.name != sensor) continue;
            there = true;
            for (const char axis : {'x', 'y', 'z'})
              if (s.sigma.size() == 1)
                add_noise(log, std::string("y.") + sensor + "." + axis, factor * s.sigma[0], seed + axis);
            for (const char part : {'n', 'f'})
              if (s.sigma.size() == 6)
                add_noise(log, std::string("y.") + sensor + "." + part, factor * s.sigma[part == 'n' ? 0 : 3], seed + part);
            for (double& sigma : s.sigma) sigma *= factor;
          }
          if (!there) continue;
          const System system(robot.model, robot.set);
          const Inspection found = inspect(robot.model, log, &system);
          INFO(name << ", " << sensor << " " << factor << ", seed " << seed << ": " << told(found));
          CHECK(found.findings.empty());
        }
}
