// --over-time: what the state over time cannot see, the order of a step's rows as a plan, a step as C.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/csv_reader.hpp"
#include "io/text_file.hpp"
#include "program.hpp"
#include "sparsedyn/json/robot_file.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const char* const on_feet = R"({"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "gyro", "type": "gyroscope", "link": "trunk", "sigma": 0.002, "bias": {"sigma": 0.01}},
  {"name": "acc", "type": "accelerometer", "link": "trunk", "sigma": 0.05, "bias": {"sigma": 0.1}},
  {"name": "foot", "type": "contact", "link": ["foot0", "foot1", "foot2", "foot3"]}]})";

struct Robot {
  Robot() { save_robot(walking_quadruped(), folder / "robot.json"); }
  std::string file(const std::string& set) { return (folder / "robot.json") + " --sensors " + folder.file("set.json", set); }
  TemporaryFolder folder;
};

/// All numbers of a CSV file in the order of its cells; empty cells are left out.
std::vector<double> numbers_of(const std::string& path) {
  CsvReader log(path);
  std::vector<int> slots;
  for (const std::string& column : log.columns()) slots.push_back(log.ask(column)), log.take_gap_words(slots.back());
  std::vector<double> found;
  while (log.next())
    for (int slot : slots)
      if (log.state(slot) == CellState::number) found.push_back(log.value(slot));
  return found;
}

}  // namespace

TEST_CASE("check --over-time names what a set cannot see in motion and at rest") {
  Robot robot;
  const Run run = run_program("check --over-time --json " + robot.file(on_feet));
  INFO(run.err);
  REQUIRE(run.code == 0);
  const json said = json::parse(run.out);
  CHECK(said["unobservable"] == json{"base.x", "base.y", "base.z", "base.yaw"});
  CHECK(said["rows_taken"] == "kinematic");
  CHECK(said["states"] == 51);
  REQUIRE(said["situations"].size() == 6);
  CHECK(said["situations"][0]["situation"] == "in motion");
  CHECK(said["situations"][2]["situation"] == "at rest on foot.foot0 alone");
  const json alone = said["situations"][2]["unobservable"];
  CHECK(std::count(alone.begin(), alone.end(), "bias.gyro.z") == 1);
  const Run words = run_program("check --over-time " + robot.file(on_feet));
  CHECK_THAT(words.out, Contains("in motion: unseen base.x, base.y, base.z, base.yaw") &&
                            Contains("at rest on foot.foot0 alone, at rest on foot.foot1 alone"));
}

TEST_CASE("check --over-time says no where more is open, and where the set cannot be tracked") {
  Robot robot;
  const Run flying = run_program("check --over-time --json " + robot.file(R"({"sensors": [
    {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
    {"name": "gyro", "type": "gyroscope", "link": "trunk", "sigma": 0.002},
    {"name": "acc", "type": "accelerometer", "link": "trunk", "sigma": 0.05}]})"));
  CHECK(flying.code == 1);
  CHECK_THAT(flying.out, Contains("base.vx"));
  const Run open =
      run_program("check --over-time " + robot.file(R"({"sensors": [{"name": "f", "type": "contact", "link": "foot0"}]})"));
  CHECK(open.code == 1);
  CHECK_THAT(open.err, Contains("undetermined: q."));
  CHECK(run_program("check --rows kinematic " + robot.file(on_feet)).code == 2);
  CHECK(run_program("check --over-time --rows whole " + robot.file(on_feet)).code == 2);
  CHECK(run_program("check --over-time " + (robot.folder / "robot.json")).code == 2);
}

TEST_CASE("optimise --over-time writes the order of a step's rows, and track takes it") {
  const TemporaryFolder folder;
  const Model arm = arm_like_ur5();
  const std::string& tip = arm.links.back().name;
  save_robot(arm, folder / "arm.json");
  const std::string set = folder.file("set.json", R"({"sensors": [
    {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-4},
    {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.3},
    {"name": "nothing", "type": "external_wrench", "link": "*", "except": [")" +
                                                      tip + R"("], "value": 0}]})");
  const std::string robot = (folder / "arm.json") + " --sensors " + set;
  const Run found = run_program("optimise --over-time --json " + robot + " -o " + (folder / "plan.json"));
  INFO(found.err);
  REQUIRE(found.code == 0);
  const json said = json::parse(found.out);
  CHECK(said["rows_taken"] == "whole-body");
  REQUIRE(said["strategies"].size() == 4);
  CHECK(said["chosen"] == said["strategies"][0]["name"]);
  CHECK(said["flops"]["interval"] == said["strategies"][0]["flops"]);
  const ArmLog pushed = push_arm(arm, tip, 100, 1000, 2);
  std::ostringstream text;
  text.precision(17);
  text << "time";
  for (const char* kind : {"y.encoders.", "y.torques."})
    for (const std::string& name : velocity_names(arm)) text << "," << kind << name;
  for (std::size_t k = 0; k < pushed.readings.size(); ++k) {
    text << "\n" << 0.001 * static_cast<double>(k);
    for (double x : pushed.readings[k]) text << "," << x;
  }
  const std::string log = folder.file("log.csv", text.str() + "\n");
  const auto tracked = [&](const std::string& more) {
    const Run run = run_program("track " + robot + " --log " + log + " --json -o " + (folder / "out.csv") + more);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return std::make_pair(numbers_of(folder / "out.csv"), json::parse(run.out));
  };
  const auto [stated, plain] = tracked("");
  const auto [planned, summary] = tracked(" --plan " + (folder / "plan.json"));
  CHECK(summary["flops"] == said["flops"]);
  CHECK(plain["flops"]["carry"] == said["flops"]["carry"]);
  REQUIRE(stated.size() == planned.size());
  for (std::size_t k = 0; k < stated.size(); ++k)
    CHECK(std::abs(stated[k] - planned[k]) < 1e-8 * std::max(1.0, std::abs(stated[k])));

  const std::string line = "track " + robot + " --log " + log + " -o " + (folder / "out.csv") + " --plan ";
  const Run other = run_program(line + (folder / "plan.json") + " --rows kinematic");
  CHECK(other.code == 1);
  CHECK_THAT(other.err, Contains("the plan was made for a step of another robot"));
  const Run none = run_program(line + set);
  CHECK(none.code == 3);
  CHECK_THAT(none.err, Contains("set.json:1:"));
  json plan = json::parse(text_of(folder / "plan.json"));
  plan["order"][0] = plan["order"][1];
  const Run twice = run_program(line + folder.file("twice.json", plan.dump(1)));
  CHECK(twice.code == 3);
  CHECK_THAT(twice.err, Contains("twice.json:") && Contains("order") && Contains("expected a permutation of 0"));
}

TEST_CASE("optimise --over-time of kinematic rows has nothing to order, and goes with no other option") {
  Robot robot;
  const std::string line = "optimise --over-time " + robot.file(on_feet) + " -o " + (robot.folder / "plan.json");
  const Run run = run_program(line);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Contains("Kinematic rows cost the same in each order"));
  for (const char* more : {" --cost folded", " --formulation best", " --outputs tau"})
    CHECK(run_program(line + more).code == 2);
  CHECK(run_program("optimise --rows kinematic " + robot.file(on_feet) + " -o " + (robot.folder / "plan.json")).code == 2);
}

TEST_CASE("generate --over-time writes a step as C that compiles, and says how much goes from step to step") {
  Robot robot;
  const Run made =
      run_program("generate --over-time --json " + robot.file(on_feet) + " --name step -o " + (robot.folder / "c"));
  INFO(made.err);
  REQUIRE(made.code == 0);
  const json said = json::parse(made.out), manifest = json::parse(text_of(robot.folder / "c/step.json"));
  CHECK(said["files"].size() == 3);
  CHECK(manifest["inputs"][0]["elements"].size() == said["state"]);
  CHECK(manifest["outputs"][1]["elements"][0] == "q.base.x");
  CHECK(std::system(
            ("cc -std=c99 -Wall -Wextra -Werror -O1 -c " + (robot.folder / "c/step.c") + " -o " + (robot.folder / "c/step.o"))
                .c_str()) == 0);
}

TEST_CASE("generate --over-time says what it leaves out") {
  Robot robot;
  const std::string end = " --name step -o " + (robot.folder / "c");
  const Run late = run_program("generate --over-time " + robot.file(R"({"sensors": [
    {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
    {"name": "foot", "type": "contact", "link": ["foot0", "foot1"], "delay": 0.01}]})") +
                               end);
  CHECK(late.code == 1);
  CHECK_THAT(late.err, Contains("\"delay\" of a contact"));
  CHECK(run_program("generate --over-time --algorithm rnea " + robot.file(on_feet) + end).code == 2);
  CHECK(run_program("generate --over-time --sd " + robot.file(on_feet) + end).code == 2);
  CHECK(run_program("generate --over-time " + (robot.folder / "robot.json") + end).code == 2);
}
