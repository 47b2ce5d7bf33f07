// A four-bar linkage over time: its loop closes at each sample and over each interval, and three encoders of one freedom tell
// more than one. The true motion is the intersection of two circles.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/tracking/tracker.hpp"
#include "support/four_bar.hpp"
#include "support/heap.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

constexpr double crank = 0.3, coupler = 0.6, rocker = 0.4, ground = 0.5, encoder_sigma = 2e-3, rate = 200;

/// Angles a, b, c at a time; hinges turn about y, so that a rod at angle θ points to (cos θ, −sin θ) in x and z.
std::array<double, 3> linkage(double t) {
  const double a = 1.6 + 0.5 * std::sin(3 * t) + 0.1 * std::sin(7 * t);
  const double x = ground - crank * std::cos(a), z = crank * std::sin(a), far = std::hypot(x, z);  // to the rocker's hinge
  const double open = std::acos((coupler * coupler + far * far - rocker * rocker) / (2 * coupler * far));
  const double along = std::atan2(-z, x) + open;
  const double c = std::atan2(z + coupler * std::sin(along), coupler * std::cos(along) - x);
  return {a, along - a, c};
}

double rate_of(int joint, double t) {
  constexpr double h = 1e-3;
  const auto at = [&](double s) { return linkage(t + s)[static_cast<std::size_t>(joint)]; };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

struct Errors {
  double q = 0, dq = 0, gap = 0;  // root mean squares; the largest
  long inside = 0, judged = 0;    // of q and dq within two deviations
  double nis = 0;                 // of the filter
};

Errors tracked(bool closed, bool batch) {
  const Model model = four_bar();
  SensorSet set;
  Sensor encoders;
  encoders.name = "encoders", encoders.type = "joint_position", encoders.sigma = {encoder_sigma}, encoders.all = true;
  set.sensors.push_back(encoders);
  set.prior["ddq"] = 30;
  ConstraintSet loops;
  loops.constraints.push_back(four_bar_loop());
  if (closed) set.constraints = loops;
  const auto system = std::make_shared<const System>(model, set);
  TrackerOptions wanted;
  wanted.deviations = true, wanted.rows = TrackRows::whole_body;
  Tracker tracker(system, wanted);
  REQUIRE(tracker.inputs().size() == 3);
  const std::size_t width = tracker.columns().size();
  REQUIRE(width == 12);
  constexpr int samples = 1200;
  std::mt19937 rng(5);
  std::normal_distribution<double> noise(0, encoder_sigma);
  double innovations = 0, counted = 0;
  std::vector<double> y, dt(samples, 1 / rate), out(width * samples);
  for (int k = 0; k < samples; ++k)
    for (double angle : linkage(k / rate)) y.push_back(angle + noise(rng));
  if (batch)
    for (const TrackerStep& step : smooth(tracker, y, dt, 3, out.data())) REQUIRE(step.ok);
  else
    for (std::size_t k = 0; k < samples; ++k) {
      const TrackerStep step = tracker.step(&y[3 * k], dt[k], &out[width * k]);
      REQUIRE(step.ok);
      innovations += step.innovation, counted += step.rows;
    }
  LoopProjection ends(model, loops);
  Errors e;
  e.nis = innovations / counted;
  constexpr int settled = 100;
  for (int k = settled; k < samples; ++k) {
    const double* const x = &out[width * static_cast<std::size_t>(k)];
    double gap = 0;
    ends.gaps(x, &gap);
    e.gap = std::max(e.gap, gap);
    const std::array<double, 3> truth = linkage(k / rate);
    for (int j = 0; j < 3; ++j) {
      const double q = x[j] - truth[static_cast<std::size_t>(j)], dq = x[3 + j] - rate_of(j, k / rate);
      e.q += q * q, e.dq += dq * dq;
      e.inside += (std::abs(q) <= 2 * x[6 + j]) + (std::abs(dq) <= 2 * x[9 + j]), e.judged += 2;
    }
  }
  e.q = std::sqrt(e.q / (3.0 * (samples - settled))), e.dq = std::sqrt(e.dq / (3.0 * (samples - settled)));
  return e;
}

}  // namespace

TEST_CASE("a closed loop over time: it stays closed, and its encoders help each other") {
  for (const bool batch : {false, true}) {
    INFO(batch);
    const Errors open = tracked(false, batch), closed = tracked(true, batch);
    CAPTURE(open.q, closed.q, open.dq, closed.dq, open.gap, closed.gap);
    CHECK(open.gap > 1e-4);
    CHECK(closed.gap < 1e-5);
    CHECK(closed.q < 0.8 * open.q);
    CHECK(closed.dq < 0.9 * open.dq);
    const double share = static_cast<double>(closed.inside) / static_cast<double>(closed.judged);
    CAPTURE(share);
    CHECK(share > 0.92);
    if (batch) continue;
    CAPTURE(closed.nis);  // of encoders alone: loops are no readings
    CHECK(closed.nis > 0.85);
    CHECK(closed.nis < 1.15);
  }
}

namespace {

std::shared_ptr<const System> read_linkage(bool closed, bool offsets) {
  SensorSet set;
  Sensor encoders, torques, air;
  encoders.name = "encoders", encoders.type = "joint_position", encoders.sigma = {encoder_sigma}, encoders.all = true;
  encoders.over_time.offset = {1e-3, 0, offsets};
  torques.name = "torques", torques.type = "joint_torque", torques.sigma = {0.1}, torques.all = true;
  air.name = "nothing", air.type = "external_wrench", air.all = true, air.value = {0.0};
  set.sensors = {encoders, torques, air};
  if (closed) set.constraints.constraints.push_back(four_bar_loop());
  return std::make_shared<const System>(four_bar(), set);
}

}  // namespace

TEST_CASE("forces of a loop over time: a step takes no heap") {
  TrackerOptions wanted;
  wanted.deviations = true, wanted.rows = TrackRows::whole_body, wanted.outputs = {"q", "dq", "ddq", "tau", "lambda"};
  Tracker tracker(read_linkage(true, false), wanted);
  const std::vector<std::string> columns = tracker.columns();
  const auto there = [&](const char* name) { return std::find(columns.begin(), columns.end(), name) != columns.end(); };
  CHECK((there("lambda.rod.x") && there("lambda.rod.z")));
  std::string notes;
  for (const std::string& note : tracker.notes()) notes += note;
  CHECK_THAT(notes, !Catch::Contains("no posture"));
  std::vector<double> y(tracker.inputs().size(), 0.0), out(columns.size());
  bool ok = true;
  const long taken = allocations_of([&] {
    for (int k = 0; k < 10; ++k) {
      const std::array<double, 3> angles = linkage(k / rate);
      std::copy(angles.begin(), angles.end(), y.begin());
      ok = tracker.step(y.data(), 1 / rate, out.data()).ok && ok;
    }
  });
  CHECK(ok);
  CHECK(taken == 0);
  for (double x : out) CHECK(std::isfinite(x));
}

TEST_CASE("offsets of encoders: nothing sees them in an open chain whose torques are not read, a loop shows them all") {
  TrackerOptions wanted;
  wanted.rows = TrackRows::whole_body;
  const auto unseen_of = [&](bool closed) {
    SensorSet set = read_linkage(closed, true)->sensors();
    set.sensors.erase(set.sensors.begin() + 1);  // torques
    std::vector<std::string> names = Tracker(std::make_shared<const System>(four_bar(), set), wanted).unobservable();
    const auto is_force = [](const std::string& name) { return name.rfind("lambda.", 0) == 0; };
    names.erase(std::remove_if(names.begin(), names.end(), is_force), names.end());
    return names;
  };
  CHECK(unseen_of(false).size() == 3);
  CHECK(unseen_of(true).empty());
}

TEST_CASE("a loop's pull is left out") {
  std::vector<std::vector<double>> all;
  for (const double omega : {50.0, 0.0}) {
    SensorSet set = read_linkage(true, false)->sensors();
    set.constraints.constraints[0].omega = omega;
    TrackerOptions wanted;
    wanted.deviations = true, wanted.rows = TrackRows::whole_body, wanted.outputs = {"q", "dq", "ddq", "tau", "lambda"};
    Tracker tracker(std::make_shared<const System>(four_bar(), set), wanted);
    std::vector<double> out(tracker.columns().size()), y(tracker.inputs().size(), 0.0);
    for (int k = 0; k < 50; ++k) {
      const std::array<double, 3> angles = linkage(k / rate);
      for (std::size_t j = 0; j < 3; ++j)
        y[j] = angles[j] + 1e-3 * std::sin(static_cast<double>(7 * k) + static_cast<double>(j));
      REQUIRE(tracker.step(y.data(), 1 / rate, out.data()).ok);
    }
    all.push_back(out);
  }
  CHECK(all[0] == all[1]);
}

TEST_CASE("a loop that no posture closes is told of") {
  SensorSet set = read_linkage(true, false)->sensors();
  set.constraints.constraints.front().frames[1].d[1] = 1e-3;  // beside the plane in which all hinges move
  TrackerOptions wanted;
  wanted.rows = TrackRows::whole_body;
  std::string notes;
  const Tracker tracker(std::make_shared<const System>(four_bar(), set), wanted);
  for (const std::string& note : tracker.notes()) notes += note;
  CHECK_THAT(notes, Catch::Contains("no posture closes the loops"));
}
