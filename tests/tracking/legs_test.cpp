// Rows of the whole body on legs: the walking quadruped of walking_robot.hpp with the torques and foot forces that its motion
// needs.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/heap.hpp"
#include "support/walking_robot.hpp"
#include "tracking/whole/whole_step.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double torque_noise = 1;  // N·m

SensorSet legged_sensors() {
  SensorSet set = walking_sensors();
  Sensor torques;
  torques.name = "torques", torques.type = "joint_torque", torques.all = true, torques.sigma = {torque_noise};
  Sensor unpushed;
  unpushed.name = "nothing", unpushed.type = "external_wrench", unpushed.all = true, unpushed.value = {0};
  for (int leg = 0; leg < 4; ++leg) unpushed.except.push_back({"foot" + std::to_string(leg)});
  set.sensors.push_back(torques), set.sensors.push_back(unpushed);
  set.model_wrench = {40, 400, true};
  return set;
}

/// Means over the intervals: torques, and forces on the feet in their links' frames (12).
struct Efforts {
  std::vector<std::vector<double>> tau, force;
};

/// The forces on standing feet are the least that hold the base; what two feet cannot is left to the base's own wrench.
Efforts efforts_of(const Model& model, const WalkLog& log) {
  Efforts found;
  Workspace<double> work(model);
  std::vector<Force<double>> on_links(model.links.size()), on_bodies(model.bodies.size());
  std::vector<double> middle(log.q[0]), step(18), v(18), a(18), tau(18), J(6 * 18);
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    const std::size_t from = k > 0 ? k - 1 : 0;
    difference(model, log.q[from].data(), log.q[k].data(), step.data());
    for (std::size_t j = 0; j < 18; ++j) {
      step[j] *= 0.5;
      v[j] = 0.5 * (log.v[from][j] + log.v[k][j]), a[j] = (log.v[k][j] - log.v[from][j]) / log.dt;
    }
    integrate(model, log.q[from].data(), step.data(), middle.data());
    rnea(model, work, middle.data(), v.data(), a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    forward_kinematics(model, work, middle.data(), v.data(), a.data());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6, 12);
    std::vector<int> link(4);
    for (int leg = 0; leg < 4; ++leg) {
      while (model.links[static_cast<std::size_t>(link[static_cast<std::size_t>(leg)])].name != "foot" + std::to_string(leg))
        ++link[static_cast<std::size_t>(leg)];
      if (log.readings[k][static_cast<std::size_t>(18 + leg)] * log.readings[from][static_cast<std::size_t>(18 + leg)] < 0.5)
        continue;
      link_jacobian(model, work, link[static_cast<std::size_t>(leg)], Axes::link, J.data());
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 6; ++c) A(c, 3 * leg + r) = J[static_cast<std::size_t>((3 + r) * 18 + c)];
    }
    const Eigen::VectorXd f = A.completeOrthogonalDecomposition().solve(Eigen::Map<Eigen::VectorXd>(tau.data(), 6));
    for (Force<double>& x : on_links) x = {zero3<double>(), zero3<double>()};
    for (int leg = 0; leg < 4; ++leg)
      for (int c = 0; c < 3; ++c) on_links[static_cast<std::size_t>(link[static_cast<std::size_t>(leg)])].f[c] = f[3 * leg + c];
    link_wrenches_to_bodies(model, on_links.data(), on_bodies.data());
    rnea(model, work, middle.data(), v.data(), a.data(), on_bodies.data(), tau.data());
    found.tau.emplace_back(tau.begin() + 6, tau.end());
    found.force.emplace_back(f.data(), f.data() + 12);
  }
  return found;
}

/// The row of readings of a tracker, by the columns that it asks for.
std::vector<double> row_of(const Tracker& tracker, const WalkLog& log, const Efforts& efforts, std::size_t k,
                           std::mt19937& rng) {
  static const std::vector<std::string> columns = walk_columns();
  std::normal_distribution<double> normal;
  std::vector<double> row;
  std::size_t torque = 0;
  for (const TrackerInput& input : tracker.inputs()) {
    const auto at = std::find(columns.begin(), columns.end(), input.columns.front());
    row.push_back(at != columns.end() ? log.readings[k][static_cast<std::size_t>(at - columns.begin())]
                                      : efforts.tau[k][torque++] + torque_noise * normal(rng));
  }
  return row;
}

struct LegErrors {
  double dq = 0, velocity = 0, force = 0, nees = 0;
};

LegErrors errors_of(TrackRows rows, const WalkLog& log, const Efforts& efforts) {
  TrackerOptions options;
  options.rows = rows, options.outputs = {"dq"};
  const bool whole = rows == TrackRows::whole_body;
  for (int leg = 0; leg < 4 && whole; ++leg)
    for (const char* c : {"fx", "fy", "fz"}) options.outputs.push_back("fx.foot" + std::to_string(leg) + "." + c);
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), legged_sensors()), options);
  std::vector<double> out(tracker.columns().size());
  std::mt19937 rng(3);
  tracker.start(log.q[0].data(), log.v[0].data());
  LegErrors sum;
  double count = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data()).ok);
    if (k < 250 || k + 2 > log.q.size()) continue;
    const auto square = [](double x) { return x * x; };
    for (std::size_t j = 0; j < 12; ++j) sum.dq += square(out[6 + j] - log.v[k][6 + j]);
    for (std::size_t j = 3; j < 6; ++j) sum.velocity += square(out[j] - log.v[k][j]);
    for (std::size_t j = 0; j < 12 && whole; ++j) sum.force += square(out[18 + j] - efforts.force[k][j]);
    sum.nees += tracker.nees(log.q[k].data(), log.v[k].data());
    ++count;
  }
  return {std::sqrt(sum.dq / count), std::sqrt(sum.velocity / count), std::sqrt(sum.force / count), sum.nees / count};
}

}  // namespace

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
  CHECK(tracker.states() == 12 + 24 + 6 + 12 + 18 + 6 + 24);
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
