// Moments of contacts of one point, n = r × f: where they follow from the force, and where they are unknown.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "support/legged_robot.hpp"
#include "tracking/whole/whole_layout.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const Vec3<double> off_origin{{0.02, -0.01, -0.03}};

Sensor& sensor_of(SensorSet& set, const std::string& name) {
  return *std::find_if(set.sensors.begin(), set.sensors.end(), [&](const Sensor& s) { return s.name == name; });
}

/// foot0 touches beside its link's origin.
SensorSet with_point_off_origin() {
  SensorSet set = legged_sensors();
  sensor_of(set, "foot0").over_time.contact.points = {off_origin};
  return set;
}

/// And fx.foot0.fx is stated.
SensorSet with_stated_force(double fx) {
  SensorSet set = with_point_off_origin();
  Sensor stated;
  stated.name = "stated", stated.type = "external_wrench", stated.targets = {{"foot0"}}, stated.components = {"fx"};
  stated.value = {fx};
  set.sensors.push_back(stated);
  return set;
}

/// A contact whose flag never rises stands before foot0 in the set.
SensorSet with_contact_in_the_air(const std::string& name, const std::string& link, const Vec3<double>& place) {
  SensorSet set = legged_sensors();
  Sensor contact = sensor_of(set, "foot0");
  contact.name = name, contact.targets = {{link}}, contact.over_time.contact.points = {place};
  set.sensors.insert(set.sensors.begin(), contact);
  return set;
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  INFO(name);
  REQUIRE(found != names.end());
  return static_cast<std::size_t>(found - names.begin());
}

/// fx.LINK.C among the free unknowns.
int free_components(const System& system, const tracking::IntervalRows& rows, const std::string& link) {
  const std::vector<std::string> names = system.unknown_names();
  return static_cast<int>(std::count_if(rows.free_unknowns().begin(), rows.free_unknowns().end(), [&](int x) {
    return names[static_cast<std::size_t>(x)].rfind("fx." + link + ".", 0) == 0;
  }));
}

/// n of foot0 beside r × f, and every unknown's derivative by z, q and v beside differences.
void check_unknowns(const SensorSet& set) {
  const Model robot = walking_quadruped();
  const System system(robot, set);
  tracking::IntervalRows rows(system, tracking::WholeLayout::freed_link(system));
  const std::vector<std::string> names = system.unknown_names();
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  const WalkLog log = walk(30, 250, 2);
  const std::vector<double> q = log.q[20], v = log.v[20];
  std::vector<double> y(system.inputs().size()), z(rows.free_unknowns().size());
  for (double& each : y) each = normal(rng);
  for (double& each : z) each = 10 * normal(rng);
  rows.find_derivatives(q.data(), v.data(), y.data(), z.data());
  const auto wrench = [&](const char* c) { return rows.unknowns()[place_of(names, std::string("fx.foot0.") + c)]; };
  const Vec3<double> f{{wrench("fx"), wrench("fy"), wrench("fz")}}, n{{wrench("nx"), wrench("ny"), wrench("nz")}};
  const Vec3<double> expected = cross(off_origin, f);
  CHECK(std::abs(f[1]) + std::abs(f[2]) > 1);
  for (int k = 0; k < 3; ++k) CHECK(std::abs(n[k] - expected[k]) < 1e-12);

  const double h = 1e-5;
  std::vector<double> ahead(names.size());
  for (int c = 0; c < rows.width(); ++c) {
    for (const double side : {1.0, -1.0}) {
      std::vector<double> q_there(q), v_there(v), z_there(z), step(v.size(), 0.0);
      if (c < rows.of_q())
        z_there[static_cast<std::size_t>(c)] += side * h;
      else if (c < rows.of_v())
        step[static_cast<std::size_t>(c - rows.of_q())] = side * h;
      else
        v_there[static_cast<std::size_t>(c - rows.of_v())] += side * h;
      integrate(robot, q.data(), step.data(), q_there.data());
      rows.find(q_there.data(), v_there.data(), y.data(), z_there.data());
      for (std::size_t x = 0; x < names.size(); ++x) {
        if (side > 0) {
          ahead[x] = rows.unknowns()[x];
          continue;
        }
        const double difference = (ahead[x] - rows.unknowns()[x]) / (2 * h),
                     derivative = rows.unknown_derivative(static_cast<int>(x))[c];
        INFO(names[x] << ", column " << c);
        REQUIRE(std::abs(derivative - difference) < 1e-5 * (1 + std::abs(derivative)));
      }
    }
  }
}

/// What a tracker of the whole body makes of a log, row by row.
struct Tracked {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  int states = 0;
  double at(std::size_t k, const std::string& column) const { return rows[k][place_of(columns, column)]; }
};

Tracked track(const SensorSet& set, const WalkLog& log, const std::vector<std::string>& outputs) {
  TrackerOptions options;
  options.outputs = outputs, options.deviations = true;
  Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
  REQUIRE(tracker.rows() == TrackRows::whole_body);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  std::mt19937 rng(1);
  Tracked found{tracker.columns(), {}, tracker.states()};
  std::vector<double> out(found.columns.size());
  tracker.start(log.q[0].data(), log.v[0].data());
  for (std::size_t k = 0; k < log.q.size(); ++k) {
    REQUIRE(tracker.step(row_of(tracker, log, efforts, k, rng).data(), log.dt, out.data()).ok);
    found.rows.push_back(out);
  }
  return found;
}

}  // namespace

TEST_CASE("a contact of one point beside its link's origin has n = r × f, and unknowns move as differences say") {
  check_unknowns(with_point_off_origin());
}

TEST_CASE("n = r × f counts components of the force that a set states") {
  check_unknowns(with_stated_force(0));
  check_unknowns(with_stated_force(7));
}

TEST_CASE("what is unknown of a force that a set states in part is zero in the air") {
  const WalkLog log = walk(300, 250, 6);
  const Tracked found = track(with_stated_force(0), log, {"fx.foot0"});
  int in_air = 0, felt = 0;
  for (std::size_t k = 10; k < log.q.size(); ++k) {
    const auto flag = [&](std::size_t row) { return log.readings[row][18]; };
    CHECK(found.at(k, "fx.foot0.fx") == 0);
    const Vec3<double> f{{0, found.at(k, "fx.foot0.fy"), found.at(k, "fx.foot0.fz")}}, n = cross(off_origin, f);
    CHECK(std::abs(found.at(k, "fx.foot0.nx") - n[0]) < 1e-9);
    CHECK(std::abs(found.at(k, "fx.foot0.ny") - n[1]) < 1e-9);
    CHECK(std::abs(found.at(k, "fx.foot0.nz") - n[2]) < 1e-9);
    if (flag(k) + flag(k - 1) + flag(k - 2) > 0) continue;
    ++in_air;
    const bool is_said = found.at(k, "sd.fx.foot0.fy") < 2.001 && found.at(k, "sd.fx.foot0.fz") < 2.001;  // N
    felt += !is_said;  // a force beyond doubt: in one sample of a thousand, and more where what is stated is false
  }
  CAPTURE(felt, in_air);
  CHECK(in_air > 50);
  CHECK(felt < 0.05 * in_air);
}

TEST_CASE("a contact of one point on a floating base leaves all six of the wrench that the model gets wrong") {
  const SensorSet set = with_contact_in_the_air("belly", "trunk", {{0, 0.01, -0.1}});
  const System system(walking_quadruped(), set);
  const tracking::IntervalRows rows(system, tracking::WholeLayout::freed_link(system));
  CHECK(free_components(system, rows, "trunk") == 6);
  CHECK(free_components(system, rows, "foot0") == 3);
  const WalkLog log = walk(200, 250, 6);
  const std::vector<std::string> outputs{"q", "dq", "model_wrench", "fx.trunk"};
  const Tracked without = track(legged_sensors(), log, outputs), found = track(set, log, outputs);
  CHECK(found.states == without.states + 3);  // its foothold
  REQUIRE(found.columns == without.columns);
  for (const char* c : {"nx", "ny", "nz", "fx", "fy", "fz"}) {
    const std::string column = std::string("model_wrench.") + c;
    for (std::size_t k = 1; k < log.q.size(); ++k) {
      const double deviation = without.at(k, "sd." + column);
      INFO(column << " of row " << k);
      REQUIRE(std::abs(found.at(k, column) - without.at(k, column)) < 1e-3 * deviation);
      REQUIRE(std::abs(found.at(k, "sd." + column) - deviation) < 1e-3 * deviation);
      REQUIRE(found.at(k, column) == found.at(k, std::string("fx.trunk.") + c));
    }
  }
}

TEST_CASE("a link with two contacts of one point has a moment, and a force while either of them stands") {
  const SensorSet heel = with_contact_in_the_air("heel", "foot0", {{-0.05, 0, 0}});
  const System system(walking_quadruped(), heel);
  const tracking::IntervalRows rows(system, tracking::WholeLayout::freed_link(system));
  CHECK(free_components(system, rows, "foot0") == 6);
  CHECK(free_components(system, rows, "foot1") == 3);
  SensorSet sole = legged_sensors();  // the same as one contact of two points
  sensor_of(sole, "foot0").over_time.contact.points = {{{-0.05, 0, 0}}, {{0, 0, 0}}};
  const WalkLog log = walk(600, 250, 5);
  const Efforts efforts = efforts_of(walking_quadruped(), log);
  const LegErrors of_heel = errors_of(TrackRows::whole_body, log, efforts, heel),
                  of_sole = errors_of(TrackRows::whole_body, log, efforts, sole);
  CAPTURE(of_heel.force, of_sole.force, of_heel.dq, of_sole.dq, of_heel.velocity, of_sole.velocity);
  CHECK(of_heel.force < 1.1 * of_sole.force);
  CHECK(of_heel.dq < 1.1 * of_sole.dq);
  CHECK(of_heel.velocity < 1.2 * of_sole.velocity);
  const Tracked found = track(heel, log, {"fx.foot0"});
  double square = 0, count = 0;
  for (std::size_t k = 250; k < log.q.size(); ++k) {
    if (log.readings[k][18] * log.readings[k - 1][18] < 1) continue;
    for (const char* c : {"nx", "ny", "nz"}) {
      const std::string column = std::string("fx.foot0.") + c;
      const double deviation = found.at(k, "sd." + column);
      CHECK(deviation > 1);  // N·m; in the air 0.1
      square += std::pow(found.at(k, column) / deviation, 2), ++count;
    }
  }
  CHECK(count > 200);
  CHECK(square / count < 2);  // the truth has none
}
