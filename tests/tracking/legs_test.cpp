// Rows of the whole body on legs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "support/heap.hpp"
#include "support/legged_robot.hpp"
#include "tracking/whole/whole_step.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("torques make a walking robot's joint velocities better and leave its base as good as without them") {
  const Model robot = walking_quadruped();
  const WalkLog log = walk(1000, 250, 5);
  const Efforts efforts = efforts_of(robot, log);
  const LegErrors kinematic = errors_of(TrackRows::kinematic, log, efforts),
                  whole = errors_of(TrackRows::whole_body, log, efforts);
  CAPTURE(kinematic.dq, whole.dq, kinematic.velocity, whole.velocity, whole.force, kinematic.nees, whole.nees);
  CHECK(whole.dq < 0.6 * kinematic.dq);
  CHECK(whole.velocity < 1.15 * kinematic.velocity);
  CHECK(whole.nees < 2);
}

TEST_CASE("rows of the whole body on legs: which outputs there are, what nobody sees, no memory while they run") {
  TrackerOptions options;
  options.outputs = {"q", "dq", "ddq.base", "fx.foot0", "model_wrench", "foot", "contact", "bias", "nis"};
  options.deviations = true, options.lag = 5;
  SensorSet set = legged_sensors();
  for (Sensor& s : set.sensors)
    if (s.name == "foot2") s.over_time.contact.radius = 0.001;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  CHECK(tracker.rows() == TrackRows::whole_body);
  CHECK(tracker.states() == 12 + 24 + 6 + 12 + 18 + 6 + 12);
  CHECK(tracker.unobservable() == std::vector<std::string>{"base.x", "base.y", "base.z", "base.yaw"});
  const WalkLog log = walk(60, 250, 6);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(1);
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < log.q.size(); ++k) rows.push_back(row_of(tracker, log, efforts, k, rng));
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  bool fine = true;
  const long taken = allocations_of([&] {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      fine = fine && tracker.step(rows[k].data(), log.dt, out.data()).ok;
      if (k >= 5) fine = fine && tracker.delayed(5, out.data());
    }
  });
  CHECK(fine);
  CHECK(taken == 0);
  for (double x : out) CHECK(std::isfinite(x));
}

TEST_CASE("on legs nothing says where the robot looks: yaw's deviation never falls with torques either") {
  SensorSet set = legged_sensors();
  set.start["q.base"] = {0, 0, 0, 0.2, 0.2, 0.3};
  TrackerOptions options;
  options.outputs = {"q.base"}, options.deviations = true;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  const auto& columns = tracker.columns();
  const auto yaw = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "sd.q.base.rz") - columns.begin());
  const WalkLog log = walk(500, 250, 3);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(1);
  std::vector<double> out(columns.size());
  tracker.start(log.q[0].data(), log.v[0].data());
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data()).ok);
    REQUIRE(out[yaw] > 0.3 * (1 - 1e-9));
  }
}

namespace {

/// Results of a tracker on the walk, whose truth is moved by so far along x; it starts tilted by 0.01 rad about its own origin.
std::vector<std::vector<double>> walked(TrackRows rows, double far, const WalkLog& log, const Efforts& efforts) {
  TrackerOptions options;
  options.rows = rows, options.outputs = {"q.base", "dq.base"}, options.deviations = true;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), legged_sensors()), options);
  std::mt19937 rng(2);
  std::vector<std::vector<double>> found;
  std::vector<double> q(log.q[0]), out(tracker.columns().size());
  q[0] += far, q[3] += 0.004, q[4] -= 0.003;
  tracker.start(q.data(), log.v[0].data());
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data()).ok);
    found.push_back(out);
  }
  return found;
}

}  // namespace

TEST_CASE("a walk that starts a kilometre off is the walk that starts at the origin, deviations too") {
  const WalkLog log = walk(250, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    const auto near = walked(rows, 0, log, efforts), far = walked(rows, 1000, log, efforts);
    double worst = 0, worst_deviation = 0;
    for (std::size_t k = 0; k < near.size(); ++k)
      for (std::size_t c = 0; c < near[k].size(); ++c) {
        const bool deviation = c >= 13;
        const double off = far[k][c] - near[k][c] - (c == 0 ? 1000 : 0);
        (deviation ? worst_deviation : worst) = std::max(deviation ? worst_deviation : worst, std::abs(off));
      }
    CAPTURE(rows == TrackRows::kinematic, worst, worst_deviation);
    REQUIRE(near[0].size() == 25);
    CHECK(near[0][15] < 2e-3);  // place is as given, whatever the tilt
    CHECK(worst < 1e-5);
    CHECK(worst_deviation < 1e-5);
  }
}

TEST_CASE("V(w) [w]x is exp(w) - 1, and its inverse is one") {
  using namespace sparsedyn::tracking;
  for (const double size : {0.0, 1e-8, 1e-3, 0.0999, 0.1001, 1.0, 3.0}) {
    const Vector3 w{{0.36 * size, -0.48 * size, 0.8 * size}};
    const Matrix3 V = left_jacobian(w), turned = V * hat(w), one = inverse_left_jacobian(w) * V;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        CHECK(std::abs(turned(i, k) - (exponential(w)(i, k) - (i == k))) < 1e-15);
        CHECK(std::abs(one(i, k) - (i == k)) < 1e-14);
      }
  }
}

TEST_CASE("a base that is too fast for rows of the whole body is told so") {
  const WalkLog log = walk(3, 250, 4);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    TrackerOptions options;
    options.rows = rows;
    Tracker tracker(std::make_shared<const System>(walking_quadruped(), legged_sensors()), options);
    std::mt19937 rng(2);
    std::vector<double> v(log.v[0]), out(tracker.columns().size());
    v[3] = 120;
    tracker.start(log.q[0].data(), v.data());
    const TrackerStep step = tracker.step(row_of(tracker, log, efforts, 0, rng).data(), log.dt, out.data());
    CHECK(step.ok == (rows == TrackRows::kinematic));
    if (!step.ok) CHECK(std::string(step.why).find("velocity at the start is above 100 m/s") != std::string::npos);
  }
}

TEST_CASE("a point that misses for long is no longer let go, though another of its sole never misses") {
  SensorSet set = legged_sensors();
  for (Sensor& s : set.sensors) {
    s.over_time.contact.slip = 0;  // of the other feet
    if (s.name == "foot0") s.over_time.contact.points = {{{0, 0, 0}}, {{0, 0, -2}}}, s.over_time.contact.slip = 1e-4;
  }
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set));
  const WalkLog log = walk(135, 250, 6);  // foot0 stands from the 50th row on
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(2);
  std::vector<double> out(tracker.columns().size());
  tracker.start(log.q[0].data(), log.v[0].data());
  int early = 0, late = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    const TrackerStep step = tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data());
    REQUIRE(step.ok);
    (k < 77 ? early : late) += step.slips;
  }
  CAPTURE(early, late);
  CHECK(early > 10);
  CHECK(late < 15);  // one row without a miss, and it may slip again
}

TEST_CASE("a step of the whole body: its derivative beside differences, and its transpose") {
  using namespace sparsedyn::tracking;
  SensorSet set = legged_sensors();
  double radius = 0;  // two feet stand, two roll
  for (Sensor& s : set.sensors)
    if (s.type == "contact") s.over_time.contact.radius = radius, radius = radius > 0 ? 0 : 0.3;
  const auto system = std::make_shared<const System>(walking_quadruped(), set);
  IntervalRows rows(*system, WholeLayout::freed_link(*system));
  const WholeLayout layout(system, rows);
  WholeFeet feet(layout);
  std::mt19937 rng(8);
  std::normal_distribution<double> normal;
  WholeKnot x(layout), next(layout), moved(layout), there(layout);
  std::vector<double> e(static_cast<std::size_t>(layout.size));
  for (double& each : e) each = 0.5 * normal(rng);
  retract(layout, e.data(), x);
  WholeJacobian F(layout), unused(layout);
  const double dt = 0.02;
  step_whole(layout, x, dt, feet, next, F);
  std::vector<double> column(e), ahead(e), behind(e), lambda(e), back;
  back = lambda;
  carry_back(layout, F, back.data());
  for (std::size_t c = 0; c < e.size(); ++c) {
    std::fill(column.begin(), column.end(), 0.0);
    column[c] = 1;
    carry(layout, F, column.data());
    const double h = 1e-5;
    for (const double side : {1.0, -1.0}) {
      std::vector<double> unit(e.size(), 0.0);
      unit[c] = side * h;
      copy(x, moved);
      retract(layout, unit.data(), moved);
      step_whole(layout, moved, dt, feet, there, unused);
      local(layout, there, next, (side > 0 ? ahead : behind).data());
    }
    double along = 0;
    for (std::size_t r = 0; r < e.size(); ++r) {
      CHECK(std::abs(column[r] - (ahead[r] - behind[r]) / (2 * h)) < 1e-7);
      along += lambda[r] * column[r];
    }
    CHECK(std::abs(along - back[c]) < 1e-12 * (1 + std::abs(along)));
  }
}
