// Names with * and ? in sensor sets: the same system as with the names spelt out; and imu, a gyroscope and an accelerometer.
#include <catch2/catch.hpp>

#include "dense.hpp"
#include "determinacy/unloaded_links.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "support/robots.hpp"
#include "system/sensors/link_motion.hpp"
#include "system/sensors/wildcards.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

/// A floating trunk with two legs of a thigh and a foot each, and a sole fixed to each foot.
Model biped() {
  std::mt19937 rng(5);
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  ModelBuilder builder("biped");
  builder.root("trunk", random_inertia(rng), true);
  for (const std::string side : {"left", "right"}) {
    builder.link(side + "_thigh", random_inertia(rng), "trunk", side + "_hip", hinge, random_pose(rng));
    builder.link(side + "_foot", random_inertia(rng), side + "_thigh", side + "_ankle", hinge, random_pose(rng));
    builder.link(side + "_sole", random_inertia(rng), side + "_foot", side + "_glue", {}, random_pose(rng));
  }
  return builder.build();
}

SensorSet set_of(const std::string& sensors) { return parse_sensor_set("{\"sensors\": [\n" + sensors + "]}", "set.json"); }

std::string sensor_text(const std::string& type, const std::string& keys) {
  return "{\"name\": \"s\", \"type\": \"" + type + "\", " + keys + "}";
}

std::string message_of(const std::string& sensors) {
  try {
    const System system(biped(), set_of(sensors));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Columns, names and numbers at one state are the same.
void check_same(const std::string& pattern, const std::string& spelt) {
  INFO(pattern);
  const System a(biped(), set_of(pattern)), b(biped(), set_of(spelt));
  CHECK(a.equation_names() == b.equation_names());
  CHECK(a.unknown_names() == b.unknown_names());
  REQUIRE(a.inputs().size() == b.inputs().size());
  for (std::size_t k = 0; k < a.inputs().size(); ++k) CHECK(a.inputs()[k].columns == b.inputs()[k].columns);
  std::mt19937 rng(9);
  const State state = random_state(a.model(), rng);
  const std::vector<double> y(a.inputs().size(), 0.5);
  const Dense x = dense(a, state, y), z = dense(b, state, y);
  CHECK(x.A == z.A);
  CHECK(x.b == z.b);
}

}  // namespace

TEST_CASE("wildcards: * for any letters, ? for one") {
  for (const char* name : {"left_foot", "left_", "left_féet"}) CHECK(matches("left_*", name));
  CHECK_FALSE(matches("left_*", "left"));
  CHECK_FALSE(matches("left_*", "a_left_foot"));
  CHECK(matches("*_foot", "left_foot_foot"));
  CHECK(matches("l?g", "leg"));
  CHECK(matches("l?g", "lög"));
  CHECK_FALSE(matches("l?g", "lg"));
  CHECK_FALSE(matches("l?g", "legg"));
  CHECK(matches("*a*b*", "xxaxxbxx"));
  CHECK_FALSE(matches("*a*b*", "xxbxxaxx"));
  CHECK(matches("**", ""));
  CHECK_FALSE(matches("", "a"));
  CHECK(matches("f*o?", "fooooo"));
  CHECK(has_wildcard("a*"));
  CHECK(has_wildcard("a?"));
  CHECK_FALSE(has_wildcard("a"));
}

TEST_CASE("patterns in sensor sets stand for the names that they match") {
  check_same(sensor_text("joint_torque", "\"joint\": \"left_*\""),
             sensor_text("joint_torque", "\"joint\": [\"left_hip\", \"left_ankle\"]"));
  check_same(sensor_text("joint_torque", "\"joint\": [\"right_h*\", \"left_?ip\"]"),
             sensor_text("joint_torque", "\"joint\": [\"right_hip\", \"left_hip\"]"));
  check_same(sensor_text("joint_torque", "\"joint\": \"*_*\", \"except\": \"right_*\""),
             sensor_text("joint_torque", "\"joint\": [\"left_hip\", \"left_ankle\"]"));
  check_same(sensor_text("joint_torque", "\"joint\": \"*\", \"except\": [\"right_*\", \"left_ankle\"]"),
             sensor_text("joint_torque", "\"joint\": \"*\", \"except\": [\"right_hip\", \"right_ankle\", \"left_ankle\"]"));
  // the base is not among them, as it is not in "*"; a name again is no error beside a pattern
  check_same(sensor_text("joint_torque", "\"joint\": [\"*a*\", \"left_ankle\"]"),
             sensor_text("joint_torque", "\"joint\": [\"left_ankle\", \"right_ankle\"]"));
  // force/torque sensors sit on fixed joints too
  check_same(sensor_text("force_torque", "\"joint\": \"*_glue\""),
             sensor_text("force_torque", "\"joint\": [\"left_glue\", \"right_glue\"]"));
  // a wrench sensor brings the wrench of the lumped links that it names, by a pattern too
  check_same(sensor_text("load_cell", "\"link\": \"*_sole\", \"sigma\": 1"),
             sensor_text("load_cell", "\"link\": [\"left_sole\", \"right_sole\"], \"sigma\": 1"));
  check_same(sensor_text("accelerometer", "\"link\": \"*_sole\", \"except\": \"r*\""),
             sensor_text("accelerometer", "\"link\": [\"left_sole\"]"));
}

TEST_CASE("patterns that match nothing are refused by line, and except beside names alone") {
  CHECK_THAT(message_of("{\"name\": \"s\", \"type\": \"joint_torque\",\n\"joint\": \"arm_*\"}"),
             Catch::StartsWith("set.json:3: sensor s: \"arm_*\", which no joint matches; expected a moving joint"));
  CHECK_THAT(message_of(sensor_text("accelerometer", "\"link\": \"*_hand\"")), Contains("\"*_hand\", which no link matches"));
  CHECK_THAT(message_of(sensor_text("accelerometer", "\"link\": \"*\", \"except\": \"*_hand\"")),
             Contains("which no link matches"));
  CHECK_THAT(message_of(sensor_text("accelerometer", "\"link\": \"left_*\", \"except\": \"left_*\"")),
             Contains("it names nothing"));
  CHECK_THAT(message_of(sensor_text("accelerometer", "\"link\": [\"trunk\"], \"except\": \"t*\"")),
             Contains("expected it beside \"*\", or names with * or ?"));
  CHECK(message_of(sensor_text("accelerometer", "\"link\": \"*_hand\", \"optional\": true")) == "accepted");
}

TEST_CASE("soles that a pattern excepts are warned of unless something names them, a pattern too") {
  const std::string air = sensor_text("external_wrench", "\"link\": \"*\",\n\"except\": \"*_sole\", \"value\": 0");
  const std::vector<std::string> told = unloaded_links(biped(), set_of(air));
  REQUIRE(told.size() == 2);
  CHECK_THAT(told[0], Catch::StartsWith("set.json:3: \"left_sole\" is excepted from \"s\"") && Contains("it is zero"));
  const std::string cells = ",\n{\"name\": \"cells\", \"type\": \"load_cell\", \"link\": \"?*_sole\"}";
  CHECK(unloaded_links(biped(), set_of(air + cells)).empty());
}

TEST_CASE("imu: a gyroscope and an accelerometer at one place") {
  const std::string place = "\"link\": \"left_foot\", \"xyz\": [0.1, 0.2, -0.3], \"rpy\": [0.4, -0.7, 1.9]";
  const System imu(biped(), set_of(sensor_text("imu", place + ", \"sigma\": [1, 2, 3, 4, 5, 6]")));
  const System both(biped(), set_of("{\"name\": \"g\", \"type\": \"gyroscope\", " + place +
                                    ", \"sigma\": [1, 2, 3]},{\"name\": \"a\", \"type\": \"accelerometer\", " + place +
                                    ", \"sigma\": [4, 5, 6]}"));
  REQUIRE(imu.measurements().size() == 2);
  CHECK(imu.measurements()[0].columns == std::vector<std::string>{"y.s.gx", "y.s.gy", "y.s.gz"});
  CHECK(imu.measurements()[0].sigma == both.measurements()[0].sigma);
  REQUIRE(imu.inputs().size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(imu.inputs()[k].columns == std::vector<std::string>{"y.s.a" + std::string(1, "xyz"[k])});
  CHECK(imu.measurements()[1].sigma == std::vector<double>{4, 5, 6});
  std::mt19937 rng(4);
  const State state = random_state(imu.model(), rng);
  const std::vector<double> y{1, -2, 3};
  const Dense x = dense(imu, state, y), z = dense(both, state, y);
  CHECK(x.A == z.A);
  CHECK(x.b == z.b);
  // a part of its components, of one of the two or of both
  const System some(biped(), set_of(sensor_text("imu", place + ", \"components\": [\"az\", \"gy\"], \"sigma\": [7, 8]")));
  REQUIRE(some.measurements().size() == 2);
  CHECK(some.measurements()[0].columns == std::vector<std::string>{"y.s.gy"});
  CHECK(some.measurements()[0].sigma == std::vector<double>{8});
  CHECK(some.measurements()[1].columns == std::vector<std::string>{"y.s.az"});
  CHECK(System(biped(), set_of(sensor_text("imu", place + ", \"components\": [\"ax\"]"))).measurements().size() == 1);
  CHECK_THAT(message_of(sensor_text("imu", place + ", \"components\": [\"x\"]")), Contains("one of gx, gy, gz, ax, ay, az"));
}
