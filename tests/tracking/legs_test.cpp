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
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), legged_sensors()), options);
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

TEST_CASE("a step of the whole body: its derivative beside differences, and its transpose") {
  using namespace sparsedyn::tracking;
  const auto system = std::make_shared<const System>(walking_quadruped(), legged_sensors());
  IntervalRows rows(*system, WholeLayout::freed_link(*system));
  const WholeLayout layout(system, rows);
  std::mt19937 rng(8);
  std::normal_distribution<double> normal;
  WholeKnot x(layout), next(layout), moved(layout), there(layout);
  std::vector<double> e(static_cast<std::size_t>(layout.size));
  for (double& each : e) each = 0.5 * normal(rng);
  retract(layout, e.data(), x);
  WholeJacobian F(layout), unused(layout);
  const double dt = 0.02;
  step_whole(layout, x, dt, next, F);
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
      step_whole(layout, moved, dt, there, unused);
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
