// The tracker of kinematic rows on a quadruped whose motion is known.
#include "sparsedyn/tracking/tracker.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/tracking/visibility.hpp"
#include "support/heap.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::shared_ptr<const System> walker(const WalkNoise& noise = {}) {
  return std::make_shared<const System>(walking_quadruped(), walking_sensors(noise));
}

std::size_t at(const Tracker& tracker, const std::string& column) {
  const auto& columns = tracker.columns();
  const auto found = std::find(columns.begin(), columns.end(), column);
  REQUIRE(found != columns.end());
  return static_cast<std::size_t>(found - columns.begin());
}

TrackerOptions wanted(std::vector<std::string> outputs, bool deviations = true) {
  TrackerOptions options;
  options.outputs = std::move(outputs);
  options.deviations = deviations;
  return options;
}

/// Share of errors within two deviations, and mean square of errors over variances.
struct Honesty {
  long inside = 0, count = 0;
  double squares = 0;
  void add(double error, double deviation) {
    inside += std::abs(error) <= 2 * deviation;
    squares += error * error / (deviation * deviation);
    ++count;
  }
  double share() const { return static_cast<double>(inside) / static_cast<double>(count); }
  double square() const { return squares / static_cast<double>(count); }
};

}  // namespace

TEST_CASE("a tracker reads what the walking robot's log holds") {
  const Tracker tracker(walker());
  std::vector<std::string> columns;
  for (const TrackerInput& input : tracker.inputs()) columns.push_back(input.columns.front());
  CHECK(columns == walk_columns());
  CHECK(tracker.states() == 9 + 6 + 12 + 24);
  CHECK(tracker.notes().empty());
  CHECK(tracker.unobservable() == std::vector<std::string>{"base.x", "base.y", "base.z", "base.yaw"});
}

TEST_CASE("a tracker takes a system of the robot, none with examples for a program's inputs") {
  const RobotParameters parameters{std::make_shared<const Model>(walking_quadruped()), {{0, 3}, {1, 1}, {}}};
  const auto examples = std::make_shared<const System>(system_with_inputs(parameters, walking_sensors({})));
  for (const TrackRows rows : {TrackRows::automatic, TrackRows::kinematic, TrackRows::whole_body}) {
    TrackerOptions options;
    options.rows = rows;
    CHECK_THROWS_WITH(Tracker(examples, options), Catch::Contains("expected a system of the robot"));
    CHECK_THROWS_AS(Tracker(examples, options), std::invalid_argument);
    CHECK_THROWS_WITH(Tracker(nullptr, options), "no system; expected one");
    CHECK_THROWS_AS(unseen_over_time(examples, rows), std::invalid_argument);
    CHECK_THROWS_AS(unseen_over_time(nullptr, rows), std::invalid_argument);
  }
}

TEST_CASE("exact readings are tracked exactly") {
  Tracker tracker(walker(), wanted({"q", "dq"}));
  const WalkLog log = walk(750, 250, 1, {}, 0);
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  double worst_place = 0, worst_turn = 0, worst_speed = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
    for (std::size_t c = 0; c < 3; ++c) worst_place = std::max(worst_place, std::abs(out[c] - log.q[k][c]));
    const double sign = out[6] * log.q[k][6] < 0 ? -1 : 1;
    for (std::size_t c = 3; c < 7; ++c) worst_turn = std::max(worst_turn, std::abs(sign * out[c] - log.q[k][c]));
    const std::size_t v = at(tracker, "dq.base.vx");
    for (std::size_t c = 0; c < 3; ++c) worst_speed = std::max(worst_speed, std::abs(out[v + c] - log.v[k][3 + c]));
  }
  CHECK(worst_place < 2e-4);  // ½ dt (v + v⁺) beside the integral of v
  CHECK(worst_turn < 2e-5);
  CHECK(worst_speed < 2e-3);  // at the base's origin, by the angular velocity's filter
}

TEST_CASE("deviations of the base are honest: twenty walks whose noise is as stated") {
  const auto system = walker();
  Honesty speed, place, offsets;
  double nees = 0;
  long counted = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Tracker tracker(system, wanted({"q.base", "dq.base", "bias"}));
    const WalkLog log = walk(1000, 250, seed);
    std::vector<double> out(tracker.columns().size());
    tracker.start(log.q[0].data(), log.v[0].data());
    const std::size_t v = at(tracker, "dq.base.vx"), sd_v = at(tracker, "sd.dq.base.vx"), sd_place = at(tracker, "sd.q.base.x"),
                      bias = at(tracker, "bias.gyroscope.x"), sd_bias = at(tracker, "sd.bias.gyroscope.x");
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
      if (k < 250 || k % 25) continue;
      for (std::size_t c = 0; c < 3; ++c) speed.add(out[v + c] - log.v[k][3 + c], out[sd_v + c]);
      const double each = tracker.nees(log.q[k].data(), log.v[k].data());
      REQUIRE(std::isfinite(each));
      nees += each, ++counted;
    }
    for (std::size_t c = 0; c < 3; ++c) place.add(out[c] - log.q.back()[c], out[sd_place + c]);
    for (std::size_t c = 0; c < 3; ++c) {
      offsets.add(out[bias + c] - log.gyroscope_offset[c], out[sd_bias + c]);
      offsets.add(out[bias + 3 + c] - log.accelerometer_offset[c], out[sd_bias + 3 + c]);
    }
  }
  CHECK(nees / static_cast<double>(counted) > 0.7);
  CHECK(nees / static_cast<double>(counted) < 1.4);
  CHECK(speed.share() > 0.92);
  CHECK(speed.share() < 0.98);
  CHECK(place.share() >= 0.9);
  CHECK(offsets.share() >= 0.9);
}

TEST_CASE("no reading of the feet or the IMU says where the robot looks: yaw's deviation never falls") {
  SensorSet set = walking_sensors();
  set.start["q.base"] = {0, 0, 0, 0.2, 0.2, 0.3};
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), wanted({"q.base"}));
  const WalkLog log = walk(2000, 250, 3);
  std::vector<double> out(tracker.columns().size());
  const std::size_t yaw = at(tracker, "sd.q.base.rz"), tilt = at(tracker, "sd.q.base.rx");
  tracker.start(log.q[0].data(), log.v[0].data());
  double least = 1;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
    least = std::min(least, out[yaw]);
  }
  CHECK(least >= 0.3 * (1 - 1e-9));
  CHECK(out[yaw] < 0.4);
  CHECK(out[tilt] < 0.02);  // which gravity does show
}

TEST_CASE("a wrong start and wrong tilt are found, without a start too") {
  SensorSet set = walking_sensors();
  set.start["q.base"] = {0.1, 0.1, 0.1, 0.2, 0.2, 0.2};
  const auto system = std::make_shared<const System>(walking_quadruped(), set);
  const WalkLog log = walk(1500, 250, 5);
  for (const bool given : {true, false}) {
    Tracker tracker(system, wanted({"q.base", "dq.base"}));
    std::vector<double> out(tracker.columns().size()), q = log.q[0];
    const std::vector<double> still(18, 0.0);
    q[3] += 0.08, q[4] -= 0.06;
    if (given)
      tracker.start(q.data(), nullptr);
    else
      tracker.start();
    for (std::size_t k = 0; k < log.q.size(); ++k) REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
    // the third row of the rotation: what gravity shows
    const auto third = [](const double* u) {
      return std::vector<double>{2 * (u[0] * u[2] - u[3] * u[1]), 2 * (u[1] * u[2] + u[3] * u[0])};
    };
    const auto found = third(out.data() + 3), truth = third(log.q.back().data() + 3);
    for (std::size_t c = 0; c < 2; ++c) CHECK(std::abs(found[c] - truth[c]) < 0.03);
    const std::size_t v = at(tracker, "dq.base.vx");
    for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(out[v + c] - log.v.back()[3 + c]) < 0.05);
  }
}

TEST_CASE("joint velocities are better than differences of the encoders") {
  SensorSet set = walking_sensors();
  set.prior["ddq"] = 100;  // rad/s², what this walk's joints do
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), wanted({"q", "dq"}));
  const WalkLog log = walk(1000, 250, 7);
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  const std::size_t v = at(tracker, "dq.roll0");
  double filtered = 0, differenced = 0;
  Honesty honesty;
  const std::size_t sd = at(tracker, "sd.dq.roll0");
  for (std::size_t k = 0; k + 1 < log.q.size(); ++k) {
    REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
    if (k < 50) continue;
    for (std::size_t j = 0; j < 12; ++j) {
      filtered += std::pow(out[v + j] - log.v[k][6 + j], 2);
      differenced += std::pow((log.readings[k][j] - log.readings[k - 1][j]) / log.dt - log.v[k][6 + j], 2);
      honesty.add(out[v + j] - log.v[k][6 + j], out[sd + j]);
    }
  }
  CHECK(filtered < 0.7 * differenced);
  CHECK(honesty.share() > 0.92);
}

TEST_CASE("a step takes nothing from the heap, nor does looking back") {
  TrackerOptions options = wanted({"q", "dq", "bias", "foot", "contact", "nis"});
  options.lag = 5;
  SensorSet set = walking_sensors();
  set.sensors.back().over_time.contact.radius = 0.001;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  const WalkLog log = walk(60, 250, 2);
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  int failed = 0;
  const long taken = allocations_of([&] {
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      failed += !tracker.step(log.readings[k].data(), log.dt, out.data()).ok;
      if (k >= 5) failed += !tracker.delayed(5, out.data());
    }
  });
  CHECK(taken == 0);
  CHECK(failed == 0);
  static_assert(noexcept(tracker.step(nullptr, 0, nullptr))&& noexcept(tracker.delayed(0, nullptr)));
}

TEST_CASE("what cannot be tracked is named") {
  SensorSet set = walking_sensors();
  set.sensors[0].all = false, set.sensors[0].targets = {{"roll0"}, {"hip0"}};
  CHECK_THROWS_WITH(Tracker(std::make_shared<const System>(walking_quadruped(), set)), Catch::Contains("q.knee0"));
  try {
    Tracker(walker(), wanted({"q.bose"}));
    FAIL("an unknown output");
  } catch (const UnknownTrackOutput& unknown) {
    CHECK(unknown.name == "q.bose");
    CHECK_THAT(unknown.what(), Catch::Contains("q.base"));
  }
}

TEST_CASE("an arm on a fixed base: its joints alone, and those that nothing reads are left out") {
  ModelBuilder builder("arm");
  const Inertia<double> body = inertia_about_com(1, zero3<double>(), {0.1, 0, 0, 0.1, 0, 0.1});
  JointSpec hinge;
  hinge.kind = JointKind::revolute;
  builder.root("stand", body, false);
  builder.link("upper", body, "stand", "shoulder", hinge, identity_pose<double>());
  builder.link("lower", body, "upper", "elbow", hinge, identity_pose<double>());
  SensorSet set;
  Sensor encoder, tachometer;
  encoder.name = "encoder", encoder.type = "joint_position", encoder.targets = {{"shoulder"}}, encoder.sigma = {1e-4};
  tachometer.name = "tachometer", tachometer.type = "joint_velocity", tachometer.targets = {{"elbow"}},
  tachometer.sigma = {1e-2};
  set.sensors = {encoder, tachometer};
  set.prior["ddq"] = 30;
  Tracker tracker(std::make_shared<const System>(builder.build(), set), wanted({}));
  CHECK(tracker.columns() ==
        std::vector<std::string>{"q.shoulder", "dq.shoulder", "dq.elbow", "sd.q.shoulder", "sd.dq.shoulder", "sd.dq.elbow"});
  CHECK(tracker.unobservable().empty());
  REQUIRE(tracker.notes().size() == 1);
  CHECK_THAT(tracker.notes()[0], Catch::Contains("q.elbow"));
  double out[6];
  for (int k = 0; k < 1000; ++k) {
    const double t = 1e-3 * k, y[2] = {std::sin(3 * t) + 1e-4 * std::sin(500.0 * k), 2 * std::cos(t)};
    REQUIRE(tracker.step(y, 1e-3, out).ok);
  }
  CHECK(std::abs(out[1] - 3 * std::cos(3 * 0.999)) < 3 * out[4]);
  CHECK(std::abs(out[2] - 2 * std::cos(0.999)) < 0.01);
  CHECK(out[4] < 0.1);
}

TEST_CASE("a camera on the trunk shows where it is: nothing is unobservable, and the place does not drift") {
  const SensorSet set = with_camera(walking_sensors(), "trunk");
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), wanted({"q.base"}));
  CHECK(tracker.unobservable().empty());
  const WalkLog log = walk(1500, 250, 12);
  std::vector<double> out(tracker.columns().size()), start = log.q[0];
  for (std::size_t c = 0; c < 3; ++c) start[c] += 0.4;
  start[5] += 0.1;  // of the quaternion's z: yaw by 0.2 rad
  tracker.start(start.data(), log.v[0].data());
  REQUIRE(tracker.inputs()[12].columns.front() == "y.camera.x");
  const std::size_t sd = at(tracker, "sd.q.base.x");
  Honesty honesty;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    std::vector<double> y = log.readings[k];
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> seen(7, nothing);  // one picture in ten samples
    for (std::size_t c = 0; c < 7 && k % 10 == 0; ++c)
      seen[c] = log.q[k][c] + (c < 3 ? 0.01 * std::sin(1.3 * static_cast<double>(k + 7 * c)) : 0.0);
    y.insert(y.begin() + 12, seen.begin(), seen.end());
    REQUIRE(tracker.step(y.data(), log.dt, out.data()).ok);
    if (k > 500)
      for (std::size_t c = 0; c < 3; ++c) honesty.add(out[c] - log.q[k][c], out[sd + c]);
  }
  CHECK(honesty.share() > 0.9);
  CHECK(out[sd] < 0.01);
  CHECK(std::abs(out[5] - log.q.back()[5]) < 0.01);
}
