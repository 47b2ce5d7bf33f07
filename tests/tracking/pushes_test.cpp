// Rows of the whole body: a push on the base that no torque shows, and a spike of an accelerometer that looks like one.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/swaying_robot.hpp"
#include "tracking/shared/dropped_reading.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using namespace sparsedyn::tracking;

TEST_CASE("a push that no torque shows is no spike of the accelerometer") {
  VelocityTracker velocities;
  for (const BasePush& push :
       {BasePush{0.24, 0.06, 10}, BasePush{0.24, 0.06, 2.5}, BasePush{0.24, 0.02, 5}, BasePush{0.24, 0.02, 20},
        BasePush{0.24, 0.02, 50}, BasePush{0.24, 0.008, 50}, BasePush{0.242, 0.004, 50}}) {
    const Swaying log = velocities.log(120, push);
    const Off off = velocities.off_after(log, log.y, 58);
    CAPTURE(push.lasts, push.most, off.base, off.in_deviations, off.joints);
    CHECK(off.in_deviations < 3);
    CHECK(off.joints_in_deviations < 7);
    CHECK(off.joints < 2);                           // 1.2 rad/s without a push
    if (push.lasts == 0.06) CHECK(off.base < 0.03);  // of 10 m/s², 0.174 m/s where the accelerometer is passed over for 20 ms
  }
}

TEST_CASE("a spike of an accelerometer that a push might explain leaves the deviations honest and the joints alone") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(100);
  const Off clean = velocities.off_after(log, log.y, 40);
  for (const char* column : {"y.accelerometer.x", "y.accelerometer.z"})
    for (const double size : {-190.0, -100.0, -20.0, 20.0, 60.0, 190.0}) {
      const Off off = velocities.off_after(log, velocities.with(log.y, column, size, 50, 51), 40);
      CAPTURE(column, size, off.base, off.in_deviations, off.joints, clean.base, clean.joints);
      CHECK(off.in_deviations < 3);
      CHECK(off.joints < 1.2 * clean.joints);
    }
}

TEST_CASE("a spike on two axes of an accelerometer, or beside one of a torque, leaves the deviations honest") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(100);
  const Off clean = velocities.off_after(log, log.y, 40);
  struct Spikes {
    const char *first, *second;
    double of_first, of_second;
  };
  for (const Spikes& leap :
       {Spikes{"y.accelerometer.x", "y.accelerometer.z", 300, 30}, Spikes{"y.accelerometer.x", "y.accelerometer.z", 300, 100},
        Spikes{"y.accelerometer.z", "y.accelerometer.y", -250, 190}, Spikes{"y.accelerometer.x", "y.accelerometer.z", 60, -60},
        Spikes{"y.torques.knee1", "y.accelerometer.z", 300, 30}, Spikes{"y.torques.knee2", "y.accelerometer.x", -1500, 60}}) {
    const auto y =
        velocities.with(velocities.with(log.y, leap.first, leap.of_first, 50, 51), leap.second, leap.of_second, 50, 51);
    const Off off = velocities.off_after(log, y, 40);
    CAPTURE(leap.first, leap.second, leap.of_first, off.base, off.in_deviations, off.joints, clean.joints);
    CHECK(off.in_deviations < 3);
    CHECK(off.joints < 1.5 * clean.joints);
  }
}

TEST_CASE("by kinematic rows an accelerometer's spike, or a kick as large, leaves honest deviations") {
  VelocityTracker velocities(with_honest_model(), 0, TrackRows::kinematic);
  const Swaying calm = velocities.log(80);
  const double clean = velocities.off_after(calm, calm.y, 40).nis;
  for (const char* column : {"y.accelerometer.x", "y.accelerometer.z"})
    for (const double size : {-190.0, 30.0, 60.0, 1500.0}) {
      const Off off = velocities.off_after(calm, velocities.with(calm.y, column, size, 50, 51), 40);
      CAPTURE(column, size, off.base, off.in_deviations, off.nis, clean);
      CHECK(off.in_deviations < 4);
      CHECK(off.nis > 1.2 * clean);  // `nis` tells
    }
  for (const double most : {60.0, 450.0}) {
    const Swaying log = velocities.log(80, {0.24, 0.004, most});
    const Off off = velocities.off_after(log, log.y, 58);
    CAPTURE(most, off.base, off.in_deviations);
    CHECK(off.in_deviations < 4);
  }
}

TEST_CASE("a gyroscope or an IMU that reads nothing for a row, or zeros, leaves honest deviations") {
  for (const TrackRows rows : {TrackRows::whole_body, TrackRows::kinematic}) {
    VelocityTracker velocities(with_honest_model(), 0, rows);
    const Swaying log = velocities.log(80);
    for (const bool all : {false, true}) {
      Off found[2];
      for (const bool zeros : {false, true}) {
        Readings y = log.y;
        for (std::size_t i = 0; i < velocities.tracker.inputs().size(); ++i) {
          const std::string& column = velocities.tracker.inputs()[i].columns.front();
          if (column.rfind("y.gyroscope", 0) != 0 && !(all && column.rfind("y.accelerometer", 0) == 0)) continue;
          for (std::size_t k = 40; k < y.size(); k += 5) y[k][i] = zeros ? 0 : std::nan("");
        }
        const Off off = found[zeros] = velocities.off_after(log, y, 40);
        CAPTURE(all, zeros, rows == TrackRows::kinematic, off.turn_in_deviations, off.in_deviations, off.joints);
        CHECK(off.turn_in_deviations < 4);
        CHECK(off.in_deviations < 3);
      }
      CHECK(found[0].base == found[1].base);
      CHECK(found[0].turn_in_deviations == found[1].turn_in_deviations);
      CHECK(found[1].nis > found[0].nis + 1);  // `nis` tells
    }
  }
}

TEST_CASE("zeros on all axes are readings where those before were nearly zero, or where they go on") {
  DroppedReading judge;
  const auto dropped = [&](double x, double y, double z) {
    judge.begin_row();
    for (double reading : {x, y, z}) judge.see(reading, 0.05 * 0.05);
    return judge.end_row(0.004);
  };
  for (int k = 0; k < 3; ++k) CHECK(!dropped(0, 0, 0));  // it falls from the first row on
  CHECK(!dropped(0.1, -0.2, 0.1));
  CHECK(!dropped(0, 0, 0));
  for (int again = 0; again < 2; ++again) {
    CHECK(!dropped(0.3, 0, 9.8));
    CHECK(!dropped(0, 0, 9.8));
    CHECK(!dropped(0, std::nan(""), 0));
    CHECK(dropped(0, 0, 0));
    CHECK(dropped(0, 0, 0));
  }
  CHECK(!dropped(0.3, 0, 9.8));
  int rows = 0;
  while (rows < 100 && dropped(0, 0, 0)) ++rows;
  CHECK((rows >= 4 && rows <= 5));                        // 20 ms
  for (int k = 0; k < 30; ++k) CHECK(!dropped(0, 0, 0));  // it was let go
}

TEST_CASE("kicks of up to 900 m/s², and spikes of an accelerometer as large, leave the deviations honest") {
  VelocityTracker velocities;
  for (const double most : {450.0, 900.0})
    for (const double from : {0.24, 0.242}) {
      const Swaying log = velocities.log(80, {from, 0.004, most});
      const Off off = velocities.off_after(log, log.y, 58);
      CAPTURE(most, from, off.base, off.in_deviations, off.joints, off.joints_in_deviations);
      CHECK(off.in_deviations < 4);
    }
  const Swaying log = velocities.log(100);
  for (const char* column : {"y.accelerometer.x", "y.accelerometer.z"})
    for (const double size : {-800.0, -300.0, 250.0, 400.0, 1500.0}) {
      const Off off = velocities.off_after(log, velocities.with(log.y, column, size, 50, 51), 40);
      CAPTURE(column, size, off.base, off.in_deviations, off.joints);
      CHECK(off.in_deviations < 4);
    }
}

TEST_CASE("a spike of a gyroscope that a kick might explain leaves the deviations of the angular velocity honest") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(80);
  const Off clean = velocities.off_after(log, log.y, 40);
  for (const char* column : {"y.gyroscope.x", "y.gyroscope.z"})
    for (const double size : {-0.3, 0.3, 1.0, 3.0, 10.0}) {
      const Off off = velocities.off_after(log, velocities.with(log.y, column, size, 50, 51), 40);
      CAPTURE(column, size, off.turn_in_deviations, off.in_deviations, off.joints, clean.turn_in_deviations, clean.joints);
      CHECK(off.turn_in_deviations < 4);
      CHECK(off.joints < 1.5 * clean.joints);
    }
}

TEST_CASE("a torque or an accelerometer that is off for good is no push for longer than a push lasts, and nis tells") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(250);
  const Off clean = velocities.off_after(log, log.y, 150);
  for (const double size : {30.0, 60.0, 120.0}) {
    const Off off = velocities.off_after(log, velocities.with(log.y, "y.torques.knee1", size, 40, 250), 150);
    CAPTURE(size, off.base, off.in_deviations, off.joints, off.nis, clean.base, clean.in_deviations, clean.nis);
    CHECK(off.in_deviations < 4);
  }
  const Off off = velocities.off_after(log, velocities.with(log.y, "y.accelerometer.x", 10, 40, 250), 40);
  CAPTURE(off.base, off.in_deviations, off.nis, clean.nis);
  CHECK(off.nis > 5 * clean.nis);
}

TEST_CASE("nis tells a push, and a spike that a push might explain") {
  VelocityTracker velocities;
  const Swaying log = velocities.log(80);
  const Answers clean = velocities.answers(log, log.y);
  for (const double size : {20.0, 60.0, 190.0}) {
    const Answers found = velocities.answers(log, velocities.with(log.y, "y.accelerometer.z", size, 50, 51));
    CAPTURE(size, found.nis[50], clean.nis[50]);
    CHECK(found.nis[50] > 5 * clean.nis[50]);
    CHECK(found.nis[50] > 3);
  }
  const Swaying pushed = velocities.log(80, {0.24, 0.02, 20});
  const Answers found = velocities.answers(pushed, pushed.y);
  CHECK(*std::max_element(found.nis.begin() + 58, found.nis.begin() + 66) > 5);
}

TEST_CASE("rows of an interval that is taken anew are those that lag and batch go back over") {
  VelocityTracker velocities(with_honest_model(), 5);
  const Swaying log = velocities.log(100, {0.24, 0.02, 20});
  const auto y = velocities.with(log.y, "y.accelerometer.z", 60, 40, 41);
  const Answers found = velocities.answers(log, y);
  const std::size_t rows = y.size(), first = found.out.size() - rows;
  double apart = 0, in_deviations = 0;  // of the last row, which both know the same of; of batch
  const auto& last = found.out[found.out.size() - 1];
  std::vector<double> out(velocities.tracker.columns().size());
  velocities.tracker.start(log.start_q.data(), log.start_v.data());
  for (const auto& row : y) REQUIRE(velocities.tracker.step(row.data(), Swaying::dt, out.data()).ok);
  for (std::size_t c = 3; c < 18; ++c) {
    apart = std::max(apart, std::abs(last[c] - out[c]) / out[18 + c]);
    for (std::size_t k = 30; k < rows; ++k)
      in_deviations = std::max(in_deviations, std::abs(found.out[first + k][c] - log.v[k][c]) / found.out[first + k][18 + c]);
  }
  CAPTURE(apart, in_deviations);
  CHECK(apart < 0.05);
  CHECK(in_deviations < 4);
}

TEST_CASE("each row that says that nothing drives the base knows of which component, whatever the set states of others") {
  for (const bool moments : {true, false}) {
    SensorSet set = with_honest_model();
    Sensor stated;
    stated.name = "undriven", stated.type = "joint_torque", stated.value = {0};
    stated.targets = {{"base"}};
    stated.components = moments ? std::vector<std::string>{"nx", "ny", "nz"} : std::vector<std::string>{"fx", "fz"};
    set.sensors.push_back(stated);
    VelocityTracker velocities(set);
    IntervalRows rows(*velocities.system, WholeLayout::freed_link(*velocities.system));
    const WholeLayout layout(velocities.system, rows);
    std::vector<int> bases;
    for (const IntervalReading& reading : layout.intervals)
      if (reading.base >= 0) bases.push_back(reading.base);
    std::sort(bases.begin(), bases.end());
    CHECK(bases == std::vector<int>{0, 1, 2, 3, 4, 5});
    const Swaying log = velocities.log(80);
    const Off off = velocities.off_after(log, velocities.with(log.y, "y.accelerometer.z", 60, 50, 51), 40);
    CAPTURE(moments, off.in_deviations, off.joints);
    CHECK(off.in_deviations < 3);
  }
}

TEST_CASE("a base whose link has no mass, or all of it at its origin, is opened to moments, too") {
  for (const double share : {0.0, 1.0}) {
    Model robot = walking_quadruped();
    auto& inertia = robot.bodies.front().inertia;
    inertia.m *= share, inertia.h = {{0, 0, 0}}, inertia.moments = {0, 0, 0, 0, 0, 0};
    const auto system = std::make_shared<const System>(robot, with_honest_model());
    IntervalRows rows(*system, WholeLayout::freed_link(*system));
    const WholeLayout layout(system, rows);
    CHECK((layout.radius > 0.1 && layout.radius < 1));
  }
}
