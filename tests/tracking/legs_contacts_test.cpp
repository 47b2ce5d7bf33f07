// Rows of the whole body on legs: flags that are late, what drives the base, and a camera.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "support/legged_robot.hpp"
#include "tracking/shared/foothold_moves.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr std::size_t first_flag = 18;  // of walk_columns()

/// Every flag so many rows late.
WalkLog with_late_flags(WalkLog log, std::size_t rows) {
  for (std::size_t k = log.q.size(); k-- > 0;)
    for (std::size_t leg = 0; leg < 4; ++leg)
      log.readings[k][first_flag + leg] = log.readings[k > rows ? k - rows : 0][first_flag + leg];
  return log;
}

/// Flags that rise a row late and fall in time.
WalkLog with_late_landings(const WalkLog& log) {
  WalkLog late = with_late_flags(log, 1);
  for (std::size_t k = 0; k < log.q.size(); ++k)
    for (std::size_t leg = 0; leg < 4; ++leg) late.readings[k][first_flag + leg] *= log.readings[k][first_flag + leg];
  return late;
}

}  // namespace

TEST_CASE("a foot that pushes before its flag says so is felt") {
  const WalkLog log = walk(1000, 250, 5), late = with_late_landings(log);
  REQUIRE(late.readings != log.readings);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  const LegErrors in_time = errors_of(TrackRows::whole_body, log, efforts),
                  felt = errors_of(TrackRows::whole_body, late, efforts);
  CAPTURE(in_time.force, felt.force, in_time.dq, felt.dq, in_time.velocity, felt.velocity, felt.nees);
  CHECK(felt.force < 1.2 * in_time.force);
  CHECK(felt.dq < 1.2 * in_time.dq);
  CHECK(felt.velocity < 1.2 * in_time.velocity);
}

TEST_CASE("flags that come 8 ms late and say so cost rows of the whole body next to nothing") {
  const WalkLog log = walk(1000, 250, 5), late = with_late_flags(log, 2);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  SensorSet declared = legged_sensors();
  for (Sensor& sensor : declared.sensors)
    if (sensor.type == "contact") sensor.over_time.delay = 0.008;
  const LegErrors kinematic = errors_of(TrackRows::kinematic, log, efforts),
                  in_time = errors_of(TrackRows::whole_body, log, efforts),
                  said = errors_of(TrackRows::automatic, late, efforts, declared);
  CAPTURE(in_time.velocity, said.velocity, kinematic.dq, in_time.dq, said.dq, said.nees);
  CHECK(said.velocity < 1.1 * in_time.velocity);
  CHECK(said.dq < 0.9 * kinematic.dq);
}

TEST_CASE("a camera that sees a foot shows rows of the whole body where the base is") {
  const SensorSet set = with_camera(legged_sensors(), "foot0");
  TrackerOptions options;
  options.outputs = {"q.base"}, options.deviations = true;
  const Model robot = walking_quadruped();
  Tracker tracker(std::make_shared<const System>(robot, set), options);
  CHECK(tracker.rows() == TrackRows::whole_body);
  CHECK(tracker.unobservable().empty());
  const WalkLog log = walk(1000, 250, 12);
  const Efforts efforts = efforts_of(robot, log);
  std::vector<double> out(tracker.columns().size()), start = log.q[0];
  for (std::size_t c = 0; c < 3; ++c) start[c] += 0.4;
  start[5] += 0.1;  // of the quaternion's z: yaw by 0.2 rad
  tracker.start(start.data(), log.v[0].data());
  Workspace<double> work(robot);
  const int foot = static_cast<int>(
      std::find_if(robot.links.begin(), robot.links.end(), [](const Link& link) { return link.name == "foot0"; }) -
      robot.links.begin());
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  double square = 0, count = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    forward_kinematics<double>(robot, work, log.q[k].data(), nullptr, nullptr);
    const Pose<double> seen = link_pose(robot, work, foot);
    const auto u = quaternion_from_rotation(seen.R);
    std::vector<double> pose(7, std::nan(""));  // one picture in ten samples
    for (std::size_t c = 0; c < 7 && k % 10 == 0; ++c)
      pose[c] = c < 3 ? seen.d[static_cast<int>(c)] + 0.01 * normal(rng) : u[c - 3];
    std::vector<double> y;
    std::size_t at = 0;
    const std::vector<double> plain = row_of(tracker, log, efforts, k, rng);
    for (const TrackerInput& input : tracker.inputs()) {
      const bool of_camera = input.columns.front().rfind("y.camera", 0) == 0;
      y.push_back(of_camera ? pose[at++] : plain[y.size()]);
    }
    REQUIRE(at == 7);
    const TrackerStep step = tracker.step(y.data(), log.dt, out.data());
    INFO("sample " << k << ": " << step.why);
    REQUIRE(step.ok);
    for (std::size_t c = 0; c < 3 && k > 500; ++c) {
      REQUIRE(out[7 + c] < 0.02);
      square += std::pow((out[c] - log.q[k][c]) / out[7 + c], 2), ++count;
    }
  }
  CHECK(square / count < 2);
  CHECK(std::abs(out[5] - log.q.back()[5]) < 0.02);
}

TEST_CASE("a camera that reads x alone leaves y and z unobservable, and a note on its orientation names the sensor") {
  SensorSet set = legged_sensors();
  Sensor camera;
  camera.name = "camera", camera.type = "link_pose", camera.targets = {{"trunk"}}, camera.components = {"x", "qx"};
  camera.sigma = {0.01};
  set.sensors.push_back(camera);
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    TrackerOptions options;
    options.rows = rows;
    const Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
    CHECK(tracker.unobservable() == std::vector<std::string>{"base.y", "base.z", "base.yaw"});
    const std::string note = "sensor camera: link_pose reads an orientation by all of qx qy qz qw, or not at all";
    CHECK(std::count(tracker.notes().begin(), tracker.notes().end(), note) == 1);
  }
}

TEST_CASE("nothing drives a free base, whether a set says so or not") {
  SensorSet silent = legged_sensors(), said = legged_sensors();
  Sensor base;
  base.name = "free", base.type = "joint_torque", base.targets = {{"base"}}, base.value = {0};
  said.sensors.push_back(base);
  TrackerOptions options;
  options.outputs = {"q", "dq", "tau.base", "fx.foot0", "model_wrench"}, options.deviations = true;
  Tracker one(std::make_shared<const System>(walking_quadruped(), silent), options),
      other(std::make_shared<const System>(walking_quadruped(), said), options);
  const WalkLog log = walk(300, 250, 6);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(1), again(1);
  std::vector<double> a(one.columns().size()), b(a);
  one.start(log.q[0].data(), log.v[0].data()), other.start(log.q[0].data(), log.v[0].data());
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(one.step(row_of(one, log, efforts, k, rng).data(), log.dt, a.data()).ok);
    REQUIRE(other.step(row_of(other, log, efforts, k, again).data(), log.dt, b.data()).ok);
  }
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(one.columns().begin(), one.columns().end(), name) - one.columns().begin());
  };
  for (std::size_t c = 0; c < a.size(); ++c) {
    const std::string& name = one.columns()[c];
    if (name.find("tau.base") != std::string::npos) continue;
    const std::size_t sd = at("sd." + name);
    INFO(name << ": " << a[c] << ", " << b[c]);
    if (name.rfind("sd.", 0) == 0) CHECK(std::abs(a[c] - b[c]) < 0.02 * b[c] + 1e-4);
    if (sd < a.size()) CHECK(std::abs(a[c] - b[c]) < 0.05 * b[sd] + 1e-6);
  }
  CHECK(std::abs(a[at("tau.base.fz")]) < 1);
  CHECK(std::abs(b[at("tau.base.fz")]) < 1);
  CHECK(a[at("sd.model_wrench.fz")] < 100);  // 6000 from row to row: the laws of motion read it
}

TEST_CASE("the laws of motion of a free base leave a covariance that is positive") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SensorSet set = legged_sensors();
    set.start["q.base"] = {0, 0, 0, 0.2, 0.2, 0.3};
    if (seed % 2 == 0) set.model_wrench = {40, 4, true};
    Tracker tracker(std::make_shared<const System>(walking_quadruped(), set));
    const WalkLog log = walk(600, 250, seed);
    const Efforts efforts = efforts_of(walking_quadruped(), log);
    std::mt19937 rng(1);
    std::vector<double> out(tracker.columns().size());
    tracker.start(log.q[0].data(), log.v[0].data());
    for (std::size_t k = 0; k < log.q.size(); ++k)
      REQUIRE(tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data()).ok);
  }
}

TEST_CASE(
    "a foot that lands gives in all directions, one that is relieved along the vertical, and level where it carries little") {
  using tracking::Touch;
  const double dt = 0.004, walk = 0.01, walks = walk * walk * dt, gives = 0.004 * 0.004;
  const auto moves = [&](const Touch& touch) { return tracking::foothold_moves(touch, walk, dt, false); };
  Touch touch;
  touch.begin(0);
  CHECK(moves(touch).level == Approx(900 * dt));
  touch.pass(0, 1, dt, false), touch.carry(50, dt);
  touch.pass(1, 1, dt, false), touch.carry(100, dt);  // stands through an interval
  CHECK(moves(touch).level == Approx(walks + gives * (1 - std::exp(-0.2))));
  CHECK(moves(touch).upright == moves(touch).level);
  double sunk = moves(touch).level - walks;
  for (int k = 0; k < 100; ++k) {
    touch.pass(1, 1, dt, false), touch.carry(100, dt);
    sunk += moves(touch).level - walks;
  }
  CHECK(sunk == Approx(gives));  // 4 mm, once
  for (const double load : {95.0, 70.0, 30.0}) {
    Touch relieved = touch;
    relieved.pass(1, 1, dt, false), relieved.carry(load, dt);
    const tracking::FootholdMoves found = moves(relieved);
    CAPTURE(load);
    const double rises = load > 90 ? 0 : gives * dt / 0.02;
    CHECK(found.level == Approx(walks + (load > 50 ? 0.25 : 1) * rises));
    CHECK(found.upright == Approx(walks + rises));
    CHECK(tracking::foothold_moves(relieved, walk, dt, true).level == Approx(900 * dt));  // nothing is known of the interval
  }
}

// Ground gives along the vertical, which gravity tells.
TEST_CASE("a world that lies on its side is the world that stands, with its deviations") {
  const WalkLog log = walk(150, 250, 5);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  SensorSet set = legged_sensors();
  set.start["q.base"] = {0.01};  // of all axes alike
  TrackerOptions options;
  options.outputs = {"dq"}, options.deviations = true;
  std::vector<std::vector<double>> found[2];
  for (const bool on_its_side : {false, true}) {
    Model robot = walking_quadruped();
    std::vector<double> q = log.q[0];
    if (on_its_side) {  // turned by a right angle about y: z becomes x, x becomes −z
      robot.gravity = {{robot.gravity[2], robot.gravity[1], -robot.gravity[0]}};
      const double half = std::sqrt(0.5), x = q[3], y = q[4], z = q[5], w = q[6];
      q[0] = log.q[0][2], q[2] = -log.q[0][0];
      q[3] = half * (x + z), q[4] = half * (y + w), q[5] = half * (z - x), q[6] = half * (w - y);
    }
    Tracker tracker(std::make_shared<const System>(robot, set), options);
    std::vector<double> out(tracker.columns().size());
    std::mt19937 rng(3);
    tracker.start(q.data(), log.v[0].data());
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      REQUIRE(tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data()).ok);
      found[on_its_side].push_back(out);
    }
  }
  double apart = 0;
  for (std::size_t k = 0; k < found[0].size(); ++k)
    for (std::size_t c = 0; c < found[0][k].size(); ++c)
      apart = std::max(apart, std::abs(found[0][k][c] - found[1][k][c]) / found[0][k][c < 18 ? 18 + c : c]);
  CHECK(apart < 1e-6);  // deviations
}
