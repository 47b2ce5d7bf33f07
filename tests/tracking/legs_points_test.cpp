// Contacts of one point: moments n = r × f, where they follow from the force and where they are unknown; and feet that roll.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

#include "support/legged_robot.hpp"
#include "tracking/whole/whole_layout.hpp"
#include "tracking/whole/whole_step.hpp"

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

std::vector<std::string> names_of_links(const Model& robot) {
  std::vector<std::string> names;
  for (const Link& link : robot.links) names.push_back(link.name);
  return names;
}

/// fx.LINK.C among the free unknowns.
int free_components(const System& system, const tracking::IntervalRows& rows, const std::string& link) {
  const std::vector<std::string> names = system.unknown_names();
  return static_cast<int>(std::count_if(rows.free_unknowns().begin(), rows.free_unknowns().end(), [&](int x) {
    return names[static_cast<std::size_t>(x)].rfind("fx." + link + ".", 0) == 0;
  }));
}

/// Of a link, q after t of a motion with velocity v and acceleration a there.
Pose<double> pose_after(const Model& robot, int link, const std::vector<double>& q, const std::vector<double>& v,
                        const std::vector<double>& a, double t) {
  Workspace<double> work(robot);
  std::vector<double> step(v), there(q);
  for (std::size_t k = 0; k < v.size(); ++k) step[k] = t * v[k] + 0.5 * t * t * a[k];
  integrate(robot, q.data(), step.data(), there.data());
  forward_kinematics<double>(robot, work, there.data(), nullptr, nullptr);
  return link_pose(robot, work, link);
}

/// The acceleration of a point of a link less that of a sphere about it that rolls, c̈ − r α × n, in the link's axes, by
/// differences in time.
Vec3<double> off_rolling(const Model& robot, int link, const Vec3<double>& c, double radius, const std::vector<double>& q,
                         const std::vector<double>& v, const std::vector<double>& a) {
  const double h = 1e-3;
  Pose<double> pose[3];
  for (int k = 0; k < 3; ++k) pose[k] = pose_after(robot, link, q, v, a, (k - 1) * h);
  const auto place = [&](int k) { return pose[k].R * c + pose[k].d; };
  const Vec3<double> turn = (1 / (h * h)) * (tracking::logarithm(pose[2].R * transpose(pose[1].R)) -
                                             tracking::logarithm(pose[1].R * transpose(pose[0].R)));
  const Vec3<double> moves = (1 / (h * h)) * (place(2) - 2.0 * place(1) + place(0));
  return transposed_times(pose[1].R, moves - radius * cross(turn, Vec3<double>{{0, 0, 1}}));
}

/// n of foot0 beside r × f, and every unknown's and row's derivative by z, q and v beside differences.
void check_unknowns(const SensorSet& set, double radius = 0) {
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
  const int foot = static_cast<int>(place_of(names_of_links(robot), "foot0"));
  const std::vector<double> ddq(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(v.size()));
  const Vec3<double> up = transposed_times(pose_after(robot, foot, q, v, ddq, 0).R, Vec3<double>{{0, 0, 1}});
  const Vec3<double> expected = cross(off_origin - radius * up, f);
  CHECK(std::abs(f[1]) + std::abs(f[2]) > 1);
  for (int k = 0; k < 3; ++k) CHECK(std::abs(n[k] - expected[k]) < 1e-12);
  const Vec3<double> off = off_rolling(robot, foot, zero3<double>(), radius, q, v, ddq);
  int checked = 0;
  for (std::size_t i = 0; i < rows.equations().size(); ++i) {
    const Equation& equation = system.equations()[static_cast<std::size_t>(rows.equations()[i])];
    if (equation.measurement < 0) continue;
    const Measurement& m = system.measurements()[static_cast<std::size_t>(equation.measurement)];
    if (m.kind != SensorKind::contact || m.link != foot) continue;
    CHECK(std::abs(rows.residual(static_cast<int>(i)) + off[equation.component]) < 1e-3);  // of 10 m/s²
    ++checked;
  }
  CHECK(checked == 3);

  const double h = 1e-5;
  const std::size_t unknowns = names.size(), numbers = unknowns + static_cast<std::size_t>(rows.rows());
  std::vector<double> ahead(numbers);
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
      for (std::size_t x = 0; x < numbers; ++x) {
        const int row = static_cast<int>(x) - static_cast<int>(unknowns);
        const bool turn = row >= rows.first_turn();  // of a gyroscope what it reads; else y less that
        const double now = row < 0 ? rows.unknowns()[x] : turn ? rows.residual(row) : -rows.residual(row);
        if (side > 0) {
          ahead[x] = now;
          continue;
        }
        const double difference = (ahead[x] - now) / (2 * h),
                     derivative = (row < 0 ? rows.unknown_derivative(static_cast<int>(x)) : rows.derivative(row))[c];
        INFO((row < 0 ? names[x] : "row " + std::to_string(row)) << ", column " << c);
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

constexpr double wheel_radius = 0.1, wheel_mass = 1, wheel_inertia = 0.006, cart_mass = 24, cart_dt = 0.004;
const char* const wheels[] = {"w0", "w1", "w2", "w3"};

/// A trunk on four wheels, which turn about y.
Model cart() {
  ModelBuilder builder("cart");
  builder.root("trunk", inertia_about_com(cart_mass - 4 * wheel_mass, zero3<double>(), {0.5, 0, 0, 0.6, 0, 0.7}), true);
  JointSpec axle;
  axle.kind = JointKind::continuous, axle.axis = {{0, 1, 0}};
  for (int k = 0; k < 4; ++k) {
    Pose<double> place = identity_pose<double>();
    place.d = {{k < 2 ? 0.3 : -0.3, k % 2 == 0 ? 0.2 : -0.2, -0.15}};
    builder.link(wheels[k], inertia_about_com(wheel_mass, zero3<double>(), {0.004, 0, 0, wheel_inertia, 0, 0.004}), "trunk",
                 std::string("axle") + wheels[k][1], axle, place);
  }
  return builder.build();
}

SensorSet cart_sensors(double radius) {
  const auto sensor = [](const char* name, const char* type, double sigma) {
    Sensor s;
    s.name = name, s.type = type, s.sigma = {sigma};
    return s;
  };
  SensorSet set;
  Sensor encoders = sensor("encoders", "joint_position", 1e-4), torques = sensor("torques", "joint_torque", 0.01),
         gyro = sensor("gyro", "gyroscope", 1e-3), acc = sensor("acc", "accelerometer", 0.05),
         feet = sensor("wheel", "contact", 0), unpushed = sensor("nothing", "external_wrench", 0);
  encoders.all = torques.all = unpushed.all = true, gyro.targets = acc.targets = {{"trunk"}}, unpushed.value = {0};
  feet.sigma.clear(), unpushed.sigma.clear(), feet.listed = true;
  for (const char* wheel : wheels) feet.targets.push_back({wheel}), unpushed.except.push_back({wheel});
  feet.over_time.contact.radius = radius, feet.over_time.contact.walk = 1e-6;
  set.sensors = {encoders, torques, gyro, acc, feet, unpushed};
  set.model_wrench = {0.1, 0.1, true};
  set.start["q.base"] = {1e-3};
  return set;
}

/// What a tracker makes of exact readings of the cart that drives off with 0.5 m/s², rolling, for 1 s; its way at the end and
/// the force along it on each wheel by theory.
struct Drive {
  std::vector<std::string> columns;
  std::vector<double> end;
  double way = 0, force = 0, turned = 0;
  double at(const std::string& column) const { return end[place_of(columns, column)]; }
};

Drive drive(TrackRows rows, double radius, bool reads_acceleration, const std::vector<std::string>& outputs) {
  TrackerOptions options;
  options.rows = rows, options.outputs = outputs;
  Tracker tracker(std::make_shared<const System>(cart(), cart_sensors(radius)), options);
  CHECK(tracker.notes().empty());
  const double a = 0.5, g = 9.81, torque = wheel_inertia * a / wheel_radius + wheel_radius * cart_mass * a / 4;
  Drive found{tracker.columns(), std::vector<double>(tracker.columns().size()), 0, cart_mass * a / 4, 0};
  tracker.start(std::vector<double>{0, 0, 0.25, 0, 0, 0, 1, 0, 0, 0, 0}.data(), std::vector<double>(10, 0.0).data());
  double v = 0;
  for (int k = 0; k <= 250; ++k) {
    if (k > 0) found.way += cart_dt * (v + 0.5 * cart_dt * a), v += cart_dt * a;
    found.turned = found.way / wheel_radius;
    std::map<std::string, double> read{{"y.gyro.x", 0}, {"y.gyro.y", 0}, {"y.gyro.z", 0}, {"y.acc.y", 0}, {"y.acc.z", g}};
    read["y.acc.x"] = reads_acceleration ? a : std::nan("");
    for (const char* wheel : wheels) {
      read[std::string("y.encoders.axle") + wheel[1]] = found.turned, read[std::string("y.torques.axle") + wheel[1]] = torque;
      read[std::string("y.wheel.") + wheel + ".on"] = 1;
    }
    std::vector<double> y;
    for (const TrackerInput& input : tracker.inputs())
      y.push_back(read.count(input.columns.front()) ? read[input.columns.front()] : input.fallback);
    const TrackerStep step = tracker.step(y.data(), cart_dt, found.end.data());
    INFO("row " << k << ": " << step.why);
    REQUIRE(step.ok);
  }
  return found;
}

}  // namespace

TEST_CASE("a wheel that rolls: the base goes as far as it turns, by kinematic rows and by those of the whole body") {
  const std::vector<std::string> base{"q.base", "dq.base", "foot"};
  const Drive exact = drive(TrackRows::kinematic, wheel_radius, true, base);
  CHECK(exact.way == Approx(0.25));
  CHECK(std::abs(exact.at("q.base.x") - exact.way) < 1e-10);
  CHECK(std::abs(exact.at("foot.wheel.w0.x") - exact.way - 0.3) < 1e-10);
  CHECK(std::abs(exact.at("foot.wheel.w0.z") - wheel_radius) < 1e-10);
  CHECK(std::abs(exact.at("dq.base.vx") - 0.5) < 1e-10);
  const Drive by_wheels = drive(TrackRows::kinematic, wheel_radius, false, base);  // 10 m/s² are free
  CHECK(std::abs(by_wheels.at("q.base.x") - by_wheels.way) < 1e-4);
  CHECK(drive(TrackRows::kinematic, 0, false, base).at("q.base.x") < 0.01);  // it seems to stand

  const Drive whole = drive(TrackRows::whole_body, wheel_radius, true, {"q.base", "dq.base", "model_wrench", "fx"});
  CHECK(std::abs(whole.at("q.base.x") - whole.way) < 1e-5);
  CHECK(std::abs(whole.at("dq.base.vx") - 0.5) < 1e-4);
  const double angle = whole.turned - 0.5 * cart_dt * 0.5 / wheel_radius;  // at the last interval's middle
  for (const char* wheel : wheels) {
    const std::string fx = std::string("fx.") + wheel + ".f";
    CAPTURE(fx, whole.force);
    CHECK(std::abs(std::cos(angle) * whole.at(fx + "x") + std::sin(angle) * whole.at(fx + "z") - whole.force) < 0.01);
  }
  CHECK(std::abs(whole.at("model_wrench.fx")) < 0.05);
  CHECK(std::abs(whole.at("model_wrench.ny")) < 0.05);
}

TEST_CASE("a ball that rolls has no joints: a step of the whole body, its derivative beside differences, and its transpose") {
  ModelBuilder builder("ball");
  builder.root("ball", inertia_about_com(2, zero3<double>(), {0.008, 0, 0, 0.008, 0, 0.008}), true);
  Sensor contact;
  contact.name = "floor", contact.type = "contact", contact.targets = {{"ball"}}, contact.over_time.contact.radius = 0.3;
  SensorSet set;
  set.sensors = {contact};
  set.model_wrench = {0.1, 0.1, true};
  const auto system = std::make_shared<const System>(builder.build(), set);
  tracking::IntervalRows rows(*system, tracking::WholeLayout::freed_link(*system));
  const tracking::WholeLayout layout(system, rows);
  REQUIRE(layout.joints == 0);
  tracking::WholeFeet feet(layout);
  tracking::WholeKnot x(layout), next(layout), moved(layout), there(layout);
  const auto n = static_cast<std::size_t>(layout.size);
  std::vector<double> e(n), lambda(n), unit(n), ahead(n), behind(n);
  for (std::size_t k = 0; k < n; ++k)
    e[k] = std::sin(1 + 2.0 * static_cast<double>(k)), lambda[k] = std::cos(static_cast<double>(k));
  tracking::retract(layout, e.data(), x);
  tracking::WholeJacobian F(layout), unused(layout);
  tracking::step_whole(layout, x, 0.05, feet, next, F);
  std::vector<double> back = lambda;
  tracking::carry_back(layout, F, back.data());
  const double h = 1e-6;
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<double> column(n, 0.0);
    column[c] = 1;
    tracking::carry(layout, F, column.data());
    for (const double side : {1.0, -1.0}) {
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[c] = side * h;
      tracking::copy(x, moved);
      tracking::retract(layout, unit.data(), moved);
      tracking::step_whole(layout, moved, 0.05, feet, there, unused);
      tracking::local(layout, there, next, (side > 0 ? ahead : behind).data());
    }
    double along = 0;
    for (std::size_t r = 0; r < n; ++r) {
      INFO("row " << r << ", column " << c);
      CHECK(std::abs(column[r] - (ahead[r] - behind[r]) / (2 * h)) < 1e-8);
      along += lambda[r] * column[r];
    }
    CHECK(std::abs(along - back[c]) < 1e-12);
  }
}

TEST_CASE("a set's radius is not used for several points, which a note tells, by all rows") {
  SensorSet set = with_point_off_origin();
  sensor_of(set, "foot0").over_time.contact.radius = 0.02;
  sensor_of(set, "foot1").over_time.contact.radius = 0.02;
  sensor_of(set, "foot1").over_time.contact.points = {{{-0.05, 0, 0}}, {{0, 0, 0}}};
  for (const TrackRows rows : {TrackRows::kinematic, TrackRows::whole_body}) {
    TrackerOptions options;
    options.rows = rows;
    const Tracker tracker(std::make_shared<const System>(walking_quadruped(), set), options);
    CHECK(std::count(tracker.notes().begin(), tracker.notes().end(),
                     "contact foot1: \"radius\" is not used: of several points each keeps its place, none rolls") == 1);
    CHECK(std::none_of(tracker.notes().begin(), tracker.notes().end(),
                       [](const std::string& note) { return note.find("foot0") != std::string::npos; }));
  }
}

TEST_CASE("a foot that rolls is pushed at its lowest point, and its centre accelerates by r α × n") {
  SensorSet set = with_point_off_origin();
  sensor_of(set, "foot0").over_time.contact.radius = 0.2;
  check_unknowns(set, 0.2);
}

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
