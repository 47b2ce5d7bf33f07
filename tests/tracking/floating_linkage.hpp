// A linkage on a floating base, sensor sets for it, and logs of motions that are known.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/four_bar.hpp"
#include "support/tracker_columns.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"

namespace sparsedyn::test {

constexpr double loop_step = 0.005, first_yaw = 0.3, first_place = 0.5, first_tilt = 0.05;

/// A pin hangs on the rocker's end, for a weld that closes the same loop as a pin of coupler and rocker. load: times its
/// inertias.
inline Model linkage_that_floats(bool heavy, double load = 1) {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(load, {{0.2, 0, 0}}, {0.01 * load, 0, 0, 0.02 * load, 0, 0.02 * load});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  const Inertia<double> pin = inertia_about_com(0.2 * load, {{0, 0, 0}}, {0.001 * load, 0, 0, 0.001 * load, 0, 0.001 * load});
  return ModelBuilder("linkage that floats", {{0, 0, heavy ? -9.81 : 0.0}})
      .root("ground", inertia_about_com(5 * load, {{0.1, 0, 0}}, {0.1 * load, 0, 0, 0.1 * load, 0, 0.1 * load}), true)
      .link("crank", rod, "ground", "a", hinge, at(0))
      .link("coupler", rod, "crank", "b", hinge, at(0.3))
      .link("rocker", rod, "ground", "c", hinge, at(0.5))
      .link("pin", pin, "rocker", "d", hinge, at(0.4))
      .build();
}

/// One closed loop; `off`: its second anchor is that far from where it is in truth, across the linkage's plane and along it.
inline Constraint closed_by(const std::string& kind, double off) {
  Constraint loop = four_bar_loop();
  if (kind == "gear") {
    loop = Constraint();
    loop.name = "gear", loop.type = ConstraintType::joint, loop.hard = true;
    loop.joints = {"b"}, loop.of = "c", loop.polynomial = {0.1, -0.5};
  } else if (kind == "weld") {
    loop.type = ConstraintType::weld, loop.links = {"coupler", "pin"}, loop.frames[1].d = {{0, 0, 0}};
  }
  for (int k = 0; k < 3; ++k) loop.frames[1].d[k] += off;
  return loop;
}

inline Sensor reading_of(const std::string& type, double sigma, const std::string& link) {
  Sensor s;
  s.name = s.type = type, s.all = link.empty();
  if (sigma > 0) s.sigma = {sigma};
  if (!link.empty()) s.targets = {{link}};
  return s;
}

/// Standing on three points of that link.
inline SensorSet set_standing_on(const std::string& sole, const std::vector<Constraint>& loops) {
  SensorSet set;
  set.sensors = {reading_of("joint_position", 1e-3, ""), reading_of("joint_torque", 0.1, ""),
                 reading_of("gyroscope", 1e-3, "ground"), reading_of("accelerometer", 0.05, "ground"),
                 reading_of("contact", 0, sole)};
  set.sensors[2].over_time.offset = {0.01, 0, true}, set.sensors[3].over_time.offset = {0.1, 0, true};
  set.sensors[4].over_time.contact.points = {{{0.1, 0.1, 0}}, {{-0.1, 0.1, 0}}, {{0, -0.1, 0}}};
  set.start["q.base"] = {first_place, first_place, first_place, first_tilt, first_tilt, first_yaw};
  set.constraints.constraints = loops;
  return set;
}

/// Noisy readings of a motion, row after row, and the states at these rows.
struct LinkageLog {
  std::vector<double> y, dt;
  std::vector<std::vector<double>> q, v;
};

/// Contacts stand, which is what flags say. Each reading has the noise that the set states. pushing: links whose contacts carry
/// the robot.
inline LinkageLog log_of_motion(const System& truth, std::vector<int> pushing, const Tracker& tracker, int steps,
                                const std::function<std::vector<double>(double)>& at) {
  tracking::ExactReadings readings(truth, std::move(pushing));
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  const Model& model = truth.model();
  const auto noise_of = [&](const std::string& column) {
    for (const Sensor& s : truth.sensors().sensors)
      if (column.rfind("y." + s.name + ".", 0) == 0) return s.sigma.front();
    throw std::runtime_error("no sensor reads " + column);
  };
  std::vector<double> before = at(-loop_step), now = at(0), last(static_cast<std::size_t>(model.nv)), v(last);
  difference(model, before.data(), now.data(), last.data());
  for (double& x : last) x /= loop_step;
  LinkageLog log;
  log.dt.assign(static_cast<std::size_t>(steps), loop_step);
  for (int k = 0; k < steps; ++k) {
    const std::vector<double> next = at((k + 1) * loop_step);
    difference(model, before.data(), next.data(), v.data());
    for (double& x : v) x /= 2 * loop_step;
    const std::map<std::string, double>& read = readings.of(before, last, now, v, loop_step);
    for (const TrackerInput& input : tracker.inputs()) {
      const std::string& column = input.columns.front();
      log.y.push_back(input.is_flag ? 1.0 : read.at(column) + noise_of(column) * normal(rng));
    }
    log.q.push_back(now), log.v.push_back(v);
    before = now, now = next, last = v;
  }
  return log;
}

/// The base sways above that sole, and the linkage moves.
inline LinkageLog log_of_linkage(const Model& model, const std::string& sole, const SensorSet& truth, const Tracker& tracker,
                                 int steps) {
  const int link = model.find_link(sole);
  std::vector<tracking::ContactPoint> points;
  for (const Vec3<double>& point : truth.sensors[4].over_time.contact.points) points.push_back({"sole", 0, link, point, 0});
  tracking::StandingMotion motion(model, truth.constraints, points, 0.1);
  return log_of_motion(System(model, truth), {link}, tracker, steps, [&](double t) { return motion.at(t); });
}

}  // namespace sparsedyn::test
