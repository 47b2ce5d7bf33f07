// The noise of readings that is changed while a tracker goes on, beside trackers whose sets said so from the start.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/heap.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// The set with `times` the noise of all that says one; contacts have none of a reading's.
SensorSet noisier(SensorSet set, double times) {
  for (Sensor& sensor : set.sensors)
    for (double& sigma : sensor.sigma) sigma *= times;
  return set;
}

/// Both with the same readings; `changed` is told that each reading has `times` the noise: of input k it is sigmas[k] then.
/// Returns the number of readings that took it.
int compare(Tracker& stated, Tracker& changed, const std::vector<std::vector<double>>& readings, double dt,
            const std::vector<double>& sigmas) {
  int taken = 0;
  const long before = allocations();
  for (std::size_t k = 0; k < sigmas.size(); ++k) taken += changed.set_sigma(k, sigmas[k]);
  CHECK(allocations() == before);
  std::vector<double> a(stated.columns().size()), b(a.size());
  for (const std::vector<double>& row : readings) {
    REQUIRE(stated.step(row.data(), dt, a.data()).ok);
    REQUIRE(changed.step(row.data(), dt, b.data()).ok);
    for (std::size_t k = 0; k < a.size(); ++k) REQUIRE((a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))));
  }
  return taken;
}

/// Of a walk with a camera on the trunk: the readings of each sample, and thrice the noise of each.
void input_rows(const Tracker& tracker, const WalkLog& log, const WalkNoise& noise, std::vector<std::vector<double>>& readings,
                std::vector<double>& sigmas) {
  std::vector<std::string> names = walk_columns();
  for (const char* component : {"x", "y", "z", "qx", "qy", "qz", "qw"}) names.push_back(std::string("y.camera.") + component);
  readings.resize(log.readings.size());
  for (std::size_t n = 0; n < readings.size(); ++n) {
    std::vector<double> all = log.readings[n];
    all.insert(all.end(), log.q[n].begin(), log.q[n].begin() + 7);
    for (const TrackerInput& input : tracker.inputs())
      readings[n].push_back(
          all[static_cast<std::size_t>(std::find(names.begin(), names.end(), input.columns.front()) - names.begin())]);
  }
  for (const TrackerInput& input : tracker.inputs()) {
    const std::string& name = input.columns.front();
    const bool turns = name.find(".q") != std::string::npos;
    sigmas.push_back(3 * (name.find("encoders") != std::string::npos    ? noise.encoder
                          : name.find("gyroscope") != std::string::npos ? noise.gyroscope
                          : name.find("accel") != std::string::npos     ? noise.accelerometer
                          : turns                                       ? 0.02
                                                                        : 0.01));
  }
}

}  // namespace

TEST_CASE("kinematic rows weigh readings by the noise that was set last") {
  const WalkNoise noise;
  const SensorSet set = with_camera(walking_sensors(noise), "trunk");
  const Model robot = walking_quadruped();
  TrackerOptions wanted;
  wanted.deviations = true;
  Tracker stated(std::make_shared<const System>(robot, noisier(set, 3)), wanted),
      changed(std::make_shared<const System>(robot, set), wanted);
  const WalkLog log = walk(300, 250, 5);
  std::vector<std::vector<double>> readings;
  std::vector<double> sigmas;
  input_rows(changed, log, noise, readings, sigmas);
  CHECK(compare(stated, changed, readings, log.dt, sigmas) == 12 + 6 + 6);  // no flag, no w
}

TEST_CASE("rows of the whole body weigh readings by the noise that was set last") {
  const Model arm = arm_like_ur5();
  const std::string tip = arm.links.back().name;
  const ArmNoise noise{};
  SensorSet set = arm_sensors(tip, noise);
  set.prior["ddq"] = 300;
  TrackerOptions wanted;
  wanted.outputs = {"q", "tau", "fx." + tip}, wanted.deviations = true;
  Tracker stated(std::make_shared<const System>(arm, noisier(set, 3)), wanted),
      changed(std::make_shared<const System>(arm, set), wanted);
  const ArmLog log = push_arm(arm, tip, 200, 1000, 1, noise);
  std::vector<double> sigmas;
  for (const TrackerInput& input : changed.inputs())
    for (const Sensor& sensor : set.sensors)
      if (input.columns.front().compare(0, sensor.name.size() + 3, "y." + sensor.name + ".") == 0)
        sigmas.push_back(3 * sensor.sigma.front());
  REQUIRE(sigmas.size() == changed.inputs().size());
  CHECK(compare(stated, changed, log.readings, log.dt, sigmas) == 12);
}

TEST_CASE("a noise next to none is that of a set that says it, and leaves each sample with an answer") {
  const Model arm = arm_like_ur5();
  const std::string tip = arm.links.back().name;
  const ArmNoise noise{};
  const auto exact = [](SensorSet set) {
    for (Sensor& sensor : set.sensors)
      for (double& sigma : sensor.sigma) sigma = 1e-12;
    return set;
  };
  SensorSet set = arm_sensors(tip, noise);
  set.prior["ddq"] = 300;
  TrackerOptions wanted;
  wanted.outputs = {"q", "tau"}, wanted.deviations = true;
  Tracker stated(std::make_shared<const System>(arm, exact(set)), wanted),
      changed(std::make_shared<const System>(arm, set), wanted);
  const ArmLog log = push_arm(arm, tip, 30, 1000, 1, noise);
  std::vector<double> sigmas(changed.inputs().size(), 1e-12);
  CHECK(compare(stated, changed, log.readings, log.dt, sigmas) == 12);
}

TEST_CASE("rows of the whole body of a floating robot weigh readings by the noise that was set last") {
  const WalkNoise noise;
  SensorSet set = with_camera(walking_sensors(noise), "trunk");
  const Model robot = walking_quadruped();
  TrackerOptions wanted;
  wanted.rows = TrackRows::whole_body, wanted.deviations = true;
  Tracker stated(std::make_shared<const System>(robot, noisier(set, 3)), wanted),
      changed(std::make_shared<const System>(robot, set), wanted);
  const WalkLog log = walk(300, 20, 5);
  std::vector<std::vector<double>> readings;
  std::vector<double> sigmas;
  input_rows(changed, log, noise, readings, sigmas);
  CHECK(compare(stated, changed, readings, log.dt, sigmas) == 12 + 6 + 6);
}

TEST_CASE("a noise that is none is refused") {
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), walking_sensors()));
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    CHECK(!tracker.set_sigma(0, wrong));
  CHECK(!tracker.set_sigma(tracker.inputs().size(), 1));
  CHECK(tracker.set_sigma(0, 1));
}

namespace {

/// A hinge, a ball and a plane in a row, and how they were read: q of each sample with noise.
Model hinge_ball_and_plane() {
  std::mt19937 rng(4);
  ModelBuilder builder("groups");
  builder.root("root", random_inertia(rng), false);
  std::string parent = "root";
  for (const JointKind kind : {JointKind::revolute, JointKind::spherical, JointKind::planar}) {
    const std::string name = parent + "+";
    const Inertia<double> inertia = random_inertia(rng);
    const JointSpec joint = random_joint(rng, kind);
    builder.link(name, inertia, parent, "to " + name, joint, random_pose(rng));
    parent = name;
  }
  return builder.build();
}

SensorSet group_encoders(const std::vector<double>& sigma) {
  SensorSet set;
  Sensor encoders;
  encoders.name = "encoders", encoders.type = "joint_position", encoders.all = true, encoders.sigma = sigma;
  set.sensors = {encoders};
  return set;
}

std::vector<std::vector<double>> read_postures(const Model& robot, int samples) {
  std::mt19937 rng(6);
  std::normal_distribution<double> noise(0, 1e-3);
  std::vector<std::vector<double>> rows;
  std::vector<double> zero(static_cast<std::size_t>(robot.nq)), step(static_cast<std::size_t>(robot.nv));
  neutral(robot, zero.data());
  for (int k = 0; k < samples; ++k) {
    for (std::size_t v = 0; v < step.size(); ++v) step[v] = 0.5 * std::sin(0.02 * k + static_cast<double>(v)) + noise(rng);
    rows.push_back(zero);
    integrate(robot, zero.data(), step.data(), rows.back().data());
  }
  return rows;
}

}  // namespace

TEST_CASE(
    "coordinates of balls and planes are weighed by the noise that was set last, and a quaternion's w has none of its own") {
  const Model robot = hinge_ball_and_plane();
  TrackerOptions wanted;
  wanted.deviations = true, wanted.rows = TrackRows::whole_body;
  Tracker stated(std::make_shared<const System>(robot, group_encoders({0.004})), wanted),
      changed(std::make_shared<const System>(robot, group_encoders({0.001})), wanted);
  const auto readings = read_postures(robot, 100);
  REQUIRE(changed.inputs().size() == 8);
  CHECK(compare(stated, changed, readings, 0.01, std::vector<double>(8, 0.004)) == 7);
  for (std::size_t k = 0; k < 8; ++k) {
    const std::string& name = changed.inputs()[k].columns.front();
    CHECK(changed.set_sigma(k, 0.01) == (name.compare(name.size() - 3, 3, ".qw") != 0));
  }
}

TEST_CASE("the noise of one axis of a ball is that axis' alone") {
  const Model robot = hinge_ball_and_plane();
  TrackerOptions wanted;
  wanted.deviations = true, wanted.rows = TrackRows::whole_body, wanted.outputs = {"q"};
  Tracker tracker(std::make_shared<const System>(robot, group_encoders({0.001})), wanted);
  for (std::size_t k = 0; k < tracker.inputs().size(); ++k)
    if (const std::string& name = tracker.inputs()[k].columns.front(); name.compare(name.size() - 3, 3, ".qy") == 0)
      CHECK(tracker.set_sigma(k, 0.1));
  std::vector<double> out(tracker.columns().size());
  for (const std::vector<double>& row : read_postures(robot, 50)) REQUIRE(tracker.step(row.data(), 0.01, out.data()).ok);
  const auto deviation = [&](const std::string& end) {
    for (std::size_t k = 0; k < out.size(); ++k)
      if (const std::string& name = tracker.columns()[k]; name.size() > 3 && name.compare(name.size() - 3, 3, end) == 0)
        return out[k];
    FAIL(end);
    return 0.0;
  };
  CHECK(deviation(".ry") > 10 * deviation(".rx"));
  CHECK(deviation(".rx") == Approx(deviation(".rz")).epsilon(0.05));
}

namespace {

/// A batch by a tracker that was told of the noise, beside one whose set states it; the largest difference.
double batches_differ(const Tracker& stated, Tracker& changed, const std::vector<std::vector<double>>& readings, double dt,
                      const std::vector<double>& sigmas) {
  std::vector<double> y, dts(readings.size(), dt);
  for (const std::vector<double>& row : readings) y.insert(y.end(), row.begin(), row.end());
  std::vector<double> a(stated.columns().size() * dts.size()), b(a), before(a);
  smooth(stated, y, dts, 2, a.data()), smooth(changed, y, dts, 2, before.data());
  for (std::size_t k = 0; k < sigmas.size(); ++k) changed.set_sigma(k, sigmas[k]);
  smooth(changed, y, dts, 2, b.data());
  double worst = 0, moved = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::isnan(a[k]) && std::isnan(b[k])) continue;
    worst = std::max(worst, std::abs(a[k] - b[k])), moved = std::max(moved, std::abs(a[k] - before[k]));
  }
  CHECK(moved > 1e-4);
  return worst;
}

}  // namespace

TEST_CASE("a whole log is weighed by the noise that was set last") {
  const WalkNoise noise;
  const SensorSet set = with_camera(walking_sensors(noise), "trunk");
  const Model robot = walking_quadruped();
  TrackerOptions wanted;
  wanted.deviations = true;
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    wanted.rows = rows;
    const Tracker stated(std::make_shared<const System>(robot, noisier(set, 3)), wanted);
    Tracker changed(std::make_shared<const System>(robot, set), wanted);
    const WalkLog log = walk(60, 250, 5);
    std::vector<std::vector<double>> readings;
    std::vector<double> sigmas;
    input_rows(changed, log, noise, readings, sigmas);
    CHECK(batches_differ(stated, changed, readings, log.dt, sigmas) == 0);
  }
  const Model groups = hinge_ball_and_plane();
  const Tracker stated(std::make_shared<const System>(groups, group_encoders({0.004})), wanted);
  Tracker changed(std::make_shared<const System>(groups, group_encoders({0.001})), wanted);
  CHECK(batches_differ(stated, changed, read_postures(groups, 60), 0.01, std::vector<double>(8, 0.004)) == 0);
}
