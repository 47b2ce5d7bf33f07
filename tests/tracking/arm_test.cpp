// The tracker of rows of the whole body on an arm whose motion, torques and external wrench are known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "sparsedyn/tracking/tracker.hpp"
#include "support/heap.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"
#include "support/tracker_columns.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Model six_hinges() { return arm_like_ur5(); }
const std::string& tip_of(const Model& model) { return model.links.back().name; }

std::shared_ptr<const System> pushed(const Model& model, const ArmNoise& noise = {}) {
  SensorSet set = arm_sensors(tip_of(model), noise);
  set.prior["ddq"] = 300;  // said, so that no whole log looks for a better one
  return std::make_shared<const System>(model, set);
}

TrackerOptions asked(std::vector<std::string> outputs, int lag = 0) {
  TrackerOptions options;
  options.outputs = std::move(outputs), options.deviations = true, options.lag = lag;
  return options;
}

/// Share of errors within two deviations, and mean square of errors beside their variances.
struct Pool {
  long inside = 0, count = 0;
  double squares = 0;
  void add(double error, double deviation) {
    inside += std::abs(error) <= 2 * deviation, squares += error * error / (deviation * deviation), ++count;
  }
  double share() const { return static_cast<double>(inside) / static_cast<double>(count); }
  double square() const { return squares / static_cast<double>(count); }
};

}  // namespace

TEST_CASE("an arm that reads torques is tracked by its dynamics, and by encoders alone where that is asked for") {
  const Model arm = six_hinges();
  const Tracker tracker(pushed(arm));
  CHECK(tracker.rows() == TrackRows::whole_body);
  CHECK(tracker.states() == 6 + 6 + 6 + 6);
  CHECK(tracker.notes().empty());
  CHECK(tracker.unobservable().empty());
  CHECK(tracker.inputs().size() == 12);
  TrackerOptions kinematic;
  kinematic.rows = TrackRows::kinematic;
  const Tracker alone(pushed(arm), kinematic);
  CHECK(alone.rows() == TrackRows::kinematic);
  CHECK(alone.inputs().size() == 6);
}

TEST_CASE("exact readings of an arm give its velocities, accelerations and the wrench at its tip") {
  const Model arm = six_hinges();
  const ArmNoise exact{1e-9, 1e-6, 3, 30}, none{0, 0, 3, 30};
  Tracker tracker(pushed(arm, exact), asked({"q", "dq", "ddq", "tau", "fx." + tip_of(arm)}));
  const ArmLog log = push_arm(arm, tip_of(arm), 600, 1000, 1, none);
  std::vector<double> out(tracker.columns().size());
  double speed = 0, acceleration = 0, torque = 0, wrench = 0;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
    if (k < 100) continue;
    for (std::size_t j = 0; j < 6; ++j) {
      speed = std::max(speed, std::abs(out[6 + j] - log.v[k][j]));
      acceleration = std::max(acceleration, std::abs(out[12 + j] - log.ddq[k][j]));
      torque = std::max(torque, std::abs(out[18 + j] - log.tau[k][j]));
      wrench = std::max(wrench, std::abs(out[24 + j] - log.fx[k][j]));
    }
  }
  // what the velocity may do inside an interval, 0.01 * 300 dt², leaves 3 rad/s² of an acceleration open
  CHECK(speed < 5e-3);
  CHECK(acceleration < 3);
  CHECK(torque < 5e-4);
  CHECK(wrench < 10);
}

TEST_CASE("deviations of an arm's velocities, accelerations, torques and wrench are honest") {
  const Model arm = six_hinges();
  const auto system = pushed(arm);
  Pool q, dq, ddq, tau, fx;
  double nees = 0;
  long counted = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Tracker tracker(system, asked({"q", "dq", "ddq", "tau", "fx." + tip_of(arm)}));
    const ArmLog log = push_arm(arm, tip_of(arm), 1000, 1000, seed);
    std::vector<double> out(tracker.columns().size());
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      REQUIRE(tracker.step(log.readings[k].data(), log.dt, out.data()).ok);
      if (k < 300 || k % 20) continue;
      const double* const sd = out.data() + 30;
      for (std::size_t j = 0; j < 6; ++j) {
        q.add(out[j] - log.q[k][j], sd[j]), dq.add(out[6 + j] - log.v[k][j], sd[6 + j]);
        ddq.add(out[12 + j] - log.ddq[k][j], sd[12 + j]), tau.add(out[18 + j] - log.tau[k][j], sd[18 + j]);
        fx.add(out[24 + j] - log.fx[k][j], sd[24 + j]);
      }
      const double each = tracker.nees(log.q[k].data(), log.v[k].data());
      REQUIRE(std::isfinite(each));
      nees += each, ++counted;
    }
  }
  for (const Pool* pool : {&q, &dq, &ddq, &tau, &fx}) {
    INFO("squares " << pool->square());
    CHECK(pool->share() > 0.92);
    CHECK(pool->share() < 0.98);
  }
  CHECK(nees / static_cast<double>(counted) > 0.7);
  CHECK(nees / static_cast<double>(counted) < 1.4);
}

TEST_CASE("an arm's delayed estimates end as its batch does, and take no memory as they come") {
  const Model arm = six_hinges();
  const auto system = pushed(arm);
  const std::string force = "fx." + tip_of(arm);
  Tracker tracker(system, asked({"q", "dq", "ddq", force}, 20));
  const ArmLog log = push_arm(arm, tip_of(arm), 120, 1000, 5);
  std::vector<double> out(tracker.columns().size()), y;
  const long taken = allocations_of([&] {
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      tracker.step(log.readings[k].data(), log.dt, out.data());
      if (k >= 20) tracker.delayed(20, out.data());
    }
  });
  CHECK(taken == 0);
  for (const std::vector<double>& row : log.readings) y.insert(y.end(), row.begin(), row.end());
  std::vector<double> all(log.q.size() * out.size());
  smooth(tracker, y, std::vector<double>(log.q.size(), log.dt), 1, all.data());
  double worst = 0;
  for (int back = 0; back <= 20; ++back) {
    REQUIRE(tracker.delayed(back, out.data()));
    const double* const there = all.data() + (log.q.size() - 1 - static_cast<std::size_t>(back)) * out.size();
    const std::size_t sds = out.size() / 2;
    for (std::size_t c = 0; c < sds; ++c) {
      worst = std::max(worst, std::abs(out[c] - there[c]) / there[sds + c]);
      worst = std::max(worst, std::abs(out[sds + c] / there[sds + c] - 1));
    }
  }
  CHECK(worst < 1e-6);
}

TEST_CASE("a torque that nobody sees beside a wrench that may be anything is named") {
  const Model arm = six_hinges();
  SensorSet set = arm_sensors(tip_of(arm));
  set.sensors[1].over_time.offset = {1, 0, true};
  const Tracker tracker(std::make_shared<const System>(arm, set));
  // six offsets beside six components of a wrench in one posture; a motion tells most of them apart
  CHECK(tracker.states() == 30);
  SensorSet constant = set;
  constant.external_wrench.moment_walk = constant.external_wrench.force_walk = 0;
  CHECK(Tracker(std::make_shared<const System>(arm, constant)).unobservable() == tracker.unobservable());
  SensorSet blind = arm_sensors(tip_of(arm));
  blind.sensors.erase(blind.sensors.begin() + 1);  // no torque is read
  TrackerOptions whole;
  whole.rows = TrackRows::whole_body;
  const std::string tip = "fx." + tip_of(arm);
  CHECK(Tracker(std::make_shared<const System>(arm, blind), whole).unobservable() ==
        std::vector<std::string>{tip + ".nx", tip + ".ny", tip + ".nz", tip + ".fx", tip + ".fy", tip + ".fz"});
}

TEST_CASE("gaps, spikes and times that go back leave an arm's estimate sound") {
  const Model arm = six_hinges();
  Tracker tracker(pushed(arm), asked({"q", "dq", "ddq", "fx." + tip_of(arm)}));
  const ArmLog log = push_arm(arm, tip_of(arm), 900, 1000, 6);
  std::vector<double> out(tracker.columns().size());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t speed = column_of(tracker, "dq.lift"), sd = column_of(tracker, "sd.dq.lift");
  Pool pool;
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    std::vector<double> y = log.readings[k];
    if (k % 7 == 3) y[k % 12] = nan;
    if (k % 31 == 5) y[6 + k % 6] = 1e9;
    if (k >= 400 && k < 420) std::fill(y.begin(), y.end(), nan);
    if (k % 50 == 20) CHECK_FALSE(tracker.step(y.data(), -1, out.data()).ok);
    REQUIRE(tracker.step(y.data(), k == 500 ? 0.5 : log.dt, out.data()).ok);
    for (std::size_t c = 0; c < out.size() && k > 0; ++c) REQUIRE(std::isfinite(out[c]));
    if (k > 600 && k % 10 == 0) pool.add(out[speed] - log.v[k][1], out[sd]);
  }
  CHECK(pool.square() < 2.5);
  // a first row without a position tells why it cannot be used
  tracker.start();
  std::vector<double> none(12, nan);
  const TrackerStep step = tracker.step(none.data(), log.dt, out.data());
  CHECK_FALSE(step.ok);
  CHECK(std::string(step.why).find("joint's position") != std::string::npos);
}

TEST_CASE("outputs of an arm's rows that do not exist are named with those that do") {
  const Model arm = six_hinges();
  CHECK_THROWS_AS(Tracker(pushed(arm), asked({"bose"})), UnknownTrackOutput);
  SensorSet set = arm_sensors(tip_of(arm));
  set.sensors.erase(set.sensors.begin());
  CHECK_THROWS_AS(Tracker(std::make_shared<const System>(arm, set)), Untrackable);
}

TEST_CASE("an arm's estimate recovers from a wrong first reading, from a spike and from a step of an encoder") {
  const Model arm = six_hinges();
  const auto system = pushed(arm);
  const ArmLog log = push_arm(arm, tip_of(arm), 1000, 1000, 3);
  struct Fault {
    std::size_t from, to;
    double lasting;  // rad, of the truth that later readings tell
  };
  for (const Fault& fault : {Fault{0, 1, 0}, Fault{300, 301, 0}, Fault{300, 1000, 0.5}}) {
    CAPTURE(fault.from, fault.to);
    Tracker tracker(system, asked({"q", "dq"}));
    std::vector<double> out(tracker.columns().size());
    double worst = 0, worst_speed = 0, surprise = 0;
    for (std::size_t k = 0; k < log.q.size(); ++k) {
      std::vector<double> y = log.readings[k];
      if (k >= fault.from && k < fault.to) y[1] += 0.5;
      const TrackerStep step = tracker.step(y.data(), log.dt, out.data());
      REQUIRE(step.ok);
      surprise = std::max(surprise, step.innovation);
      const bool settled = k >= fault.from + 200 || (k > 200 && k < fault.from);
      if (!settled) continue;
      worst = std::max(worst, std::abs(out[1] - log.q[k][1] - (k >= fault.from ? fault.lasting : 0)));
      worst_speed = std::max(worst_speed, std::abs(out[7] - log.v[k][1]));
    }
    CHECK(worst < (fault.lasting > 0 ? 5e-3 : 5e-4));  // five deviations of an encoder; torques are those of another posture
    CHECK(worst_speed < 0.2);
    CHECK(surprise >= 1e4);  // nis tells
  }
}
