// Orientations as quaternions, wherever a URDF or SDF's <pose> places something, beside the same in roll, pitch and yaw.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "error_of.hpp"
#include "io/number.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

using Quaternion = std::array<double, 4>;
const double pi = std::acos(-1.0);

std::string numbers(const double* x, int n) {
  std::string text;
  for (int k = 0; k < n; ++k) text += (k ? " " : "") + number_text(x[k]);
  return text;
}
std::string by_quaternion(const Quaternion& u) { return "quat_xyzw=\"" + numbers(u.data(), 4) + "\""; }
std::string by_rpy(const Vec3<double>& rpy) { return "rpy=\"" + numbers(rpy.e, 3) + "\""; }

/// A joint and the inertia of its link, each turned by its orientation; a sensor on the link, by the third. Lines as numbered.
std::string robot(const std::string& joint, const std::string& inertial, const std::string& sensor,
                  const std::string& version = "") {
  return "<robot name=\"r\"" + version +
         ">\n<link name=\"a\"/><link name=\"b\"><inertial>\n"
         "<origin xyz=\"0.1 0.2 0.3\" " +
         inertial +
         "/><mass value=\"2\"/>\n<inertia ixx=\"0.02\" ixy=\"0.001\" ixz=\"0.002\" iyy=\"0.03\" iyz=\"0\" izz=\"0.04\"/>"
         "</inertial></link>\n<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 "
         "0\"/>\n"
         "<origin xyz=\"1 2 3\" " +
         joint + "/></joint>\n<sensor name=\"s\" type=\"accelerometer\"><parent link=\"b\"/>\n<origin xyz=\"4 5 6\" " + sensor +
         "/></sensor></robot>\n";
}

double distance(const Mat3<double>& A, const Mat3<double>& B) {
  double worst = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) worst = std::max(worst, std::abs(A(r, c) - B(r, c)));
  return worst;
}

/// The inertia of the moving body and the placement of its joint, of the same kind.
double distance(const Model& one, const Model& other) {
  const Body &a = one.bodies[0], &b = other.bodies[0];
  double worst = std::max(distance(a.placement.R, b.placement.R), std::abs(a.inertia.m - b.inertia.m));
  for (int k = 0; k < 3; ++k) worst = std::max(worst, std::abs(a.inertia.h[k] - b.inertia.h[k]));
  const Sym3<double>&s = a.inertia.moments, &t = b.inertia.moments;
  for (double d : {s.xx - t.xx, s.xy - t.xy, s.xz - t.xz, s.yy - t.yy, s.yz - t.yz, s.zz - t.zz})
    worst = std::max(worst, std::abs(d));
  return worst;
}

std::vector<Quaternion> quaternions() {
  const double h = std::sqrt(0.5);
  std::vector<Quaternion> all{{0, 0, 0, 1},          {1, 0, 0, 0},           {0, 1, 0, 0},  {h, 0, 0, h},
                              {0, h, 0, h},          {0, 0, h, -h},          {0, -h, 0, h}, {0.5, 0.5, 0.5, 0.5},
                              {-0.5, 0.5, 0.5, 0.5}, {0.5, -0.5, 0.5, -0.5}, {h, h, 0, 0}};
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 40; ++k) {
    Quaternion u{normal(rng), normal(rng), normal(rng), normal(rng)};
    normalise_quaternion(u.data());
    all.push_back(u);
  }
  for (int k = 0; k < 20; ++k) {  // pitch of ±90° and a little less: roll and yaw turn about one axis
    const double near = k % 2 ? std::pow(10.0, -1 - k) : 0;
    const Mat3<double> R = rotation_from_rpy({{3 * normal(rng), (k % 4 < 2 ? 1 : -1) * (pi / 2 - near), 3 * normal(rng)}});
    all.push_back(quaternion_from_rotation(R));
  }
  return all;
}

}  // namespace

TEST_CASE("roll, pitch and yaw of a rotation give it back, at any pitch") {
  for (const Quaternion& u : quaternions()) {
    const Mat3<double> R = rotation_from_quaternion(u.data());
    const Vec3<double> rpy = rpy_from_rotation(R);
    INFO(numbers(u.data(), 4));
    CHECK(distance(rotation_from_rpy(rpy), R) < 1e-15);
    CHECK(std::abs(rpy[1]) <= pi / 2);
  }
}

TEST_CASE("quat_xyzw places joints, inertias and sensors as the same rotation in rpy does") {
  for (const Quaternion& u : quaternions())
    for (int where = 0; where < 3; ++where) {
      INFO(where << ": " << numbers(u.data(), 4));
      std::string turned[3], same[3];
      turned[where] = by_quaternion(u), same[where] = by_rpy(rpy_from_rotation(rotation_from_quaternion(u.data())));
      const std::string text = robot(turned[0], turned[1], turned[2]), other = robot(same[0], same[1], same[2]);
      LoadReport report;
      const Model model = parse_urdf(text, "r.urdf", {}, &report);
      CHECK(report.warnings.empty());
      CHECK(distance(model, parse_urdf(other, "r.urdf")) < 1e-15);
      const UrdfSensorSet sensors = parse_urdf_sensors(text, "r.urdf");
      const Mat3<double> expected = where == 2 ? rotation_from_quaternion(u.data()) : identity3<double>();
      CHECK(distance(rotation_from_rpy(sensors.sensors[0].rpy), expected) < 1e-15);
      CHECK(sensors.sensors[0].xyz[2] == 6);
    }
}

TEST_CASE("an orientation by quat_xyzw carries its weight where it points") {
  // 0.6 kg a metre along x of a link that a quarter turn about y leaves hanging: no torque; without it: 0.6 · 9.81.
  const auto torque = [](const std::string& orientation) {
    const Model model = parse_urdf(
        "<robot name=\"r\" version=\"1.1\"><link name=\"a\"/><link name=\"b\"><inertial>"
        "<origin xyz=\"1 0 0\"/><mass value=\"0.6\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" "
        "iyz=\"0\" izz=\"1\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent "
        "link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 0\"/><origin " +
            orientation + "/></joint></robot>",
        "r.urdf");
    Workspace<double> ws(model);
    const double zero = 0;
    double tau = 0;
    rnea<double>(model, ws, &zero, &zero, &zero, nullptr, &tau);
    return tau;
  };
  CHECK(std::abs(torque("quat_xyzw=\"0 0.70710678118654757 0 0.70710678118654757\"")) < 1e-14);
  CHECK(std::abs(torque("quat_xyzw=\"0 0 0.70710678118654757 0.70710678118654757\"")) == Approx(5.886));
  CHECK(std::abs(torque("")) == Approx(5.886));
}

TEST_CASE("quaternions that are not of unit length are normalised, with a warning where one can see it") {
  const std::string exact = robot("quat_xyzw=\"0 0.6 0 0.8\"", "", "");
  const auto warnings = [&](const std::string& u) {
    LoadReport report;
    const Model model = parse_urdf(robot("quat_xyzw=\"" + u + "\"", "", ""), "r.urdf", {}, &report);
    CHECK(distance(model, parse_urdf(exact, "r.urdf")) < 1e-15);
    return report.warnings;
  };
  CHECK(warnings("0 0.6000004 0 0.80000053333333333").empty());
  const auto told = warnings("0 3 0 4");
  REQUIRE(told.size() == 1);
  CHECK(told[0] == "r.urdf:6: joint \"j\" <origin>: the quaternion is not of unit length; normalised");
  CHECK(warnings("0 6e-200 0 8e-200").size() == 1);
  CHECK(warnings("0 6e300 0 8e300").size() == 1);
  CHECK(warnings("0 0.600002 0 0.800002666666666").size() == 1);
}

TEST_CASE("orientations that say nothing, or two things, are refused where they stand") {
  CHECK_THAT(error_of(robot("rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"", "", "")),
             StartsWith("r.urdf:6: joint \"j\" <origin>: an orientation by rpy and by quat_xyzw; expected one of the two"));
  CHECK_THAT(error_of(robot("", "quat_xyzw=\"0 0 0 1\" rpy=\"0 0 0\"", "")),
             StartsWith("r.urdf:3: link \"b\" <inertial> <origin>"));
  CHECK_THAT(error_of(robot("", "quat_xyzw=\"0 0 0 0\"", "")), Contains("a quaternion of length 0"));
  CHECK_THAT(error_of(robot("quat_xyzw=\"0 0 1\"", "", "")), Contains("4 decimal numbers"));
  CHECK_THAT(error_of(robot("quat_xyzw=\"0 0 nan 1\"", "", "")), Contains("4 decimal numbers"));
  CHECK_THROWS_WITH(parse_urdf_sensors(robot("", "", "rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\""), "r.urdf"),
                    StartsWith("r.urdf:8: sensor \"s\" <origin>"));
}

TEST_CASE("versions that are none, or not known, are a warning") {
  const auto warning = [](const std::string& version) {
    LoadReport report;
    parse_urdf(robot("", "", "", version), "r.urdf", {}, &report);
    return report.warnings.empty() ? "" : report.warnings.front();
  };
  for (const char* known : {"", " version=\"1.0\"", " version=\"1.1\"", " version=\"1.2\""}) CHECK(warning(known).empty());
  CHECK(warning(" version=\"two\"") == "r.urdf:1: <robot>: version=\"two\" is no version, such as 1.1; passed over");
  for (const char* none : {"1", "1.", ".1", "1.1.1", "v1.1", "-1.0", ""})
    CHECK_THAT(warning(" version=\"" + std::string(none) + "\""), Contains("is no version"));
  CHECK_THAT(warning(" version=\"2.0\""), Contains("not known"));
}

TEST_CASE("SDF's poses: degrees and quaternions") {
  const auto sensors = [](const std::string& pose) {
    return parse_urdf_sensors("<robot name=\"r\"><link name=\"a\"/><gazebo reference=\"a\"><sensor name=\"s\" type=\"imu\">" +
                                  pose + "</sensor></gazebo></robot>",
                              "r.urdf")
        .sensors[0];
  };
  const UrdfSensor usual = sensors("<pose>1 2 3 0.1 0.2 0.3</pose>");
  const double d = 180 / pi, in_degrees[] = {0.1 * d, 0.2 * d, 0.3 * d};
  const UrdfSensor degrees = sensors("<pose degrees=\"true\">1 2 3 " + numbers(in_degrees, 3) + "</pose>");
  const Quaternion u = quaternion_from_rotation(rotation_from_rpy(usual.rpy));
  const UrdfSensor turned = sensors("<pose rotation_format=\"quat_xyzw\">1 2 3 " + numbers(u.data(), 4) + "</pose>");
  for (int k = 0; k < 3; ++k) {
    CHECK(degrees.rpy[k] == Approx(usual.rpy[k]).epsilon(1e-14));
    CHECK(turned.rpy[k] == Approx(usual.rpy[k]).epsilon(1e-14));
    CHECK((degrees.xyz[k] == usual.xyz[k] && turned.xyz[k] == usual.xyz[k]));
  }
  CHECK_THROWS_WITH(sensors("<pose degrees=\"yes\">0 0 0 0 0 0</pose>"), Contains("expected false or true"));
  CHECK_THROWS_WITH(sensors("<pose rotation_format=\"quat_wxyz\">0 0 0 1 0 0 0</pose>"), Contains("euler_rpy or quat_xyzw"));
  CHECK_THROWS_WITH(sensors("<pose rotation_format=\"quat_xyzw\" degrees=\"true\">0 0 0 0 0 0 1</pose>"), Contains("degrees"));
}
