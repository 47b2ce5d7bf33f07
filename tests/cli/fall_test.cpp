// simulate | track: a quadruped that falls onto its feet, its sensors' readings and contact flags, and its state from these.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/csv_reader.hpp"
#include "program.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const char* const falling_set = R"({"sensors": [
  {"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 0.001},
  {"name": "gyro", "type": "gyroscope", "link": "imu", "sigma": 0.002, "bias": {"sigma": 0.01}},
  {"name": "acc", "type": "accelerometer", "link": "imu", "sigma": 0.05, "bias": {"sigma": 0.1}},
  TORQUES
  {"name": "foot", "type": "contact", "link": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"]}]})";

const char* const of_dynamics = R"({"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1},
  {"name": "nothing", "type": "external_wrench", "link": "*", "except": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"], "value": 0},)";

std::string falling_sensors(bool torques) {
  std::string text = falling_set;
  return text.replace(text.find("TORQUES"), 7, torques ? of_dynamics : "");
}

std::string quadruped_line(const TemporaryFolder& folder, const std::string& set) {
  return robot("quadruped") + " --floating --sensors " + folder.file("set.json", set);
}

std::string fall_line(const TemporaryFolder& folder, const std::string& set) {
  return "simulate " + quadruped_line(folder, set) + " --constraints " + example("constraints/quadruped.json") + " --from " +
         example("motions/quadruped-trot.csv") + " --hold 100,2 --integrator runge-kutta --rate 500 --seconds 2 --seed 3 ";
}

}  // namespace

TEST_CASE("a quadruped falls onto its feet: track follows its base by the readings and flags that simulate writes") {
  for (const bool torques : {false, true}) {
    INFO(torques);
    const TemporaryFolder folder;
    const std::string set = falling_sensors(torques), out = folder / "base.csv";
    const Run made = run_program(fall_line(folder, set) + "-o " + (folder / "log.csv"));
    INFO(made.err);
    REQUIRE(made.code == 0);
    CsvReader log(folder / "log.csv");
    const std::vector<std::string> columns = log.columns();
    for (const char* column :
         {"lambda.lf.0.z", "y.encoders.lf_knee", "y.gyro.x", "y.acc.z", "y.foot.lf_foot.on", "y.foot.rh_foot.on"})
      CHECK(std::count(columns.begin(), columns.end(), column) == 1);
    const Run run =
        run_program("track " + quadruped_line(folder, set) + " --log " + (folder / "log.csv") + " --json -o " + out);
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err, !Contains("always stand"));
    const json said = json::parse(run.out);
    INFO(said.dump(1));
    CHECK(said["rows_taken"] == (torques ? "whole-body" : "kinematic"));
    CHECK(said["errors"]["position"].get<double>() < 0.01);
    CHECK(said["errors"]["tilt"].get<double>() < 0.01);
    CHECK(said["at_prior"] == json::array());
  }
}

TEST_CASE("simulate and track work in one pipe") {
  const TemporaryFolder folder;
  const std::string set = falling_sensors(false);
  const Run made = run_program(fall_line(folder, set) + "-o " + (folder / "log.csv"));
  const Run apart =
      run_program("track " + quadruped_line(folder, set) + " --log " + (folder / "log.csv") + " -o " + (folder / "a.csv"));
  const Run piped =
      run_program("track " + quadruped_line(folder, set) + " --log - -o " + (folder / "b.csv") + " < " + (folder / "log.csv"));
  CHECK((made.code == 0 && apart.code == 0 && piped.code == 0));
  CHECK(worst_difference(folder / "a.csv", folder / "b.csv") == 0);
}

TEST_CASE("flags that are late by a contact's delay are used as such: the base is as well known as by flags in time") {
  const TemporaryFolder folder;
  std::string late = falling_sensors(false);
  late.insert(late.rfind("}]}"), ", \"delay\": 0.012");
  double position[2];
  int k = 0;
  for (const std::string& set : {falling_sensors(false), late}) {
    REQUIRE(run_program(fall_line(folder, set) + "-o " + (folder / "log.csv")).code == 0);
    const Run run = run_program("track " + quadruped_line(folder, set) + " --log " + (folder / "log.csv") + " --json -o " +
                                (folder / "out.csv"));
    INFO(run.err);
    REQUIRE(run.code == 0);
    position[k++] = json::parse(run.out)["errors"]["position"];
  }
  CAPTURE(position[0], position[1]);
  CHECK(position[1] < 0.01);
}

TEST_CASE("simulate says where contacts have nothing to stand on, and that feet of a smooth motion do not stand") {
  const TemporaryFolder folder;
  const std::string line =
      "simulate " + quadruped_line(folder, falling_sensors(false)) + " --seconds 0.1 -o " + (folder / "log.csv");
  const Run flying = run_program(line + " --forward");
  CHECK(flying.code == 0);
  CHECK_THAT(flying.err,
             Contains("nothing that contact foot.lf_foot, foot.rf_foot, foot.lh_foot, foot.rh_foot could stand on"));
  CsvReader log(folder / "log.csv");
  const int flag = log.ask("y.foot.lf_foot.on");
  while (log.next()) CHECK(log.value(flag) == 0);
  const Run smooth = run_program(line);
  CHECK_THAT(smooth.err, Contains("no contact flags are written"));
}
