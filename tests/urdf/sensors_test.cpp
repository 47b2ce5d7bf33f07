#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>

#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/document.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// Two links, a moving joint j and a fixed joint w (turned by 90° about z), and `sensors` from line 6 on.
std::string robot_with(const std::string& sensors) {
  return "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n"
         "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
         "<joint name=\"w\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/>\n"
         "<origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/></joint>\n" +
         sensors + "</robot>\n";
}

std::vector<UrdfSensor> read(const std::string& sensors, LoadReport* report = nullptr, const LoadOptions& options = {}) {
  return parse_urdf_sensors(robot_with(sensors), "r.urdf", options, report).sensors;
}

void refused(const std::string& sensors, const std::string& start, const std::string& words) {
  INFO(sensors);
  CHECK_THROWS_AS(read(sensors), InputError);
  CHECK_THROWS_WITH(read(sensors), Catch::StartsWith(start) && Catch::Contains(words));
}

const std::string axes = "<noise type=\"gaussian\"><mean>0</mean><stddev>";

}  // namespace

TEST_CASE("top-level sensors: link, frame, direction") {
  const auto s = read(
      "<sensor name=\"acc\" type=\"accelerometer\"><parent link=\"b\"/><origin xyz=\"1 2 3\" rpy=\"0.1 0.2 0.3\"/></sensor>"
      "<sensor name=\"gyro\" type=\"gyroscope\"><parent link=\"c\"/></sensor>"
      "<sensor name=\"ft\" type=\"force_torque\"><parent joint=\"w\"/><origin xyz=\"0 0 "
      "1\"/><force_torque><frame>sensor</frame>"
      "<measure_direction>parent_to_child</measure_direction></force_torque></sensor>");
  REQUIRE(s.size() == 3);
  CHECK(s[0].type == "accelerometer");
  CHECK(s[0].at == "b");
  CHECK(s[0].xyz[2] == 3);
  CHECK(s[0].rpy[1] == 0.2);
  CHECK(s[0].sigma.empty());
  CHECK(s[1].type == "gyroscope");
  CHECK(s[2].at == "w");
  CHECK(s[2].direction == "parent_to_child");
  CHECK(s[2].xyz[2] == 1);
}

TEST_CASE("a force/torque sensor is given in the frame it reports in") {
  const auto in = [](const std::string& joint, const std::string& frame) {
    return "<sensor name=\"" + joint + frame + "\" type=\"force_torque\"><parent joint=\"" + joint +
           "\"/><origin xyz=\"0 0 1\"/><force_torque><frame>" + frame + "</frame></force_torque></sensor>\n";
  };
  LoadReport report;
  const auto s = read(in("w", "child") + in("w", "parent") + in("j", "parent"), &report);
  REQUIRE(s.size() == 2);
  CHECK(s[0].xyz[2] == 0);
  CHECK(s[0].direction == "child_to_parent");
  // The parent's origin lies at (−1, 0, 0) in the parent's axes, which in the child's is (0, 1, 0).
  CHECK(s[1].xyz[0] == Approx(0).margin(1e-15));
  CHECK(s[1].xyz[1] == Approx(1));
  CHECK(s[1].rpy[2] == Approx(-1.5707963267948966));
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "r.urdf:8: sensor \"jparent\": reports in the parent's frame across a moving joint; left out");
}

TEST_CASE("Gazebo's imu becomes two sensors with its noise, unless the top level has the name") {
  const std::string imu =
      "<gazebo reference=\"b\"><sensor name=\"imu\" type=\"imu\"><pose>1 2 3 0 0 0.5</pose><imu>"
      "<angular_velocity><x>" +
      axes + "0.01</stddev></noise></x><y>" + axes +
      "0.02</stddev></noise></y></angular_velocity>"
      "<linear_acceleration><x>" +
      axes + "0.1</stddev></noise></x><y>" + axes + "0.1</stddev></noise></y><z>" + axes +
      "0.1</stddev></noise></z></linear_acceleration></imu></sensor></gazebo>";
  const auto s = read(imu);
  REQUIRE(s.size() == 2);
  CHECK(s[0].name == "imu_acc");
  CHECK(s[0].type == "accelerometer");
  CHECK(s[0].sigma == std::vector<double>{0.1, 0.1, 0.1});
  CHECK(s[0].rpy[2] == 0.5);
  CHECK(s[1].name == "imu_gyro");
  CHECK(s[1].sigma == std::vector<double>{0.01, 0.02, 0});

  const auto won = read(imu + "<sensor name=\"imu\" type=\"gyroscope\"><parent link=\"c\"/></sensor>");
  REQUIRE(won.size() == 1);
  CHECK(won[0].at == "c");
  const auto part = read(imu + "<sensor name=\"imu_acc\" type=\"accelerometer\"><parent link=\"c\"/></sensor>");
  REQUIRE(part.size() == 2);
  CHECK(part[0].at == "c");
  CHECK(part[1].name == "imu_gyro");
}

TEST_CASE("cameras, rays and bumpers are one warning") {
  LoadReport report;
  const auto s = read(
      "<sensor name=\"eye\"><parent link=\"a\"/><camera/></sensor>\n"
      "<gazebo reference=\"nowhere\"><sensor name=\"l\" type=\"ray\"/><sensor name=\"r\" type=\"ray\"/></gazebo>"
      "<gazebo reference=\"a\"><sensor name=\"bump\" type=\"contact\"/></gazebo>",
      &report);
  CHECK(s.empty());
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "r.urdf:6: <sensor>: 1 camera, 1 contact, 2 ray passed over: no measurement of the dynamics");
}

TEST_CASE("sensors that cannot be placed are refused with the line") {
  refused("<sensor type=\"gyroscope\"><parent link=\"a\"/></sensor>", "r.urdf:6: <sensor>", "no name");
  refused("<sensor name=\"s\"><parent link=\"a\"/></sensor>", "r.urdf:6: sensor \"s\"", "no type");
  refused("<sensor name=\"s\" type=\"gyroscope\"/>", "r.urdf:6: sensor \"s\"", "no <parent>");
  refused("<sensor name=\"s\" type=\"gyroscope\">\n<parent joint=\"j\"/></sensor>", "r.urdf:7: sensor \"s\" <parent>",
          "no link");
  refused("<sensor name=\"s\" type=\"gyroscope\">\n<parent link=\"bb\"/></sensor>", "r.urdf:7:", "near: ");
  refused("<sensor name=\"s\" type=\"force_torque\">\n<parent joint=\"a\"/></sensor>", "r.urdf:7:", "no joint is called \"a\"");
  refused("<gazebo reference=\"q\">\n<sensor name=\"s\" type=\"imu\"/></gazebo>", "r.urdf:6:", "no link is called \"q\"");
  refused("<gazebo>\n<sensor name=\"s\" type=\"imu\"/></gazebo>", "r.urdf:6:", "no reference");
  refused("<gazebo reference=\"a\"><sensor name=\"s\" type=\"imu\">\n<pose>0 0 0</pose></sensor></gazebo>",
          "r.urdf:7:", "6 decimal");
  refused(
      "<sensor name=\"s\" type=\"force_torque\"><parent "
      "joint=\"j\"/><force_torque>\n<frame>world</frame></force_torque></sensor>",
      "r.urdf:7:", "child or parent or sensor");
  refused(
      "<sensor name=\"s\" type=\"force_torque\"><parent joint=\"j\"/><force_torque>\n"
      "<measure_direction>up</measure_direction></force_torque></sensor>",
      "r.urdf:7:", "child_to_parent");
  refused(
      "<sensor name=\"s\" type=\"gyroscope\"><parent link=\"a\"/></sensor>\n<sensor name=\"s\" type=\"gyroscope\"><parent "
      "link=\"b\"/></sensor>",
      "r.urdf:7: sensor \"s\"", "line 6");
  refused(
      "<gazebo reference=\"a\"><sensor name=\"s\" type=\"imu\"><imu><angular_velocity><x><noise>\n<stddev>-1</stddev>"
      "</noise></x></angular_velocity></imu></sensor></gazebo>",
      "r.urdf:7:", "negative");
}

TEST_CASE("sensors on what is cut off are left out") {
  LoadOptions options;
  options.cut = {"b"};
  const std::string sensors =
      "<sensor name=\"g\" type=\"gyroscope\"><parent link=\"c\"/></sensor>"
      "<sensor name=\"f\" type=\"force_torque\"><parent joint=\"j\"/></sensor>"
      "<sensor name=\"h\" type=\"gyroscope\"><parent link=\"a\"/></sensor>";
  const auto s = read(sensors, nullptr, options);
  REQUIRE(s.size() == 1);
  CHECK(s[0].name == "h");
}

TEST_CASE("the set is strict JSON") {
  UrdfSensor odd;
  odd.name = "a \"b\" \\ c\x01";
  odd.type = "force_torque";
  odd.at = "j";
  odd.xyz = {{0.1, 0, -1e-300}};
  odd.direction = "child_to_parent";
  odd.sigma = {1, 1, 1, 2, 2, 2};
  const std::string text = json_text({"odd", {odd, odd}});
  CHECK_THAT(text, Catch::Contains("\"a \\\"b\\\" \\\\ c\\u0001\"") && Catch::Contains("[1, 1, 1, 2, 2, 2]"));
  CHECK_NOTHROW(json::Document::parse(text, "odd.json"));
  CHECK_NOTHROW(json::Document::parse(json_text({"none", {}}), "none.json"));
}

TEST_CASE("all sensors of a URDF are read: six of the quadruped, four of the humanoid, 83 of iCub") {
  for (const std::string& path : test::all_robots()) {
    LoadReport report;
    std::map<std::string, int> count;
    for (const UrdfSensor& s : load_urdf_sensors(path, {}, &report).sensors) ++count[s.type];
    INFO(path);
    if (test::is_one_of(path, {"quadruped."})) {
      CHECK(count == std::map<std::string, int>{{"accelerometer", 1}, {"gyroscope", 1}, {"force_torque", 4}});
    } else if (test::is_one_of(path, {"humanoid."})) {
      CHECK(count == std::map<std::string, int>{{"accelerometer", 1}, {"gyroscope", 1}, {"force_torque", 2}});
    } else if (test::is_one_of(path, {"arm."})) {
      CHECK(count == std::map<std::string, int>{{"force_torque", 1}});
    } else if (test::is_one_of(path, {"icub"})) {
      CHECK(count == std::map<std::string, int>{{"accelerometer", 62}, {"gyroscope", 15}, {"force_torque", 6}});
      CHECK(report.warnings.empty());
    } else if (test::is_one_of(path, {"hyq"})) {
      CHECK(count == std::map<std::string, int>{{"accelerometer", 1}, {"gyroscope", 1}});
      CHECK(report.warnings.size() == 1);
    } else {
      CHECK(count.empty());
    }
  }
}
