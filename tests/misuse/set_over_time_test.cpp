// Sensor sets that are written in C++, with numbers for estimates over time that no file could hold.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/io/input_error.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;

namespace {

using Change = std::function<void(SensorSet&, double)>;

Sensor& named(SensorSet& set, const std::string& name) {
  for (Sensor& s : set.sensors)
    if (s.name == name) return s;
  throw std::logic_error("no such sensor");
}

Change of_contact(double ContactOverTime::*number) {
  return [number](SensorSet& set, double x) { named(set, "foot1").over_time.contact.*number = x; };
}

/// By what the refusal names.
std::vector<std::pair<std::string, Change>> changes() {
  return {
      {"sensor foot1: walk", of_contact(&ContactOverTime::walk)},
      {"sensor foot1: slip", of_contact(&ContactOverTime::slip)},
      {"sensor foot1: acceleration", of_contact(&ContactOverTime::acceleration)},
      {"sensor foot1: kinematics", of_contact(&ContactOverTime::kinematics)},
      {"sensor foot1: radius", of_contact(&ContactOverTime::radius)},
      {"sensor foot1: delay", [](SensorSet& set, double x) { named(set, "foot1").over_time.delay = x; }},
      {"sensor encoders: share", [](SensorSet& set, double x) { named(set, "encoders").over_time.share = x; }},
      {"sensor gyroscope: bias sigma", [](SensorSet& set, double x) { named(set, "gyroscope").over_time.offset.sigma = x; }},
      {"sensor gyroscope: bias walk", [](SensorSet& set, double x) { named(set, "gyroscope").over_time.offset.walk = x; }},
      {"prior ddq: walk", [](SensorSet& set, double x) { set.acceleration_walk = x; }},
      {"model_wrench: sigma",
       [](SensorSet& set, double x) {
         set.model_wrench = {x, 1, true};
       }},
      {"model_wrench: walk",
       [](SensorSet& set, double x) {
         set.model_wrench = {1, x, true};
       }},
      {"external_wrench: sigma",
       [](SensorSet& set, double x) {
         set.external_wrench = {x, 1, 1, 1, true};
       }},
      {"external_wrench: walk",
       [](SensorSet& set, double x) {
         set.external_wrench = {1, 1, 1, x, true};
       }},
      {"start dq: deviation", [](SensorSet& set, double x) { set.start["dq"] = {x}; }},
  };
}

void refuses(const SensorSet& set, const std::string& element) {
  CAPTURE(element);
  CHECK_THROWS_WITH(System(test::walking_quadruped(), set), Catch::Contains(element));
}

}  // namespace

TEST_CASE("a set's numbers for estimates over time that are negative or not finite are refused by name") {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const auto& [element, change] : changes())
    for (const double bad : {std::nan(""), -1.0, infinite}) {
      SensorSet set = test::walking_sensors();
      change(set, bad);
      refuses(set, element);
    }
  SensorSet exact = test::walking_sensors();
  ContactOverTime& contact = named(exact, "foot1").over_time.contact;
  contact.walk = contact.slip = contact.acceleration = contact.kinematics = contact.radius = 0;
  CHECK_NOTHROW(System(test::walking_quadruped(), exact));
  for (const double bad : {std::nan(""), infinite}) {
    SensorSet set = test::walking_sensors();
    named(set, "foot1").over_time.contact.points = {{{0, bad, 0}}};
    refuses(set, "sensor foot1: a point at");
    named(set, "foot1").over_time.contact.points.clear(), named(set, "gyroscope").frame.d[2] = bad;
    refuses(set, "sensor gyroscope: a frame of numbers that are not finite");
  }
  SensorSet set = test::walking_sensors();
  set.start["dq"] = {1, 2};
  refuses(set, "start dq: 2 numbers");
  set.start = {{"q", {1}}};
  refuses(set, "start q: no such key");
  set.start.clear(), named(set, "foot1").over_time.contact.is_force = true;
  named(set, "foot1").over_time.contact.below = 1;
  refuses(set, "sensor foot1: above 0, below 1");
}
