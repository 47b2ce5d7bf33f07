// What nothing sees over time, beside what physics says of it.
#include "sparsedyn/tracking/visibility.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/legged_robot.hpp"
#include "support/pushed_arm.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Names = std::vector<std::string>;

namespace {

const Names place_and_yaw{"base.x", "base.y", "base.z", "base.yaw"};

/// By situation, sorted.
Names unseen(const SensorSet& set, const std::string& situation, TrackRows rows = TrackRows::automatic) {
  for (SituationOverTime& s : unseen_over_time(std::make_shared<const System>(walking_quadruped(), set), rows)) {
    if (s.name != situation) continue;
    std::sort(s.unseen.begin(), s.unseen.end());
    return s.unseen;
  }
  FAIL("no situation " << situation);
  return {};
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

Sensor& named(SensorSet& set, const std::string& name) {
  return *std::find_if(set.sensors.begin(), set.sensors.end(), [&](const Sensor& s) { return s.name == name; });
}

/// Sensors whose axes are those of the trunk, so that names of components speak of the world's axes.
SensorSet upright() {
  SensorSet set = walking_sensors();
  named(set, "gyroscope").frame.R = named(set, "accelerometer").frame.R = identity3<double>();
  return set;
}

void leave_out(SensorSet& set, const std::string& type) {
  set.sensors.erase(std::remove_if(set.sensors.begin(), set.sensors.end(), [&](const Sensor& s) { return s.type == type; }),
                    set.sensors.end());
}

}  // namespace

TEST_CASE("in motion a robot on feet sees all but its place and yaw") {
  CHECK(unseen(upright(), "in motion") == sorted(place_and_yaw));
  CHECK(unseen(walking_sensors(), "in motion") == sorted(place_and_yaw));
  CHECK(unseen(legged_sensors(), "in motion") == sorted(place_and_yaw));
}

TEST_CASE("at rest an accelerometer's offset looks like tilt") {
  Names all = place_and_yaw;
  for (const char* name : {"base.roll", "base.pitch", "bias.accelerometer.x", "bias.accelerometer.y"}) all.push_back(name);
  CHECK(unseen(upright(), "at rest") == sorted(all));
  SensorSet known = upright();
  named(known, "accelerometer").over_time.offset = {};
  CHECK(unseen(known, "at rest") == sorted(place_and_yaw));
}

TEST_CASE("at rest on one point the gyroscope's offset about the vertical looks like a turn on that point") {
  SensorSet set = upright();
  named(set, "accelerometer").over_time.offset = {};
  Names all = place_and_yaw;
  all.push_back("bias.gyroscope.z");
  CHECK(unseen(set, "at rest on foot2 alone") == sorted(all));
  for (Sensor& s : set.sensors)
    if (s.type == "contact") s.over_time.contact.points = {{{0.05, 0, 0}}, {{-0.05, 0, 0}}};
  CHECK(unseen(set, "at rest on foot2 alone") == sorted(place_and_yaw));  // two points do not turn on each other
}

TEST_CASE("a camera sees place and yaw, without feet nothing says how fast the base is") {
  CHECK(unseen(with_camera(upright(), "trunk"), "in motion").empty());
  SensorSet flying = upright();
  leave_out(flying, "contact");
  const Names found = unseen(flying, "in motion");
  for (const char* name : {"base.vx", "base.vy", "base.vz"}) CHECK(std::count(found.begin(), found.end(), name) == 1);
}

TEST_CASE("of a fixed base what nothing sees is what its Tracker says") {
  const Model arm = arm_like_ur5();
  const auto system = std::make_shared<const System>(arm, arm_sensors(arm.links.back().name));
  const auto found = unseen_over_time(system);
  REQUIRE(found.size() == 1);
  CHECK(found[0].unseen == Tracker(system).unobservable());
}
