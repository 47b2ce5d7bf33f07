// Logs of another robot, logs that spell its names otherwise, and logs that hold a part of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "inspection/faults.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

bool is_of(const std::string& column, const std::string& joint) {
  return column == "q." + joint || column == "dq." + joint || column == "tau." + joint;
}

/// The log without the columns that `left_out` names.
template <class LeftOut>
RecordedLog without(const RecordedLog& log, const LeftOut& left_out) {
  RecordedLog rest = log;
  rest.columns.clear(), rest.values.clear();
  for (std::size_t c = 0; c < log.columns.size(); ++c)
    if (!left_out(log.columns[c])) rest.columns.push_back(log.columns[c]), rest.values.push_back(log.values[c]);
  return rest;
}

std::set<std::string> set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

std::set<std::string> absent(const Inspection& found) {
  for (const Unjudged& one : found.unjudged)
    if (one.why == "not in the log, which has others of their kind") return set_of(one.columns);
  return {};
}

}  // namespace

TEST_CASE("a log none of whose joints is the robot's is another robot's, also where both float") {
  const std::vector<std::string> names{"arm", "quadruped", "humanoid"};
  for (const std::string& recorded : names)
    for (const std::string& given : names) {
      const SensedRobot robot = sensed_robot(given), other = sensed_robot(recorded);
      const RecordedLog log = made_log(other, 1);
      const System system(robot.model, robot.set);
      for (const System* sensors : {static_cast<const System*>(nullptr), &system}) {
        const Inspection found = inspect(robot.model, log, sensors);
        INFO(recorded << " as " << given);
        const bool told = !found.findings.empty() && found.findings.front().kind == FindingKind::other_robot;
        CHECK(told == (recorded != given));
        if (!told) continue;
        const Finding& finding = found.findings.front();
        CHECK(finding.severity == Severity::harm);
        CHECK_THAT(finding.evidence, Catch::Contains(other.model.joints.back().name) ||
                                         Catch::Contains(other.model.joints[other.model.floating() ? 1 : 0].name));
        CHECK_THAT(finding.evidence, Catch::Contains("none of them of " + robot.model.name));
        CHECK(set_of(finding.columns).count("q." + other.model.joints.back().name) == 1);
        CHECK(found.torques.empty());
      }
    }
}

TEST_CASE("a joint that a log spells otherwise is named with both spellings, and spoils no other column") {
  for (const char* name : {"arm", "quadruped"}) {
    const SensedRobot robot = sensed_robot(name);
    const RecordedLog clean = made_log(robot, 1);
    for (const Joint& joint : robot.model.joints) {
      if (joint.nq != 1) continue;
      for (const std::string& spelt : {joint.name + "_joint", std::string(1, 'J') + joint.name}) {
        RecordedLog log = clean;
        std::set<std::string> renamed;
        for (std::string& column : log.columns)
          if (is_of(column, joint.name)) {
            column = column.substr(0, column.find('.') + 1) + spelt;
            renamed.insert(column);
          }
        REQUIRE(renamed.size() == 3);
        const Inspection found = inspect(robot.model, log);
        INFO(spelt);
        REQUIRE(found.findings.size() == 1);
        CHECK(found.findings[0].kind == FindingKind::unknown_name);
        CHECK(found.findings[0].severity == Severity::doubt);
        CHECK(set_of(found.findings[0].columns) == renamed);
        CHECK_THAT(found.findings[0].evidence, Catch::Contains("no q." + spelt + ", the log no q." + joint.name) &&
                                                   Catch::Contains("no tau." + joint.name));
        CHECK(absent(found) == std::set<std::string>{"q." + joint.name, "dq." + joint.name, "tau." + joint.name});
      }
    }
  }
}

TEST_CASE("what a log lacks of joints is listed, and nothing else") {
  const SensedRobot robot = sensed_robot("quadruped");
  const RecordedLog whole = made_log(robot, 1);
  const auto not_in = [&](const std::set<std::string>& left_out) {
    return inspect(robot.model, without(whole, [&](const std::string& column) { return left_out.count(column) > 0; }));
  };
  CHECK(absent(not_in({})).empty());
  for (const std::set<std::string>& some :
       {std::set<std::string>{"tau.lf_knee"}, {"q.lf_knee", "dq.rf_knee"}, {"dq.lf_hip_roll", "tau.rh_knee", "tau.lh_knee"}})
    CHECK(absent(not_in(some)) == some);
  std::set<std::string> torques;  // none at all: a log without torques lacks none
  for (const std::string& column : whole.columns)
    if (column.compare(0, 4, "tau.") == 0) torques.insert(column);
  REQUIRE(torques.size() > 10);
  CHECK(absent(not_in(torques)).empty());
}

TEST_CASE("columns of joints that the robot lacks are compared with nothing") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 1);
  log.columns.push_back("q.conveyor"), log.values.push_back(log.values[1]);
  const Inspection found = inspect(robot.model, log);
  CHECK(found.findings.empty());
  REQUIRE(found.unjudged.size() == 1);
  CHECK(found.unjudged[0].columns == std::vector<std::string>{"q.conveyor"});
  CHECK_THAT(found.unjudged[0].why, Catch::Contains("no joint, link or sensor of the robot has this name"));
  // few of its joints, and as many others
  for (int k = 0; k < 9; ++k) log.columns.push_back("q.wagon" + std::to_string(k)), log.values.push_back(log.values[1]);
  const Inspection few =
      inspect(robot.model, without(log, [](const std::string& column) {
                return column.find("joint") != std::string::npos && column.find("joint1") == std::string::npos;
              }));
  REQUIRE(!few.findings.empty());
  CHECK(few.findings[0].kind == FindingKind::other_robot);
  CHECK(few.findings[0].severity == Severity::doubt);
  CHECK_THAT(few.findings[0].evidence, Catch::Contains("3 of the robot's 9 joints, and 10 other joints"));
}

TEST_CASE("a log of readings alone is compared with nothing without their set") {
  const SensedRobot robot = sensed_robot("arm");
  const RecordedLog log = without(
      made_log(robot, 1), [](const std::string& column) { return column != "time" && column.compare(0, 2, "y.") != 0; });
  REQUIRE(log.columns.size() > 5);
  const auto compared = [&](const System* system) {
    const Inspection found = inspect(robot.model, log, system);
    CHECK(found.findings.empty());
    for (const Unjudged& one : found.unjudged)
      if (one.why.find("readings alone") == 0) return one.columns.size() != log.columns.size() - 1;
    return true;
  };
  const System system(robot.model, robot.set);
  CHECK(!compared(nullptr));
  CHECK(compared(&system));
}

TEST_CASE("a log without a column of the robot is said to have none") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log;
  log.columns = {"time"}, log.values = {{0, 0.1, 0.2, 0.3}};
  const Inspection found = inspect(robot.model, log);
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kind == FindingKind::other_robot);
  CHECK_THAT(found.findings[0].evidence, Catch::Contains("no column but time"));
  log.others = {"pos_1", "note"};
  CHECK_THAT(inspect(robot.model, log).findings[0].evidence, Catch::Contains("pos_1, note; the robot's joints are joint1, "));
}
