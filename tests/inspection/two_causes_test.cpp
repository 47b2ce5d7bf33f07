// A fault beside something else that is wrong: masses that are not those of the robot's file, rows that were lost.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "inspection/faults.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::vector<double>& column_of(RecordedLog& log, const std::string& name) {
  const auto at = std::find(log.columns.begin(), log.columns.end(), name);
  REQUIRE(at != log.columns.end());
  return log.values[static_cast<std::size_t>(at - log.columns.begin())];
}

void scale(Inertia<double>& I, double factor) {
  I.m *= factor, I.h = factor * I.h;
  for (double* moment : {&I.moments.xx, &I.moments.yy, &I.moments.zz, &I.moments.xy, &I.moments.xz, &I.moments.yz})
    *moment *= factor;
}

std::string named(const Inspection& found) {
  std::string text;
  for (const Finding& f : found.findings) text += std::string(finding_name(f.kind)) + "(" + f.columns.front() + ") ";
  return text;
}

}  // namespace

TEST_CASE("a torque of the other sign is found where the robot is lighter or heavier than its file says") {
  for (const double factor : {0.88, 1.12})
    for (const char* joint : {"joint1", "joint2", "joint3", "joint4", "joint5"}) {
      const SensedRobot robot = sensed_robot("arm");
      SensedRobot other = robot;
      for (Body& body : other.model.bodies) scale(body.inertia, factor);
      RecordedLog log = made_log(other, 1);
      const std::string name = std::string("tau.") + joint;
      for (double& tau : column_of(log, name)) tau *= -1;
      const Inspection found = inspect(robot.model, log);
      INFO(factor << " " << joint << ": " << named(found));
      CHECK(place_of(found, FindingKind::torque_sign, {name}) == 0);
      for (const Finding& finding : found.findings) CHECK(finding.kind != FindingKind::torque_of_other_joint);
    }
}

TEST_CASE("a position that stands still is found where rows are lost elsewhere, at times that are rounded to decimals") {
  const SensedRobot robot = sensed_robot("arm");
  for (const double rate : {250.0, 400.0})
    for (const std::size_t length : {60u, 61u, 62u, 63u, 64u, 65u}) {
      MadeLogOptions options;
      options.rate = rate, options.samples = static_cast<std::size_t>(8 * rate);
      RecordedLog log = made_log(robot, 1, options);
      const std::string name = "q.joint2";
      std::vector<double>& position = column_of(log, name);
      const std::size_t first = options.samples / 4;
      for (double& value : position) value = 1e-3 * std::round(1e3 * value);  // an encoder's steps hide its noise
      for (std::size_t i = first; i < first + length; ++i) position[i] = position[first];
      std::vector<double>& time = column_of(log, "time");
      for (std::size_t i = 0; i < time.size(); ++i) time[i] = static_cast<double>(i) / rate;  // the double next to a decimal
      for (std::vector<double>& values : log.values) {
        const auto lost = values.begin() + static_cast<std::ptrdiff_t>(options.samples / 2);
        values.erase(lost, lost + 40);
      }
      const Inspection found = inspect(robot.model, log);
      INFO(rate << " Hz, " << length << " samples"
                << ": " << named(found));
      CHECK(place_of(found, FindingKind::stuck, {name}) >= 0);
      CHECK(place_of(found, FindingKind::gap, {"time"}) >= 0);
    }
}
