// The wrench at an arm's tip by rows of the whole body, beside a generalised-momentum observer, and beside positions that are
// differentiated and solved sample by sample.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/dynamics/jacobians.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/logs/differentiate.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/momentum_observer.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double push_rate = 2 * 3.14159265358979 * 1.5;  // rad/s

Force<double> swaying_push(double t) { return {{{0, 0, 0}}, {{0, 0, 20 * std::sin(push_rate * t)}}}; }

Force<double> no_push(double) { return {zero3<double>(), zero3<double>()}; }

/// The same motion and the same noise, with a push and without one.
struct TwoLogs {
  ArmLog pushed, free;
};

/// By what a push adds to an estimate: how late it is; by the estimate without one: how far it is off.
struct Following {
  double delay, noise;
};
Following following(const std::vector<double>& pushed, const std::vector<double>& free, double dt, std::size_t from) {
  Eigen::MatrixXd A(static_cast<Eigen::Index>(pushed.size() - from), 2);
  Eigen::VectorXd b(A.rows());
  double squares = 0;
  for (std::size_t k = from; k < pushed.size(); ++k) {
    const double t = (static_cast<double>(k) - 0.5) * dt;  // the middle of the interval
    A.row(static_cast<Eigen::Index>(k - from)) << std::sin(push_rate * t), std::cos(push_rate * t);
    b[static_cast<Eigen::Index>(k - from)] = pushed[k] - free[k];
    squares += free[k] * free[k];
  }
  const Eigen::VectorXd fit = A.colPivHouseholderQr().solve(b);
  return {std::atan2(-fit[1], fit[0]) / push_rate, std::sqrt(squares / static_cast<double>(pushed.size() - from))};
}

/// The wrench on the tip that makes these torques.
class TipWrench {
 public:
  explicit TipWrench(const Model& model) : model_(model), work_(model), J_(36) {}
  Eigen::VectorXd of(const double* q, const double* torques) {
    std::vector<double> still(6, 0.0);
    forward_kinematics(model_, work_, q, still.data(), still.data());
    link_jacobian(model_, work_, static_cast<int>(model_.links.size()) - 1, Axes::link, J_.data());
    const Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> J(J_.data());
    return J.transpose().fullPivLu().solve(Eigen::Map<const Eigen::VectorXd>(torques, 6));
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  std::vector<double> J_;
};

std::vector<double> observed(const Model& arm, const ArmLog& log, double gain, double smoothing) {
  MomentumObserver observer(arm, gain, smoothing);
  TipWrench tip(arm);
  std::vector<double> force;
  for (const std::vector<double>& y : log.readings)
    force.push_back(tip.of(y.data(), observer.step(y.data(), y.data() + 6, log.dt).data())[5]);
  return force;
}

std::vector<double> tracked(const Model& arm, const ArmLog& log, double walk) {
  ArmNoise noise;
  noise.force_walk = walk, noise.moment_walk = 0.1 * walk;
  TrackerOptions options;
  options.outputs = {"fx." + arm.links.back().name + ".fz"};
  Tracker tracker(std::make_shared<const System>(arm, arm_sensors(arm.links.back().name, noise)), options);
  std::vector<double> force;
  double out = 0;
  for (const std::vector<double>& y : log.readings) {
    REQUIRE(tracker.step(y.data(), log.dt, &out).ok);
    force.push_back(std::isfinite(out) ? out : 0);
  }
  return force;
}

template <class Estimate>
Following of_both(const TwoLogs& logs, const Estimate& estimate) {
  return following(estimate(logs.pushed), estimate(logs.free), logs.pushed.dt, 400);
}

}  // namespace

TEST_CASE("a wrench is found with less delay than a momentum observer of the same noise, with less noise at the same delay") {
  const Model arm = arm_like_ur5();
  const std::string& tip = arm.links.back().name;
  const TwoLogs logs{yielding_arm(arm, tip, 2400, 1000, 4, {}, swaying_push, 0.3, 36),
                     yielding_arm(arm, tip, 2400, 1000, 4, {}, no_push, 0.3, 36)};
  std::vector<Following> filters;
  for (double walk : {3.0, 10.0, 30.0, 100.0, 300.0, 1000.0})
    filters.push_back(of_both(logs, [&](const ArmLog& log) { return tracked(arm, log, walk); }));
  for (const double gain : {10.0, 20.0, 50.0, 100.0})
    for (const double smoothing : {0.0, 0.002, 0.005, 0.02}) {
      const Following observer = of_both(logs, [&](const ArmLog& log) { return observed(arm, log, gain, smoothing); });
      CAPTURE(gain, smoothing, observer.delay, observer.noise);
      CHECK(std::any_of(filters.begin(), filters.end(), [&](const Following& filter) {
        return filter.delay <= observer.delay && filter.noise < observer.noise;
      }));
    }
}

namespace {

/// Root mean squares of velocities, accelerations and the wrench beside the truth, away from the ends.
struct ArmErrors {
  double dq = 0, ddq = 0, force = 0, moment = 0;
};

class ErrorsOf {
 public:
  explicit ErrorsOf(const ArmLog& log) : log_(log) {}
  /// dq: 6, ddq: 6, fx: 6.
  void add(std::size_t k, const double* dq, const double* ddq, const double* fx) {
    const auto square = [](double a, double b) { return (a - b) * (a - b); };
    for (std::size_t j = 0; j < 6; ++j) {
      sum_.dq += square(dq[j], log_.v[k][j]), sum_.ddq += square(ddq[j], log_.ddq[k][j]);
      (j < 3 ? sum_.moment : sum_.force) += square(fx[j], log_.fx[k][j]);
    }
    ++count_;
  }
  ArmErrors rms() const {
    const auto root = [&](double sum, double each) { return std::sqrt(sum / (each * static_cast<double>(count_))); };
    return {root(sum_.dq, 6), root(sum_.ddq, 6), root(sum_.force, 3), root(sum_.moment, 3)};
  }

 private:
  const ArmLog& log_;
  ArmErrors sum_;
  long count_ = 0;
};

constexpr std::size_t from_ends = 200;

/// Positions differentiated, then inverse dynamics: the torques that are missing are the wrench's.
ArmErrors differentiated(const Model& arm, const ArmLog& log) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> positions(6);
  for (std::size_t j = 0; j < 6; ++j) {
    names.push_back("q." + std::to_string(j));
    for (const std::vector<double>& y : log.readings) positions[j].push_back(y[j]);
  }
  const Differentiated found = differentiate(names, positions, log.dt);
  TipWrench tip(arm);
  Workspace<double> work(arm);
  ErrorsOf errors(log);
  std::vector<double> dq(6), middle(6), ddq(6), tau(6);
  for (std::size_t k = from_ends; k + from_ends < log.q.size(); ++k) {
    for (std::size_t j = 0; j < 6; ++j) {
      dq[j] = found.values[j][k], middle[j] = 0.5 * (found.values[j][k] + found.values[j][k - 1]);
      ddq[j] = 0.5 * (found.values[6 + j][k] + found.values[6 + j][k - 1]);  // as the mean over the interval
    }
    rnea(arm, work, log.readings[k].data(), middle.data(), ddq.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    for (std::size_t j = 0; j < 6; ++j) tau[j] -= log.readings[k][6 + j];
    errors.add(k, dq.data(), ddq.data(), tip.of(log.readings[k].data(), tau.data()).data());
  }
  return errors.rms();
}

/// acceleration_walk: of a motion that is known to be smooth, rad/s²/√s; below 0: the set says nothing.
ArmErrors smoothed(const Model& arm, const ArmLog& log, double walk, double acceleration_walk) {
  ArmNoise noise;
  noise.force_walk = walk, noise.moment_walk = 0.1 * walk;
  SensorSet set = arm_sensors(arm.links.back().name, noise);
  if (acceleration_walk >= 0) set.prior["ddq"] = 20, set.acceleration_walk = acceleration_walk;
  TrackerOptions options;
  options.outputs = {"dq", "ddq", "fx." + arm.links.back().name};
  const Tracker tracker(std::make_shared<const System>(arm, set), options);
  std::vector<double> y, out(log.q.size() * 18);
  for (const std::vector<double>& row : log.readings) y.insert(y.end(), row.begin(), row.end());
  smooth(tracker, y, std::vector<double>(log.q.size(), log.dt), 3, out.data());
  ErrorsOf errors(log);
  for (std::size_t k = from_ends; k + from_ends < log.q.size(); ++k)
    errors.add(k, out.data() + 18 * k, out.data() + 18 * k + 6, out.data() + 18 * k + 12);
  return errors.rms();
}

}  // namespace

TEST_CASE("an arm's whole log gives velocities, accelerations and the wrench no worse than differentiated positions do") {
  const Model arm = arm_like_ur5();
  const ArmLog log = yielding_arm(arm, arm.links.back().name, 2400, 1000, 4, {}, swaying_push, 0.3, 36);
  const ArmErrors peer = differentiated(arm, log), found = smoothed(arm, log, 100, 0), smooth = smoothed(arm, log, 100, 0.3),
                  found_out = smoothed(arm, log, 100, -1);
  CAPTURE(peer.dq, found.dq, smooth.dq, peer.ddq, found.ddq, smooth.ddq, found_out.ddq, peer.force, found.force, peer.moment,
          found.moment);
  CHECK(found.force < 0.25 * peer.force);
  CHECK(found.moment < 0.25 * peer.moment);
  CHECK(smooth.force < 0.25 * peer.force);
  CHECK(smooth.dq < peer.dq);
  CHECK(smooth.ddq < peer.ddq);
  CHECK(found_out.force < 0.25 * peer.force);
  CHECK(found_out.dq < 0.5 * found.dq);
  CHECK(found_out.ddq < 0.1 * found.ddq);
}
