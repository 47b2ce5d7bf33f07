// A floating robot with a closed loop between its base and its sole: no reading tells where in the world it is, nor its yaw.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "sparsedyn/tracking/visibility.hpp"
#include "support/four_bar.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double dt = 0.005, yaw_sigma = 0.3, place_sigma = 0.5;

Model linkage_on_a_base() {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  return ModelBuilder("four-bar on a base")
      .root("ground", inertia_about_com(5, {{0.1, 0, 0}}, {0.1, 0, 0, 0.1, 0, 0.1}), true)
      .link("crank", rod, "ground", "a", hinge, at(0))
      .link("coupler", rod, "crank", "b", hinge, at(0.3))
      .link("rocker", rod, "ground", "c", hinge, at(0.5))
      .build();
}

Sensor sensor(const std::string& type, double sigma, const std::string& link) {
  Sensor s;
  s.name = s.type = type, s.all = link.empty();
  if (sigma > 0) s.sigma = {sigma};
  if (!link.empty()) s.targets = {{link}};
  return s;
}

/// Standing on three points of that link.
SensorSet set_on(const std::string& sole) {
  SensorSet set;
  set.sensors = {sensor("joint_position", 1e-3, ""), sensor("joint_torque", 0.1, ""), sensor("gyroscope", 1e-3, "ground"),
                 sensor("accelerometer", 0.05, "ground"), sensor("contact", 0, sole)};
  set.sensors[2].over_time.offset = {0.01, 0, true}, set.sensors[3].over_time.offset = {0.1, 0, true};
  set.sensors[4].over_time.contact.points = {{{0.1, 0.1, 0}}, {{-0.1, 0.1, 0}}, {{0, -0.1, 0}}};
  set.start["q.base"] = {place_sigma, place_sigma, place_sigma, 0.05, 0.05, yaw_sigma};
  set.constraints.constraints = {four_bar_loop()};
  return set;
}

std::size_t place_of(const Tracker& tracker, const std::string& column) {
  const auto at = std::find(tracker.columns().begin(), tracker.columns().end(), column);
  REQUIRE(at != tracker.columns().end());
  return static_cast<std::size_t>(at - tracker.columns().begin());
}

std::vector<double> row_of(const Tracker& tracker, const std::map<std::string, double>& readings, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  std::vector<double> y;
  for (const TrackerInput& input : tracker.inputs()) {
    const std::string& column = input.columns.front();
    const auto found = readings.find(column);
    const double noise = column.rfind("y.joint_position", 0) == 0 || column.rfind("y.gyroscope", 0) == 0 ? 1e-3 : 0.05;
    y.push_back(found == readings.end() ? 1.0 : found->second + noise * normal(rng));
  }
  return y;
}

}  // namespace

TEST_CASE("a loop between base and sole tells nothing of yaw and place: their deviations never fall below those of the start") {
  const Model model = linkage_on_a_base();
  for (const char* sole : {"ground", "crank", "coupler", "rocker"}) {
    INFO(sole);
    const SensorSet set = set_on(sole);
    const auto system = std::make_shared<const System>(model, set);
    TrackerOptions options;
    options.deviations = true, options.slip = false, options.outputs = {"q", "dq", "lambda"};
    Tracker tracker(system, options);
    REQUIRE(tracker.rows() == TrackRows::whole_body);
    std::vector<tracking::ContactPoint> points;
    const int link = model.find_link(sole);
    for (const Vec3<double>& point : set.sensors[4].over_time.contact.points) points.push_back({"sole", 0, link, point, 0});
    tracking::StandingMotion motion(model, set.constraints, points, 0.1);
    tracking::ExactReadings readings(*system, {link});
    std::mt19937 rng(4);
    std::vector<double> before = motion.at(-dt), now = motion.at(0), last(static_cast<std::size_t>(model.nv), 0.0), v(last),
                        out(tracker.columns().size());
    tracker.start(now.data(), v.data());
    const std::size_t yaw = place_of(tracker, "sd.q.base.rz"), place = place_of(tracker, "sd.q.base.x");
    double tilt = 1;
    for (int k = 0; k < 200; ++k) {
      const std::vector<double> next = motion.at((k + 1) * dt);
      difference(model, before.data(), next.data(), v.data());
      for (double& x : v) x /= 2 * dt;
      const std::vector<double> y = row_of(tracker, readings.of(before, last, now, v, dt), rng);
      REQUIRE(tracker.step(y.data(), dt, out.data()).ok);
      INFO(k);
      REQUIRE(out[yaw] > yaw_sigma * (1 - 1e-9));
      for (std::size_t c = 0; c < 3; ++c) REQUIRE(out[place + c] > place_sigma * (1 - 1e-9));
      tilt = std::min(tilt, out[yaw - 1]);
      before = now, now = next, last = v;
    }
    CHECK(tilt < 0.03);
  }
}

TEST_CASE("check over time calls yaw unseen where a loop lies between base and sole") {
  const Model model = linkage_on_a_base();
  for (const char* sole : {"ground", "coupler", "rocker"}) {
    const auto found = unseen_over_time(std::make_shared<const System>(model, set_on(sole)));
    REQUIRE(found.size() == 2);
    for (const SituationOverTime& s : found)
      for (const char* axis : {"base.x", "base.y", "base.z", "base.yaw"}) {
        CAPTURE(sole, s.name, axis);
        CHECK(std::count(s.unseen.begin(), s.unseen.end(), axis) == 1);
      }
  }
}
