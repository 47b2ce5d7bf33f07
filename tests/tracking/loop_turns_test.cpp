// Closed loops of a floating robot tell nothing of its yaw and place, also where they are open by 1 mm as those of a real robot
// are: the deviations never fall below those of the start.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "tracking/floating_linkage.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

/// In every row.
void check_unseen(const Tracker& tracker, const std::vector<double>& out, bool heavy) {
  const std::size_t width = tracker.columns().size(), turn = column_of(tracker, "sd.q.base.rx"),
                    place = column_of(tracker, "sd.q.base.x");
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

/// Each joint's position and velocity in a row is within five of its deviations of the truth; positions within 0.01 rad more
/// where the loop is closed elsewhere than in truth. Deviations of accelerations and of the loop's force are neither zero nor
/// infinite.
void check_row(const Tracker& tracker, const double* row, const std::vector<double>& q, const std::vector<double>& v,
               bool off) {
  const std::string joints = "abcd";
  for (std::size_t k = 0; k < joints.size(); ++k)
    for (const bool speed : {false, true}) {
      const std::string name = (speed ? std::string("dq.") : std::string("q.")) + joints[k];
      const double error = row[column_of(tracker, name)] - (speed ? v[6 + k] : q[7 + k]),
                   sigma = row[column_of(tracker, "sd." + name)];
      CAPTURE(name, error, sigma);
      CHECK(sigma > 1e-5);
      CHECK(sigma < (speed ? 1 : 2e-3));
      CHECK(std::abs(error) <= 5 * sigma + (off && !speed ? 0.01 : 0.0));
    }
  for (std::size_t c = 0; c < tracker.columns().size(); ++c) {
    const std::string& name = tracker.columns()[c];
    CAPTURE(name, row[c]);
    if (name.rfind("lambda.", 0) == 0) CHECK(std::abs(row[c]) < 1e4);
    if (name.rfind("sd.lambda.", 0) == 0) CHECK((row[c] > 1 && row[c] < 1.01e5));
    if (name.rfind("sd.ddq.base.", 0) == 0) CHECK((row[c] > 0.01 && row[c] < 30));
  }
}

}  // namespace

TEST_CASE("loops within a floating robot tell nothing of yaw and place, open by a millimetre too: filter, lag and batch") {
  for (const bool heavy : {true, false}) {
    const Model model = linkage_that_floats(heavy);
    for (const char* kind : {"pin", "weld", "gear"})
      for (const double off : {0.0, 1e-3})
        for (const char* sole : {"ground", "rocker"}) {
          CAPTURE(heavy, kind, off, sole);
          const auto system = std::make_shared<const System>(model, set_standing_on(sole, {closed_by(kind, off)}));
          TrackerOptions options;
          options.deviations = true, options.slip = false, options.lag = 5;
          options.outputs = {"q", "dq", "ddq", "lambda"};
          Tracker tracker(system, options);
          REQUIRE(tracker.rows() == TrackRows::whole_body);
          const int steps = 60;
          const LinkageLog log = log_of_linkage(model, sole, set_standing_on(sole, {closed_by(kind, 0)}), tracker, steps);
          const std::size_t inputs = tracker.inputs().size(), width = tracker.columns().size();
          tracker.start(log.q.front().data(), log.v.front().data());
          std::vector<double> filtered, late, out(width), batch(width * log.dt.size());
          double squares = 0, counted = 0;
          for (int k = 0; k < steps; ++k) {
            const TrackerStep done = tracker.step(&log.y[inputs * static_cast<std::size_t>(k)], loop_step, out.data());
            INFO(k << done.why);
            REQUIRE(done.ok);
            if (k > 10) squares += done.innovation, counted += done.rows;
            filtered.insert(filtered.end(), out.begin(), out.end());
            if (k >= 5 && tracker.delayed(5, out.data())) late.insert(late.end(), out.begin(), out.end());
          }
          check_unseen(tracker, filtered, heavy);
          REQUIRE(!late.empty());
          check_unseen(tracker, late, heavy);
          for (const TrackerStep& done : smooth(tracker, log.y, log.dt, 2, batch.data())) REQUIRE(done.ok);
          check_unseen(tracker, batch, heavy);
          if (off == 0) {
            CAPTURE(squares, counted);
            CHECK(squares < 1.3 * counted);  // velocities' deviations are wider than their errors, so less than 1
            CHECK(squares > 0.05 * counted);
          }
          for (std::size_t k = 20; k < 60; k += 13) {
            check_row(tracker, &filtered[k * width], log.q[k], log.v[k], off != 0);
            check_row(tracker, &batch[k * width], log.q[k], log.v[k], off != 0);
          }
        }
  }
}

/// A row that took the force's direction in the world for known to the prior's 1e5 N would tell yaw by the force over 1e5 N.
TEST_CASE("a loop's force of thousands of newtons tells nothing of yaw either") {
  const Model model = linkage_that_floats(true, 1000);
  for (const char* kind : {"pin", "weld"}) {
    CAPTURE(kind);
    const SensorSet set = set_standing_on("ground", {closed_by(kind, 0)});
    TrackerOptions options;
    options.deviations = true, options.slip = false, options.outputs = {"q", "lambda"};
    Tracker tracker(std::make_shared<const System>(model, set), options);
    const LinkageLog log = log_of_linkage(model, "ground", set, tracker, 200);
    tracker.start(log.q.front().data(), log.v.front().data());
    std::vector<double> out(tracker.columns().size()), all;
    double force = 0;
    for (std::size_t k = 0; k < log.dt.size(); ++k) {
      REQUIRE(tracker.step(&log.y[tracker.inputs().size() * k], loop_step, out.data()).ok);
      all.insert(all.end(), out.begin(), out.end());
      force = std::max(force, std::abs(out[column_of(tracker, kind == std::string("pin") ? "lambda.rod.z" : "lambda.rod.fz")]));
    }
    CHECK(force > 1000);
    check_unseen(tracker, all, true);
  }
}
