// Logs of another robot, logs that spell its names otherwise, and logs that hold a part of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cmath>
#include <set>

#include "inspection/faults.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

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

std::set<std::string> absent(const Inspection& found) { return set_of(found.lacking); }

/// Columns that were not judged for a reason that begins so.
std::set<std::string> not_judged(const Inspection& found, const std::string& why) {
  std::set<std::string> columns;
  for (const Unjudged& one : found.unjudged)
    if (one.why.compare(0, why.size(), why) == 0) columns.insert(one.columns.begin(), one.columns.end());
  return columns;
}

bool is_reading(const std::string& column) { return column.compare(0, 2, "y.") == 0; }

/// The column's part of the log once more, under another name.
void add_copy(RecordedLog& log, const std::string& of, const std::string& as) {
  const auto at = std::find(log.columns.begin(), log.columns.end(), of) - log.columns.begin();
  log.values.push_back(std::vector<double>(log.values.at(static_cast<std::size_t>(at))));
  log.columns.push_back(as);
}

/// Each column of these is called otherwise.
void rename(RecordedLog& log, const std::string& joint, const std::string& as) {
  for (std::string& column : log.columns)
    if (is_of(column, joint)) column = column.substr(0, column.find('.') + 1) + as;
}

bool has(const Inspection& found, FindingKind kind) {
  return std::any_of(found.findings.begin(), found.findings.end(), [&](const Finding& f) { return f.kind == kind; });
}

/// A robot that ships with these joints held at 0 and these links left out.
Model changed(const SensedRobot& robot, const std::vector<std::string>& held, const std::vector<std::string>& cut = {}) {
  LoadOptions options;
  options.floating = robot.floating, options.cut = cut;
  for (const std::string& joint : held) options.lock.push_back({joint, 0.0});
  return load_urdf(source_folder() + "/robots/" + robot.name + ".urdf", options);
}

}  // namespace

TEST_CASE("a log none of whose joints is the robot's is another robot's, also where both float") {
  const std::vector<std::string> names{"arm", "quadruped", "humanoid"};
  for (const std::string& recorded : names)
    for (const std::string& given : names) {
      const SensedRobot robot = sensed_robot(given), other = sensed_robot(recorded);
      const RecordedLog whole = made_log(other, 1), log = without(whole, is_reading);
      const System system(robot.model, robot.set);
      for (const System* sensors : {static_cast<const System*>(nullptr), &system}) {
        const Inspection found = inspect(robot.model, log, sensors);
        INFO(recorded << " as " << given);
        const bool told = !found.findings.empty() && found.findings.front().kind == FindingKind::other_robot;
        CHECK(told == (recorded != given));
        // Readings may be the robot's: a doubt.
        const Inspection beside_readings = inspect(robot.model, whole, sensors);
        CHECK(has(beside_readings, FindingKind::other_robot) == told);
        CHECK_FALSE(beside_readings.harm());
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
      std::string capitals = joint.name;
      capitals[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capitals[0])));
      capitals.erase(std::remove(capitals.begin(), capitals.end(), '_'), capitals.end());
      for (const std::string& spelt : {joint.name + "_joint", capitals}) {
        RecordedLog log = clean;
        rename(log, joint.name, spelt);
        const Inspection found = inspect(robot.model, log);
        INFO(spelt);
        REQUIRE(found.findings.size() == 1);
        CHECK(found.findings[0].kind == FindingKind::unknown_name);
        CHECK(found.findings[0].severity == Severity::doubt);
        CHECK(set_of(found.findings[0].columns) == std::set<std::string>{"q." + spelt, "dq." + spelt, "tau." + spelt});
        CHECK_THAT(found.findings[0].evidence, Catch::Contains("no q." + spelt + ", the log no q." + joint.name) &&
                                                   Catch::Contains("no tau." + joint.name));
        CHECK(absent(found) == std::set<std::string>{"q." + joint.name, "dq." + joint.name, "tau." + joint.name});
      }
    }
  }
}

TEST_CASE("the evidence of many other spellings says how many more there are") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 1);
  rename(log, "joint1", "Joint_1"), rename(log, "joint2", "Joint_2");
  const Inspection found = inspect(robot.model, log);
  REQUIRE(has(found, FindingKind::unknown_name));
  CHECK_THAT(found.findings[0].evidence, Catch::EndsWith("; and 2 more"));
}

TEST_CASE("names that differ in more than capitals, _ - and the word joint are no other spellings") {
  const SensedRobot robot = sensed_robot("arm");
  const RecordedLog clean = made_log(robot, 1);
  for (const char* other : {"joint0", "joint77", "joint7.des", "joint7_des", "joint.7", "axis7", "rail", "7a"}) {
    RecordedLog log = clean;
    rename(log, "joint7", other);
    const Inspection found = inspect(robot.model, log);
    INFO(other);
    CHECK_FALSE(has(found, FindingKind::unknown_name));
    CHECK_FALSE(has(found, FindingKind::other_robot));
    CHECK(not_judged(found, "compared with nothing") ==
          std::set<std::string>{std::string("q.") + other, std::string("dq.") + other, std::string("tau.") + other});
  }
  RecordedLog twice = without(clean, [](const std::string& column) { return is_of(column, "joint7"); });
  add_copy(twice, "q.joint6", "q.Joint7"), add_copy(twice, "q.joint6", "q.joint_7");  // which of them is it?
  CHECK_FALSE(has(inspect(robot.model, twice), FindingKind::unknown_name));
  RecordedLog wished = clean;  // beside the column itself
  add_copy(wished, "q.joint7", "q.Joint7");
  CHECK_FALSE(has(inspect(robot.model, wished), FindingKind::unknown_name));
}

TEST_CASE(
    "columns of joints that are held, fixed or left out are neither misspelt nor another robot's, and torques are judged") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 1);
  for (double& torque : log.values[static_cast<std::size_t>(std::find(log.columns.begin(), log.columns.end(), "tau.joint2") -
                                                            log.columns.begin())])
    torque = -torque;
  const Inspection held = inspect(changed(robot, {"joint7"}), log);
  CHECK_FALSE(has(held, FindingKind::unknown_name));
  CHECK(has(held, FindingKind::torque_sign));
  CHECK(not_judged(held, "of joints that are fixed") == std::set<std::string>{"q.joint7", "dq.joint7", "tau.joint7"});
  // nothing but held joints
  const auto of_held = [](const std::string& column) { return column != "time" && !is_of(column, "joint7"); };
  const Inspection only_held = inspect(changed(robot, {"joint7"}), without(log, of_held));
  CHECK_FALSE(has(only_held, FindingKind::other_robot));
  const Inspection cut = inspect(changed(robot, {}, {"link6"}), log);
  CHECK_FALSE(has(cut, FindingKind::unknown_name));
  CHECK_FALSE(has(cut, FindingKind::other_robot));
}

TEST_CASE("columns of a floating base tell of --floating, not of another robot") {
  const SensedRobot floating = sensed_robot("quadruped");
  const Model model = load_urdf(source_folder() + "/robots/quadruped.urdf");
  const RecordedLog log = without(made_log(floating, 1), [](const std::string& column) {
    return column != "time" && column.find(".base.") == std::string::npos;
  });
  REQUIRE(log.columns.size() > 13);
  const Inspection found = inspect(model, log);
  CHECK(found.findings.empty());
  CHECK(not_judged(found, "of a floating base, which the robot has with --floating").size() == log.columns.size() - 1);
}

TEST_CASE("readings and forces are never other spellings, and no reading makes a log another robot's") {
  const SensedRobot robot = sensed_robot("quadruped");
  SensorSet set;
  set.name = "motors";
  Sensor motors;
  motors.name = "motors", motors.type = "joint_torque", motors.all = true, motors.sigma = {0.1};
  set.sensors = {motors};
  const System system(robot.model, set);
  const RecordedLog whole = made_log(robot, 1);
  RecordedLog log = whole;  // torques stand in for readings that another column resembles
  add_copy(log, "tau.lf_knee", "y.Motors.lf_knee"), add_copy(log, "tau.lf_knee", "fx.lf_toe.fz");
  const Inspection found = inspect(robot.model, log, &system);
  CHECK_FALSE(has(found, FindingKind::unknown_name));
  CHECK(not_judged(found, "readings of no sensor of the set").count("y.Motors.lf_knee") == 1);
  CHECK(not_judged(found, "compared with nothing: no joint or link") == std::set<std::string>{"fx.lf_toe.fz"});
  const RecordedLog gyroscope =
      without(whole, [](const std::string& column) { return column != "time" && column.find("y.gyro.") != 0; });
  REQUIRE(gyroscope.columns.size() == 4);
  CHECK(inspect(robot.model, gyroscope, &system).findings.empty());
  RecordedLog summed = without(whole, [](const std::string& column) { return column != "time" && !is_reading(column); });
  add_copy(summed, "y.gyro.x", "tau.total");
  CHECK(inspect(robot.model, summed).findings.empty());
}

TEST_CASE("flags of contacts are known, whatever the set calls them, and may have one value throughout") {
  const SensedRobot robot = sensed_robot("quadruped");
  for (const char* flag : {"", "y.stance"}) {
    SensorSet set = robot.set;
    Sensor contact;
    contact.name = "foot", contact.type = "contact", contact.over_time.contact.flag = flag;
    contact.targets.push_back({"lf_foot"});
    set.sensors.push_back(contact);
    RecordedLog log = made_log(robot, 1);
    log.columns.push_back(*flag ? flag : "y.foot.on"), log.values.emplace_back(log.values[0].size(), 1.0);
    const System system(robot.model, set);
    const Inspection found = inspect(robot.model, log, &system);
    INFO(log.columns.back());
    CHECK(found.findings.empty());
    CHECK(not_judged(found, "readings of no sensor").empty());
  }
}

TEST_CASE("joints called base.x are joints of a robot on the ground") {
  ModelBuilder builder("cart");
  Inertia<double> body = zero_inertia<double>();
  body.m = 1, body.moments = {1, 0, 0, 1, 0, 1};
  builder.root("ground", body, false);
  JointSpec slide;
  slide.kind = JointKind::prismatic;
  builder.link("a", body, "ground", "base.x", slide, identity_pose<double>());
  slide.axis = {{0, 1, 0}};
  builder.link("b", body, "a", "base.y", slide, identity_pose<double>());
  const Model cart = builder.build();
  RecordedLog log{"log", {"time", "q.base.x", "q.base.y", "dq.base.x", "tau.load"}, std::vector<std::vector<double>>(5), {}};
  for (int row = 0; row < 200; ++row) {
    const double t = 0.01 * row;
    const double values[] = {t, std::sin(t), std::cos(t), std::cos(t), 1};
    for (std::size_t c = 0; c < 5; ++c) log.values[c].push_back(values[c]);
  }
  const Inspection found = inspect(cart, log);
  CHECK_FALSE(has(found, FindingKind::other_robot));
  CHECK(not_judged(found, "compared with nothing") == std::set<std::string>{"tau.load"});
  CHECK(absent(found) == std::set<std::string>{"dq.base.y"});
}

TEST_CASE("positions that do not fit the torques are harm where only fingers are missing, a doubt where an arm is") {
  const SensedRobot robot = sensed_robot("arm");
  RecordedLog log = made_log(robot, 1);
  const auto values = [&](const std::string& column) -> std::vector<double>& {
    return log
        .values[static_cast<std::size_t>(std::find(log.columns.begin(), log.columns.end(), column) - log.columns.begin())];
  };
  // beyond the limits, and at no offset right
  for (double& q : values("q.joint2")) q = 3.5 + 3 * q;
  for (double& v : values("dq.joint2")) v *= 3;
  const auto severity = [&](const std::string& left_out) {
    const Inspection found = inspect(robot.model, without(log, [&](const std::string& column) {
                                       return is_reading(column) || column.find(left_out) != std::string::npos;
                                     }));
    INFO(left_out);
    for (const Finding& finding : found.findings)
      if (finding.kind == FindingKind::beyond_limit && finding.columns.front() == "q.joint2") return finding.severity;
    FAIL("no finding");
    return Severity::note;
  };
  CHECK(severity("nothing") == Severity::harm);
  CHECK(severity("finger") == Severity::harm);
  CHECK(severity(".joint4") == Severity::doubt);
}

TEST_CASE("what was not judged are columns of the log") {
  for (const char* name : {"arm", "quadruped"}) {
    const SensedRobot robot = sensed_robot(name);
    const RecordedLog whole = made_log(robot, 1);
    for (const std::string left_out : {"time", "q.", "q.base.", "dq.", "tau.", "knee", "joint4"}) {
      const RecordedLog log =
          without(whole, [&](const std::string& column) { return column.find(left_out) != std::string::npos; });
      const std::set<std::string> there = set_of(log.columns);
      const Inspection found = inspect(robot.model, log);
      INFO(name << " without " << left_out);
      for (const Unjudged& one : found.unjudged)
        for (const std::string& column : one.columns) CHECK(there.count(column) == 1);
      for (const std::string& column : found.lacking) CHECK(there.count(column) == 0);
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
  CHECK_THAT(found.unjudged[0].why, Catch::Contains("no joint or link of the robot has this name"));
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
