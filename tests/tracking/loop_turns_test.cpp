// Closed loops of a floating robot tell nothing of its yaw and place, also where they are open by 1 mm as those of a real robot
// are: the deviations never fall below those of the start.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/four_bar.hpp"
#include "tracking/visibility/exact_readings.hpp"
#include "tracking/visibility/standing_motion.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double loop_step = 0.005, first_yaw = 0.3, first_place = 0.5, first_tilt = 0.05;

/// A linkage on a floating base; a pin hangs on the rocker's end, for a weld that closes the same loop.
Model linkage_that_floats(bool heavy) {
  JointSpec hinge;
  hinge.kind = JointKind::revolute, hinge.axis = {{0, 1, 0}};
  const Inertia<double> rod = inertia_about_com(1, {{0.2, 0, 0}}, {0.01, 0, 0, 0.02, 0, 0.02});
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {{x, 0, 0}}}; };
  return ModelBuilder("linkage that floats", {{0, 0, heavy ? -9.81 : 0.0}})
      .root("ground", inertia_about_com(5, {{0.1, 0, 0}}, {0.1, 0, 0, 0.1, 0, 0.1}), true)
      .link("crank", rod, "ground", "a", hinge, at(0))
      .link("coupler", rod, "crank", "b", hinge, at(0.3))
      .link("rocker", rod, "ground", "c", hinge, at(0.5))
      .link("pin", inertia_about_com(0.2, {{0, 0, 0}}, {0.001, 0, 0, 0.001, 0, 0.001}), "rocker", "d", hinge, at(0.4))
      .build();
}

/// One closed loop; `off`: its second anchor is that far from where it is in truth, across the linkage's plane and along it.
Constraint closed_by(const std::string& kind, double off) {
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

Sensor reading_of(const std::string& type, double sigma, const std::string& link) {
  Sensor s;
  s.name = s.type = type, s.all = link.empty();
  if (sigma > 0) s.sigma = {sigma};
  if (!link.empty()) s.targets = {{link}};
  return s;
}

/// Standing on three points of that link.
SensorSet set_standing_on(const std::string& sole, const Constraint& loop) {
  SensorSet set;
  set.sensors = {reading_of("joint_position", 1e-3, ""), reading_of("joint_torque", 0.1, ""),
                 reading_of("gyroscope", 1e-3, "ground"), reading_of("accelerometer", 0.05, "ground"),
                 reading_of("contact", 0, sole)};
  set.sensors[2].over_time.offset = {0.01, 0, true}, set.sensors[3].over_time.offset = {0.1, 0, true};
  set.sensors[4].over_time.contact.points = {{{0.1, 0.1, 0}}, {{-0.1, 0.1, 0}}, {{0, -0.1, 0}}};
  set.start["q.base"] = {first_place, first_place, first_place, first_tilt, first_tilt, first_yaw};
  set.constraints.constraints = {loop};
  return set;
}

/// Noisy readings of a motion of the true robot, row after row, and where it starts.
struct LinkageLog {
  std::vector<double> start, y, dt;
};

LinkageLog log_of_linkage(const Model& model, const std::string& sole, const SensorSet& truth, const Tracker& tracker,
                          int steps) {
  const System system(model, truth);
  const int link = model.find_link(sole);
  std::vector<tracking::ContactPoint> points;
  for (const Vec3<double>& point : truth.sensors[4].over_time.contact.points) points.push_back({"sole", 0, link, point, 0});
  tracking::StandingMotion motion(model, truth.constraints, points, 0.1);
  tracking::ExactReadings readings(system, {link});
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  std::vector<double> before = motion.at(-loop_step), now = motion.at(0), last(static_cast<std::size_t>(model.nv), 0.0),
                      v(last);
  LinkageLog log{now, {}, std::vector<double>(static_cast<std::size_t>(steps), loop_step)};
  for (int k = 0; k < steps; ++k) {
    const std::vector<double> next = motion.at((k + 1) * loop_step);
    difference(model, before.data(), next.data(), v.data());
    for (double& x : v) x /= 2 * loop_step;
    const std::map<std::string, double> read = readings.of(before, last, now, v, loop_step);
    for (const TrackerInput& input : tracker.inputs()) {
      const std::string& column = input.columns.front();
      const auto found = read.find(column);
      const double noise = column.rfind("q.", 0) == 0 || column.rfind("y.gyroscope", 0) == 0 ? 1e-3 : 0.05;
      log.y.push_back(found == read.end() ? 1.0 : found->second + noise * normal(rng));
    }
    before = now, now = next, last = v;
  }
  return log;
}

std::size_t column_at(const Tracker& tracker, const std::string& name) {
  const auto at = std::find(tracker.columns().begin(), tracker.columns().end(), name);
  INFO(name);
  REQUIRE(at != tracker.columns().end());
  return static_cast<std::size_t>(at - tracker.columns().begin());
}

/// In every row.
void check_unseen(const Tracker& tracker, const std::vector<double>& out, bool heavy) {
  const std::size_t width = tracker.columns().size(), turn = column_at(tracker, "sd.q.base.rx"),
                    place = column_at(tracker, "sd.q.base.x");
  double yaw = 1e9, tilt = 1e9, shift = 1e9;
  for (std::size_t at = 0; at < out.size(); at += width) {
    yaw = std::min(yaw, out[at + turn + 2]), tilt = std::min({tilt, out[at + turn], out[at + turn + 1]});
    for (std::size_t c = 0; c < 3; ++c) shift = std::min(shift, out[at + place + c]);
  }
  CAPTURE(yaw, tilt, shift);
  CHECK(yaw > first_yaw * (1 - 1e-9));
  CHECK(shift > first_place * (1 - 1e-9));
  if (heavy)
    CHECK(tilt < 0.03);
  else
    CHECK(tilt > first_tilt * (1 - 1e-9));
}

}  // namespace

TEST_CASE("loops within a floating robot tell nothing of yaw and place, open by a millimetre too: filter, lag and batch") {
  for (const bool heavy : {true, false}) {
    const Model model = linkage_that_floats(heavy);
    for (const char* kind : {"pin", "weld", "gear"})
      for (const double off : {0.0, 1e-3})
        for (const char* sole : {"ground", "rocker"}) {
          CAPTURE(heavy, kind, off, sole);
          const auto system = std::make_shared<const System>(model, set_standing_on(sole, closed_by(kind, off)));
          TrackerOptions options;
          options.deviations = true, options.slip = false, options.outputs = {"q", "dq"}, options.lag = 5;
          Tracker tracker(system, options);
          REQUIRE(tracker.rows() == TrackRows::whole_body);
          const int steps = 60;
          const LinkageLog log = log_of_linkage(model, sole, set_standing_on(sole, closed_by(kind, 0)), tracker, steps);
          const std::size_t inputs = tracker.inputs().size(), width = tracker.columns().size();
          tracker.start(log.start.data(), std::vector<double>(static_cast<std::size_t>(model.nv), 0.0).data());
          std::vector<double> filtered, late, out(width), batch(width * log.dt.size());
          for (int k = 0; k < steps; ++k) {
            const TrackerStep done = tracker.step(&log.y[inputs * static_cast<std::size_t>(k)], loop_step, out.data());
            INFO(k << done.why);
            REQUIRE(done.ok);
            filtered.insert(filtered.end(), out.begin(), out.end());
            if (k >= 5 && tracker.delayed(5, out.data())) late.insert(late.end(), out.begin(), out.end());
          }
          check_unseen(tracker, filtered, heavy);
          REQUIRE(!late.empty());
          check_unseen(tracker, late, heavy);
          for (const TrackerStep& done : smooth(tracker, log.y, log.dt, 2, batch.data())) REQUIRE(done.ok);
          check_unseen(tracker, batch, heavy);
        }
  }
}
