// `inspect` says nothing of logs without a fault, and names the kind and the column of each fault. How often, over many seeds:
// bench/inspection.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "inspection/faults.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::string words(const Inspection& found) {
  std::string text;
  for (const Finding& f : found.findings) text += std::string(finding_name(f.kind)) + "(" + f.columns.front() + ") ";
  return text;
}

}  // namespace

TEST_CASE("a log without a fault has no finding, on a fixed and on a floating base") {
  for (const char* name : {"arm", "quadruped"}) {
    const SensedRobot robot = sensed_robot(name);
    const System system(robot.model, robot.set);
    for (unsigned seed : {1u, 2u}) {
      const Inspection found = inspect(robot.model, made_log(robot, seed), &system);
      INFO(name << " " << seed << ": " << words(found));
      CHECK(found.findings.empty());
      CHECK(found.rows == 1000);
      CHECK(found.rate == Approx(100).epsilon(1e-9));
      CHECK(found.duration == Approx(9.99).epsilon(1e-9));
    }
  }
}

TEST_CASE("without velocities and without a sensor set a clean log has no finding either") {
  const SensedRobot robot = sensed_robot("arm");
  MadeLogOptions options;
  options.with_velocity = false;
  const RecordedLog log = made_log(robot, 3, options);
  const Inspection found = inspect(robot.model, log);
  INFO(words(found));
  CHECK(found.findings.empty());
  CHECK(quick_inspection(robot.model, log).empty());
  CHECK(quick_inspection(log).empty());
}

TEST_CASE("a joint that stands still, as its velocity says, is not stuck") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 4);
  const auto column = [&](const std::string& name) -> std::vector<double>& {
    const auto at = std::find(log.columns.begin(), log.columns.end(), name);
    REQUIRE(at != log.columns.end());
    return log.values[static_cast<std::size_t>(at - log.columns.begin())];
  };
  for (std::size_t i = 0; i < 12; ++i)
    column("q.joint3")[i] = column("q.joint3")[12], column("dq.joint3")[i] = 1e-9 * static_cast<double>(i);
  const Inspection found = inspect(robot.model, log);
  INFO(words(found));
  for (const Finding& finding : found.findings) CHECK(finding.kind != FindingKind::stuck);
}

TEST_CASE("each fault is the first finding, of its kind and its column") {
  for (const char* name : {"arm", "quadruped"}) {
    const SensedRobot robot = sensed_robot(name);
    const System system(robot.model, robot.set);
    const RecordedLog clean = made_log(robot, 1);
    for (const Fault& fault : all_faults()) {
      if (fault.base && !robot.floating) continue;
      RecordedLog log = clean;
      std::mt19937 rng(1);
      const std::vector<std::string> columns = fault.put(log, robot, rng);
      const Inspection found = inspect(robot.model, log, &system);
      INFO(name << ": " << fault.name << " of " << columns.front() << ": " << words(found));
      CHECK(place_of(found, fault.kind, columns) == 0);
    }
  }
}

TEST_CASE("two faults at once are both found") {
  const SensedRobot robot = sensed_robot("quadruped");
  const System system(robot.model, robot.set);
  const RecordedLog clean = made_log(robot, 2);
  const auto fault = [](const std::string& name) {
    const auto found = std::find_if(all_faults().begin(), all_faults().end(), [&](const Fault& f) { return f.name == name; });
    REQUIRE(found != all_faults().end());
    return *found;
  };
  // In the order in which a recording meets them.
  for (const auto& [first, second] : {std::pair{"torque sign", "foot in kg"},
                                      {"torque scale", "foot's sign"},
                                      {"beyond limits", "torque sign"},
                                      {"beyond limits", "accelerometer turned"},
                                      {"beyond limits", "torque of another joint"},
                                      {"noise", "accelerometer in g"},
                                      {"noise", "accelerometer sign"},
                                      {"accelerometer without gravity", "accelerometer sign"},
                                      {"drift of a force", "wrench sign"},
                                      {"drift of a force", "wrench turned"},
                                      {"drift of a torque", "all torques in N mm"},
                                      {"torque sign", "all torques in N mm"},
                                      {"velocity of another joint", "all in degrees"},
                                      {"quantised", "time uneven"},
                                      {"gap", "time repeated"},
                                      {"rows lost", "time uneven"}}) {
    RecordedLog log = clean;
    std::mt19937 rng(2);
    const std::vector<std::string> one = fault(first).put(log, robot, rng), other = fault(second).put(log, robot, rng);
    const Inspection found = inspect(robot.model, log, &system);
    INFO(first << " of " << one.front() << " and " << second << " of " << other.front() << ": " << words(found));
    CHECK(place_of(found, fault(first).kind, one) >= 0);
    CHECK(place_of(found, fault(second).kind, other) >= 0);
  }
}

TEST_CASE("a position beyond its limits is shifted back to where torques fit") {
  const SensedRobot robot = sensed_robot("arm");
  const System system(robot.model, robot.set);
  RecordedLog log = made_log(robot, 7);
  const auto q = std::find(log.columns.begin(), log.columns.end(), "q.joint2");
  REQUIRE(q != log.columns.end());
  for (double& value : log.values[static_cast<std::size_t>(q - log.columns.begin())]) value += 2.5;
  const Inspection found = inspect(robot.model, log, &system);
  INFO(words(found));
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kind == FindingKind::beyond_limit);
  CHECK(found.findings[0].severity == Severity::harm);
  const std::string& remedy = found.findings[0].remedy;
  REQUIRE(remedy.compare(0, 5, "add -") == 0);
  CHECK(std::stod(remedy.substr(4)) == Approx(-2.5).margin(0.02));
}

TEST_CASE("a quaternion with w first shows without velocities of the base too, where the robot would hang head down") {
  const SensedRobot robot = sensed_robot("quadruped");
  RecordedLog log = made_log(robot, 8);
  for (std::size_t c = log.columns.size(); c-- > 0;)
    if (log.columns[c].compare(0, 8, "dq.base.") == 0)
      log.columns.erase(log.columns.begin() + static_cast<std::ptrdiff_t>(c)),
          log.values.erase(log.values.begin() + static_cast<std::ptrdiff_t>(c));
  CHECK(inspect(robot.model, log).findings.empty());
  for (const Fault& fault : all_faults()) {
    if (fault.name != "quaternion w first") continue;
    std::mt19937 rng(8);
    RecordedLog faulty = log;
    const std::vector<std::string> columns = fault.put(faulty, robot, rng);
    const Inspection found = inspect(robot.model, faulty);
    INFO(words(found));
    REQUIRE(found.findings.size() == 1);
    CHECK(place_of(found, fault.kind, columns) == 0);
    CHECK(found.findings[0].severity == Severity::doubt);
  }
}

TEST_CASE("the quick inspection finds units of time and angle, signs and scales of torques, and the order of a quaternion") {
  const SensedRobot robot = sensed_robot("quadruped");
  const RecordedLog clean = made_log(robot, 1);
  CHECK(quick_inspection(robot.model, clean).empty());
  for (const Fault& fault : all_faults()) {
    RecordedLog log = clean;
    std::mt19937 rng(1);
    const std::vector<std::string> columns = fault.put(log, robot, rng);
    const std::vector<Finding> found = quick_inspection(robot.model, log);
    const auto cheap = {FindingKind::time_unit, FindingKind::angle_unit, FindingKind::quaternion_order,
                        FindingKind::torque_scale, FindingKind::torque_sign};
    INFO(fault.name);
    for (const Finding& f : found) CHECK(std::find(cheap.begin(), cheap.end(), f.kind) != cheap.end());
    if (fault.name == "time unit" || fault.name == "position in degrees" || fault.name == "quaternion w first") {
      REQUIRE(found.size() == 1);
      CHECK(found[0].kind == fault.kind);
      CHECK(quick_inspection(log).size() == 1);
    }
  }
}

TEST_CASE("a fault's lines are those of the file") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 5);
  for (std::size_t i = 0; i < 1000; ++i) log.lines.push_back(static_cast<long>(2 * i + 10));
  std::vector<double>& q = log.values[1];
  REQUIRE(log.columns[1] == "q.joint1");
  for (std::size_t i = 300; i < 320; ++i) q[i] = std::nan("");
  const Inspection found = inspect(robot.model, log);
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kind == FindingKind::gap);
  CHECK(found.findings[0].severity == Severity::note);
  CHECK(found.findings[0].from_line == 2 * 300 + 10);
  CHECK(found.findings[0].to_line == 2 * 319 + 10);
  CHECK_FALSE(found.harm());
}

TEST_CASE("a robot at rest gives no finding about units") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 6);
  for (std::size_t c = 1; c < log.columns.size(); ++c)
    for (std::size_t i = 1; i < 1000; ++i) log.values[c][i] = log.values[c][0];
  const Inspection found = inspect(robot.model, log);
  INFO(words(found));
  CHECK_FALSE(found.harm());
}

TEST_CASE("empty logs and logs without a known column have none of the robot's, and one row is no finding") {
  const SensedRobot robot = sensed_robot("arm");
  for (const RecordedLog& log :
       {RecordedLog{}, RecordedLog{"log", {"time"}, {{0.0}}, {}}, RecordedLog{"log", {"elsewhere"}, {{0.0, 1.0}}, {}}}) {
    const Inspection found = inspect(robot.model, log);
    REQUIRE(found.findings.size() == 1);
    CHECK(found.findings[0].kind == FindingKind::other_robot);
  }
  CHECK(inspect(robot.model, {"log", {"time", "q.joint1"}, {{0.0, 0.01}, {0.0, 0.0}}, {}}).findings.empty());
  CHECK_THROWS_AS(inspect(robot.model, {"log", {"time"}, {}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(inspect(robot.model, {"log", {"time", "q.joint1"}, {{0.0}, {0.0, 1.0}}, {}}), std::invalid_argument);
}
