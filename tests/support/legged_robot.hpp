// The walking quadruped of walking_robot.hpp with the torques and foot forces that its motion needs.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/walking_robot.hpp"

namespace sparsedyn::test {

constexpr double legged_torque_noise = 1;  // N·m

inline SensorSet legged_sensors() {
  SensorSet set = walking_sensors();
  Sensor torques;
  torques.name = "torques", torques.type = "joint_torque", torques.all = true, torques.sigma = {legged_torque_noise};
  Sensor unpushed;
  unpushed.name = "nothing", unpushed.type = "external_wrench", unpushed.all = true, unpushed.value = {0};
  for (int leg = 0; leg < 4; ++leg) unpushed.except.push_back({"foot" + std::to_string(leg)});
  set.sensors.push_back(torques), set.sensors.push_back(unpushed);
  set.model_wrench = {1000, 1e5, true};  // what two feet cannot hold, anew in each stance
  return set;
}

/// Means over the intervals: torques, and forces on the feet in their links' frames (12).
struct Efforts {
  std::vector<std::vector<double>> tau, force;
};

/// The forces on standing feet are the least that hold the base; what two feet cannot is left to the base's own wrench.
inline Efforts efforts_of(const Model& model, const WalkLog& log) {
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

/// The row of readings of a tracker, by the columns that it asks for. Of a camera: none; of a contact that the log has not: it
/// never stands.
inline std::vector<double> row_of(const Tracker& tracker, const WalkLog& log, const Efforts& efforts, std::size_t k,
                                  std::mt19937& rng) {
  static const std::vector<std::string> columns = walk_columns();
  std::normal_distribution<double> normal;
  std::vector<double> row;
  std::size_t torque = 0;
  for (const TrackerInput& input : tracker.inputs()) {
    const auto at = std::find(columns.begin(), columns.end(), input.columns.front());
    const std::string& column = input.columns.front();
    if (column.rfind("y.camera", 0) == 0) {
      row.push_back(std::nan(""));
      continue;
    }
    if (at == columns.end() && column.size() > 3 && column.compare(column.size() - 3, 3, ".on") == 0) {
      row.push_back(0);
      continue;
    }
    row.push_back(at != columns.end() ? log.readings[k][static_cast<std::size_t>(at - columns.begin())]
                                      : efforts.tau[k][torque++] + legged_torque_noise * normal(rng));
  }
  return row;
}

struct LegErrors {
  double dq = 0, velocity = 0, force = 0, nees = 0;
};

inline LegErrors errors_of(TrackRows rows, const WalkLog& log, const Efforts& efforts,
                           const SensorSet& set = legged_sensors()) {
  TrackerOptions options;
  options.rows = rows, options.outputs = {"dq"};
  const bool whole = rows != TrackRows::kinematic;
  for (int leg = 0; leg < 4 && whole; ++leg)
    for (const char* c : {"fx", "fy", "fz"}) options.outputs.push_back("fx.foot" + std::to_string(leg) + "." + c);
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
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

}  // namespace sparsedyn::test
