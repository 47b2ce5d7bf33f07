// What sensors read along a forward simulation, beside the laws of motion and beside differences along the motion.
#include "sparsedyn/simulation/motion_readings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/rotations.hpp"
#include "sparsedyn/simulation/forward_simulation.hpp"
#include "support/contact_robots.hpp"
#include "support/four_bar.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Sensor sensor(const std::string& name, const std::string& type, const std::vector<std::string>& targets) {
  Sensor s;
  s.name = name, s.type = type, s.all = targets.empty(), s.listed = targets.size() > 1;
  for (const std::string& target : targets) s.targets.push_back({target});
  return s;
}

/// Without noise: all torques, and the wrench of the world on every link.
SensorSet all_forces(const Model& model) {
  SensorSet set;
  std::vector<std::string> links;
  for (const Link& link : model.links)
    if (link.body >= 0) links.push_back(link.name);
  set.sensors = {sensor("torques", "joint_torque", {}), sensor("pushes", "external_wrench", links)};
  return set;
}

double of(const std::vector<std::string>& columns, const double* row, const std::string& column) {
  const auto at = std::find(columns.begin(), columns.end(), column);
  INFO(column);
  REQUIRE(at != columns.end());
  return row[at - columns.begin()];
}

struct Moved {
  ContactState state;
  std::vector<double> a, lambda, gap;
};

Moved accelerated(const Model& model, const ConstraintSet& set, const ContactState& state) {
  ConstrainedDynamics dynamics(model, set);
  Moved m{state, std::vector<double>(state.v.size()), std::vector<double>(dynamics.force_columns().size()),
          std::vector<double>(dynamics.gap_columns().size())};
  REQUIRE(dynamics.forward(state.q.data(), state.v.data(), state.tau.data(), nullptr, m.a.data(), m.lambda.data(), m.gap.data())
              .ok());
  return m;
}

/// How far RNEA with the wrenches that are read is from the torques that were commanded, beside the largest; a base has none.
double missed(const Model& model, const ConstraintSet& set, ContactState state) {
  if (model.floating()) std::fill_n(state.tau.begin(), 6, 0.0);
  const Moved m = accelerated(model, set, state);
  const System system(model, all_forces(model));
  MotionReadings readings(system, set, 1e-3, true, 1);
  const double* const row = readings.next(state.q.data(), state.v.data(), m.a.data(), m.lambda.data());
  const std::vector<std::string> columns = readings.columns(), velocities = velocity_names(model);
  std::vector<Force<double>> on_links(model.links.size(), Force<double>{zero3<double>(), zero3<double>()}),
      on_bodies(model.bodies.size());
  for (std::size_t l = 0; l < on_links.size(); ++l)
    for (int c = 0; c < 3 && model.links[l].body >= 0; ++c) {
      const std::string name = "y.pushes." + model.links[l].name;
      on_links[l].n[c] = of(columns, row, name + (c == 0 ? ".nx" : c == 1 ? ".ny" : ".nz"));
      on_links[l].f[c] = of(columns, row, name + (c == 0 ? ".fx" : c == 1 ? ".fy" : ".fz"));
    }
  link_wrenches_to_bodies(model, on_links.data(), on_bodies.data());
  Workspace<double> ws(model);
  std::vector<double> tau(state.v.size()), read(tau);
  rnea(model, ws, state.q.data(), state.v.data(), m.a.data(), on_bodies.data(), tau.data());
  double worst = 0, size = 1;
  for (std::size_t i = 0; i < tau.size(); ++i) {
    const bool base = model.floating() && i < 6;
    size = std::max(size, std::abs(state.tau[i]));
    worst = std::max(worst, std::abs(tau[i] - (base ? 0.0 : state.tau[i])));
    if (!base) worst = std::max(worst, std::abs(of(columns, row, "y.torques." + velocities[i]) - state.tau[i]));
  }
  for (double x : m.lambda) size = std::max(size, std::abs(x));
  return worst / size;
}

}  // namespace

TEST_CASE("forces of contacts of every kind are read where they act: RNEA with them gives the torques that were commanded") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    INFO(seed);
    TreeOptions options;
    options.floating = true;
    const Model model = random_tree(7, seed, options);
    std::mt19937 rng(seed);
    const ConstraintSet set = spheres_on_leaves(model, all_frictions);
    CHECK(missed(model, set, touching_state(model, set, rng)) < 1e-9);
    ContactState rest = touching_state(model, set, rng);
    std::fill(rest.v.begin(), rest.v.end(), 0.0), std::fill(rest.tau.begin(), rest.tau.end(), 0.0);
    CHECK(missed(model, set, rest) < 1e-9);
  }
}

TEST_CASE("forces of feet on fixed joints are read on the feet themselves") {
  const Model model = walking_quadruped();
  ConstraintSet set;
  for (int leg = 0; leg < 4; ++leg) {
    Constraint c;
    c.name = "foot" + std::to_string(leg), c.links = {c.name}, c.points = {{{0, 0, 0}}}, c.radius = 0.02, c.friction = {0.8};
    set.constraints.push_back(c);
  }
  std::mt19937 rng(3);
  for (int k = 0; k < 5; ++k) CHECK(missed(model, set, touching_state(model, set, rng)) < 1e-9);
}

namespace {

/// Four legs whose feet are fixed to their shanks, each turned otherwise.
Model turned_feet() {
  const auto solid = [](double mass) {
    return inertia_about_com(mass, {{0.01, 0.02, -0.03}}, {0.01 * mass, 0, 0, 0.012 * mass, 0, 0.008 * mass});
  };
  ModelBuilder builder("turned feet");
  builder.root("trunk", solid(10), true);
  for (int leg = 0; leg < 4; ++leg) {
    const std::string n = std::to_string(leg);
    JointSpec roll, pitch, fixed;
    roll.kind = pitch.kind = JointKind::revolute;
    roll.axis = {{1, 0, 0}}, pitch.axis = {{0, 1, 0}};
    builder.link("thigh" + n, solid(1), "trunk", "hip" + n, roll,
                 {identity3<double>(), {{leg < 2 ? 0.3 : -0.3, leg % 2 ? -0.2 : 0.2, 0}}});
    builder.link("shank" + n, solid(0.5), "thigh" + n, "knee" + n, pitch, {identity3<double>(), {{0, 0, -0.25}}});
    builder.link("foot" + n, solid(0.2), "shank" + n, "ankle" + n, fixed,
                 {rotation_from_rpy({{0.4 + 0.3 * leg, -0.7, 0.2 * leg - 1}}), {{0.03, -0.02, -0.25}}});
  }
  return builder.build();
}

ConstraintSet under_feet() {
  ConstraintSet set;
  for (int leg = 0; leg < 4; ++leg) {
    Constraint c;
    c.name = "under" + std::to_string(leg), c.links = {"foot" + std::to_string(leg)}, c.points = {{{0, 0, 0}}};
    c.radius = 0.02, c.friction = {0.8};
    set.constraints.push_back(c);
  }
  return set;
}

struct Read {
  std::vector<std::string> columns;
  std::vector<double> row;
  double operator()(const std::string& column) const { return of(columns, row.data(), column); }
  Force<double> wrench(const std::string& prefix) const {
    const Read& x = *this;
    return {{{x(prefix + ".nx"), x(prefix + ".ny"), x(prefix + ".nz")}},
            {{x(prefix + ".fx"), x(prefix + ".fy"), x(prefix + ".fz")}}};
  }
};

Read read_once(const Model& model, const SensorSet& sensors, const ConstraintSet& set, const Moved& m) {
  const System system(model, sensors);
  MotionReadings readings(system, set, 1e-3, true, 1);
  const double* const row = readings.next(m.state.q.data(), m.state.v.data(), m.a.data(), m.lambda.data());
  return {readings.columns(), {row, row + readings.columns().size()}};
}

double distance(const Force<double>& a, const Force<double>& b) {
  const Vec3<double> n = a.n - b.n, f = a.f - b.f;
  return std::sqrt(dot(n, n) + dot(f, f));
}

Sensor zero_on(const std::vector<std::string>& links) {
  Sensor s = sensor("nothing", "external_wrench", links);
  s.value = {0.0};
  return s;
}

const std::vector<std::string> all_shanks = {"shank0", "shank1", "shank2", "shank3"};
const std::vector<std::string> all_feet = {"foot0", "foot1", "foot2", "foot3"};

}  // namespace

TEST_CASE("a contact or a wrench on the shank has the ground's force on the foot that is fixed to it") {
  const Model model = turned_feet();
  const ConstraintSet ground = under_feet();
  SensorSet feet, shanks;
  feet.sensors = {sensor("w", "external_wrench", all_feet), sensor("on", "contact", all_feet)};
  shanks.sensors = {sensor("w", "external_wrench", all_shanks), sensor("on", "contact", all_shanks),
                    sensor("load", "contact", all_shanks)};
  shanks.sensors[2].over_time.contact.is_force = true;
  std::mt19937 rng(3);
  double pressed = 0;
  int stood = 0, flew = 0;
  for (int k = 0; k < 8; ++k) {
    const Moved m = accelerated(model, ground, touching_state(model, ground, rng));
    const Read on_feet = read_once(model, feet, ground, m), on_shanks = read_once(model, shanks, ground, m);
    Workspace<double> ws(model);
    forward_kinematics<double>(model, ws, m.state.q.data(), nullptr, nullptr);
    for (std::size_t leg = 0; leg < 4; ++leg) {
      const std::string foot = all_feet[leg], shank = all_shanks[leg];
      const Pose<double> from =
          inverse(link_pose(model, ws, model.find_link(shank))) * link_pose(model, ws, model.find_link(foot));
      const Force<double> there = to_parent(from, on_feet.wrench("y.w." + foot));
      CHECK(distance(on_shanks.wrench("y.w." + shank), there) < 1e-10 * std::max(1.0, std::sqrt(dot(there.f, there.f))));
      pressed = std::max(pressed, std::sqrt(dot(there.f, there.f)));
      CHECK(on_shanks("y.on." + shank + ".on") == on_feet("y.on." + foot + ".on"));
      CHECK((on_shanks("y.load." + shank + ".on") > 0) == (on_feet("y.on." + foot + ".on") == 1));
      ++(on_feet("y.on." + foot + ".on") == 1 ? stood : flew);
    }
  }
  CHECK(pressed > 1);
  CHECK(stood > 4);
  CAPTURE(flew);
  const System system(model, shanks);
  CHECK(MotionReadings(system, ground, 1e-3, true, 1).never_standing().empty());
}

TEST_CASE("a loop on the link that the set names is no ground: flag and wrench are those of the other link of its body") {
  const Model model = turned_feet();
  for (const bool pressed_foot : {true, false}) {
    const std::string pressed = pressed_foot ? "foot0" : "shank0", named = pressed_foot ? "shank0" : "foot0";
    ConstraintSet ground = under_feet();
    ground.constraints[0].links = {pressed};
    if (!pressed_foot) ground.constraints[0].points = {{{0, 0, -0.25}}};
    ConstraintSet looped = ground;
    Constraint loop;
    loop.name = "strut", loop.type = ConstraintType::connect, loop.links = {named, "trunk"};
    looped.constraints.push_back(loop);
    SensorSet set;
    set.sensors = {sensor("w", "external_wrench", {named}), sensor("on", "contact", {named})};
    std::mt19937 rng(5);
    Workspace<double> ws(model);
    double moved = 0;
    for (int k = 0; k < 8; ++k) {
      const Moved m = accelerated(model, looped, touching_state(model, looped, rng));
      SensorSet both;
      both.sensors = {sensor("w", "external_wrench", {"shank0", "foot0"})};
      const Read body = read_once(model, set, looped, m), each = read_once(model, both, looped, m);
      forward_kinematics<double>(model, ws, m.state.q.data(), nullptr, nullptr);
      const Pose<double> from =
          inverse(link_pose(model, ws, model.find_link(named))) * link_pose(model, ws, model.find_link(pressed));
      const Force<double> of_ground = each.wrench("y.w." + pressed);
      const Force<double> expected = each.wrench("y.w." + named) + to_parent(from, of_ground);
      const double size = std::sqrt(dot(of_ground.f, of_ground.f));
      CAPTURE(pressed, size);
      CHECK(distance(body.wrench("y.w"), expected) < 1e-10 * std::max(1.0, std::sqrt(dot(expected.f, expected.f))));
      if (size > 1e-6 || size == 0) CHECK(body("y.on.on") == (size > 0 ? 1 : 0));  // below, the solver's rounding
      moved += size;
    }
    CHECK(moved > 1);
  }
}

TEST_CASE("a wrench on the foot has the ground's force on the shank, and where both are pressed each has its own") {
  const Model model = turned_feet();
  ConstraintSet shank_alone = under_feet(), both = under_feet();
  shank_alone.constraints[0].links = {"shank0"}, shank_alone.constraints[0].points = {{{0, 0, -0.25}}};
  both.constraints.push_back(shank_alone.constraints[0]), both.constraints.back().name = "shin";
  both.constraints.back().points = {{{0, 0.01, -0.2}}};
  SensorSet foot_named, both_named;
  foot_named.sensors = {sensor("w", "external_wrench", {"foot0"}), zero_on(all_shanks), sensor("on", "contact", all_feet)};
  both_named.sensors = {sensor("w", "external_wrench", {"shank0", "foot0"})};
  std::mt19937 rng(4);
  Workspace<double> ws(model);
  double moved = 0;
  for (int k = 0; k < 8; ++k) {
    const Moved m = accelerated(model, shank_alone, touching_state(model, shank_alone, rng));
    forward_kinematics<double>(model, ws, m.state.q.data(), nullptr, nullptr);
    const Pose<double> foot =
        inverse(link_pose(model, ws, model.find_link("shank0"))) * link_pose(model, ws, model.find_link("foot0"));
    const Read on_foot = read_once(model, foot_named, shank_alone, m), each = read_once(model, both_named, shank_alone, m);
    const Force<double> on_shank = each.wrench("y.w.shank0");
    CHECK(distance(each.wrench("y.w.foot0"), {zero3<double>(), zero3<double>()}) == 0);
    CHECK(distance(to_parent(foot, on_foot.wrench("y.w")), on_shank) <
          1e-10 * std::max(1.0, std::sqrt(dot(on_shank.f, on_shank.f))));
    moved += std::sqrt(dot(on_shank.f, on_shank.f));
    CHECK(on_foot("y.on.foot0.on") == (dot(on_shank.f, on_shank.f) > 0 ? 1 : 0));
    CHECK(missed(model, both, touching_state(model, both, rng)) < 1e-9);
  }
  CHECK(moved > 1);
}

TEST_CASE("a force sensor in a fixed joint passes the ground's force behind it, and torques have it, whatever the set names") {
  const Model model = turned_feet();
  const ConstraintSet ground = under_feet();
  const Sensor cells = sensor("cell", "force_torque", {"ankle0", "ankle1", "ankle2", "ankle3"}),
               torques = sensor("torques", "joint_torque", {});
  std::vector<SensorSet> sets(4);
  sets[1].sensors = {sensor("on", "contact", all_feet)};
  sets[2].sensors = {sensor("w", "external_wrench", all_shanks)};
  sets[3].sensors = {zero_on(all_feet), sensor("w", "external_wrench", all_shanks)};
  for (SensorSet& set : sets) set.sensors.push_back(cells), set.sensors.push_back(torques);
  std::mt19937 rng(5);
  double passed = 0;
  for (int k = 0; k < 5; ++k) {
    const Moved m = accelerated(model, ground, touching_state(model, ground, rng));
    SensorSet feet;
    feet.sensors = {sensor("w", "external_wrench", all_feet)};
    const Read pushed = read_once(model, feet, ground, m);
    Workspace<double> ws(model);
    std::vector<double> tau(m.a.size());
    rnea(model, ws, m.state.q.data(), m.state.v.data(), m.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    for (const SensorSet& set : sets) {
      const Read read = read_once(model, set, ground, m);
      for (std::size_t leg = 0; leg < 4; ++leg) {
        const Link& foot = model.links[static_cast<std::size_t>(model.find_link(all_feet[leg]))];
        const BodyMotion<double> motion = detail::link_motion(foot.pose, ws.motion[static_cast<std::size_t>(foot.body)]);
        const Force<double> w = pushed.wrench("y.w." + all_feet[leg]), inertial = inertial_wrench(foot.inertia, motion),
                            cell = read.wrench("y.cell.ankle" + std::to_string(leg));
        CHECK(distance(cell, {inertial.n - w.n, inertial.f - w.f}) < 1e-9 * std::max(1.0, std::sqrt(dot(w.f, w.f))));
        passed = std::max(passed, std::sqrt(dot(w.f, w.f)));
      }
      for (std::size_t i = 6; i < m.a.size(); ++i)
        CHECK(std::abs(read("y.torques." + velocity_names(model)[i]) - m.state.tau[i]) < 1e-9 * std::max(1.0, passed));
    }
  }
  CHECK(passed > 1);
}

TEST_CASE("forces of loops and welds are read on both links") {
  const Model model = four_bar();
  ConstraintSet set;
  Constraint loop = four_bar_loop();
  loop.hard = false;  // soft: at any posture
  set.constraints = {loop};
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  for (const bool weld : {false, true}) {
    if (weld) {
      set.constraints[0].type = ConstraintType::weld;
      set.constraints[0].frames[0].R = rotation_from_rpy({{0.1, 0.4, -0.2}});
    }
    for (int k = 0; k < 5; ++k) {
      ContactState state{std::vector<double>(3), std::vector<double>(3), std::vector<double>(3)};
      for (std::vector<double>* x : {&state.q, &state.v, &state.tau})
        for (double& entry : *x) entry = 0.3 * normal(rng);
      INFO(weld << " " << k);
      CHECK(missed(model, set, state) < 1e-9);
    }
  }
}

namespace {

/// A quadruped that tumbles and lands, with its readings.
struct Log {
  std::vector<std::string> motion, columns;
  std::vector<std::vector<double>> rows, readings;
  Model model = walking_quadruped();
  double of_row(std::size_t k, const std::string& column) const { return of(motion, rows[k].data(), column); }
  double read(std::size_t k, const std::string& column) const { return of(columns, readings[k].data(), column); }
  const double* q(std::size_t k) const { return rows[k].data() + 1; }
  const double* v(std::size_t k) const { return q(k) + model.nq; }
};

ConstraintSet ground(double height) {
  ConstraintSet set;
  for (int leg = 0; leg < 4; ++leg) {
    Constraint c;
    c.name = "ground" + std::to_string(leg), c.links = {"foot" + std::to_string(leg)}, c.points = {{{0, 0, 0}}};
    c.radius = 0.02, c.friction = {0.8}, c.plane_point = {{0, 0, height}};
    set.constraints.push_back(c);
  }
  return set;
}

SensorSet imu(bool samples) {
  SensorSet set;
  set.sensors = {sensor("turn", "gyroscope", {"trunk"}), sensor("push", "accelerometer", {"trunk"})};
  set.sensors[1].frame.d = {{0.1, 0.05, -0.02}};
  for (Sensor& s : set.sensors) s.over_time.samples = samples, s.sigma = {0.0};
  set.sensors.push_back(sensor("encoders", "joint_position", {}));
  set.sensors.push_back(sensor("foot", "contact", {"foot0", "foot1", "foot2", "foot3"}));
  return set;
}

Log fall(const SensorSet& sensors, double height, double seconds, double rate, std::uint64_t seed = 1) {
  Log log;
  const System system(log.model, sensors);
  ForwardSimulation motion;
  motion.q.resize(static_cast<std::size_t>(log.model.nq)), motion.v.assign(static_cast<std::size_t>(log.model.nv), 0.0);
  neutral(log.model, motion.q.data());
  for (int k = 0; k < 3; ++k) motion.v[static_cast<std::size_t>(k)] = 0.5 + 0.3 * k;
  motion.kp = 60, motion.kd = 2, motion.rate = rate, motion.rows = std::lround(seconds * rate);
  motion.integrator = Integrator::runge_kutta;
  ConstraintSet set = ground(height);
  set.parameters.timestep = 1e-3;
  MotionReadings readings(system, set, 1 / rate, false, seed);
  log.columns = readings.columns();
  const SimulationEnd end = simulate_forward(log.model, set, motion, [&](const MotionRow& row) {
    log.motion = row.columns;
    log.rows.emplace_back(row.numbers, row.numbers + row.columns.size());
    const double *const q = row.numbers + 1, *const v = q + log.model.nq, *const a = v + log.model.nv;
    const double* const read = readings.next(q, v, a, a + 2 * log.model.nv);
    log.readings.emplace_back(read, read + log.columns.size());
  });
  REQUIRE(end.row == -1);
  return log;
}

Vec3<double> velocity_of_imu(const Log& log, std::size_t k) {
  Workspace<double> ws(log.model);
  forward_kinematics<double>(log.model, ws, log.q(k), log.v(k), nullptr);
  const int trunk = log.model.find_link("trunk");
  const Motion<double> v = link_velocity(log.model, ws, trunk);
  return link_pose(log.model, ws, trunk).R * (v.v + cross(v.w, Vec3<double>{{0.1, 0.05, -0.02}}));
}

Mat3<double> rotation_of(const Log& log, std::size_t k) { return rotation_from_quaternion(log.q(k) + 3); }

/// By how much accelerometer means miss what velocities at both ends say; the largest.
double accelerometer_misses(double rate) {
  const Log log = fall(imu(false), -100, 0.4, rate);
  double worst = 0;
  for (std::size_t k = 1; k < log.rows.size(); ++k) {
    const Vec3<double> mean = rate * (velocity_of_imu(log, k) - velocity_of_imu(log, k - 1)) - log.model.gravity;
    const Vec3<double> before = transposed_times(rotation_of(log, k - 1), mean),
                       after = transposed_times(rotation_of(log, k), mean);
    for (int c = 0; c < 3; ++c)
      worst = std::max(worst, std::abs(log.read(k, std::string("y.push.") + "xyz"[c]) - 0.5 * (before[c] + after[c])));
  }
  return worst;
}

}  // namespace

TEST_CASE("a gyroscope's mean turns the base from row to row, an accelerometer's changes its velocity, to the second order") {
  const Log log = fall(imu(false), -100, 0.2, 250);
  for (std::size_t k = 1; k < log.rows.size(); ++k) {
    Vec3<double> w;
    for (int c = 0; c < 3; ++c) w[c] = log.read(k, std::string("y.turn.") + "xyz"[c]) / 250;
    const double angle = std::sqrt(dot(w, w));
    const Mat3<double> K = hat((1 / angle) * w);
    Mat3<double> turned = identity3<double>();
    const Mat3<double> KK = K * K;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) turned(i, j) += std::sin(angle) * K(i, j) + (1 - std::cos(angle)) * KK(i, j);
    const Mat3<double> reached = rotation_of(log, k - 1) * turned, truth = rotation_of(log, k);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) REQUIRE(std::abs(reached(i, j) - truth(i, j)) < 1e-12);
  }
  const double coarse = accelerometer_misses(250), fine = accelerometer_misses(500);
  CAPTURE(coarse, fine);
  CHECK(coarse < 0.2);
  CHECK(fine < coarse / 3.5);
}

TEST_CASE("sensors that sample read the row's state") {
  const Log log = fall(imu(true), -100, 0.05, 250);
  for (std::size_t k = 0; k < log.rows.size(); ++k)
    for (int c = 0; c < 3; ++c)
      CHECK(std::abs(log.read(k, std::string("y.turn.") + "xyz"[c]) - log.of_row(k, std::string("dq.base.w") + "xyz"[c])) <
            1e-12);
}

TEST_CASE("flags stand where the ground presses, and come late by the delay that the set states") {
  SensorSet late = imu(false);
  late.sensors.back().over_time.delay = 0.008;
  const Log log = fall(imu(false), -0.7, 0.6, 500), behind = fall(late, -0.7, 0.6, 500);
  int stood = 0, flew = 0;
  for (std::size_t k = 0; k < log.rows.size(); ++k)
    for (int leg = 0; leg < 4; ++leg) {
      const std::string n = std::to_string(leg), flag = "y.foot.foot" + n + ".on";
      const bool presses = log.of_row(k, "lambda.ground" + n + ".0.z") > 0;
      ++(presses ? stood : flew);
      CHECK(log.read(k, flag) == (presses ? 1 : 0));
      CHECK(behind.read(k, flag) == log.read(k >= 4 ? k - 4 : 0, flag));
      if (presses) CHECK(log.of_row(k, "gap.ground" + n + ".0") < 0);
    }
  CHECK((stood > 100 && flew > 100));
}

TEST_CASE("readings have the noise that their sensors state, the same of a seed") {
  SensorSet noisy = imu(false);
  noisy.sensors[0].sigma = {0.3}, noisy.sensors[2].sigma = {0.02};
  const Log exact = fall(imu(false), -100, 1, 500), read = fall(noisy, -100, 1, 500), again = fall(noisy, -100, 1, 500),
            other = fall(noisy, -100, 1, 500, 2);
  CHECK(read.readings == again.readings);
  CHECK(read.readings != other.readings);
  double turn = 0, encoder = 0;
  for (std::size_t k = 0; k < exact.rows.size(); ++k) {
    const auto square = [&](const char* column) { return std::pow(read.read(k, column) - exact.read(k, column), 2); };
    turn += square("y.turn.x"), encoder += square("y.encoders.hip1");
    CHECK(read.read(k, "y.push.x") == exact.read(k, "y.push.x"));
  }
  const auto rows = static_cast<double>(exact.rows.size());
  CHECK(std::sqrt(turn / rows) == Approx(0.3).epsilon(0.1));
  CHECK(std::sqrt(encoder / rows) == Approx(0.02).epsilon(0.1));
}

TEST_CASE("contacts on links that nothing presses are told of") {
  const Model model = walking_quadruped();
  const System system(model, imu(false));
  ConstraintSet set = ground(0);
  set.constraints.erase(set.constraints.begin() + 1, set.constraints.begin() + 3);
  CHECK(MotionReadings(system, set, 1e-3, true, 1).never_standing() == std::vector<std::string>{"foot.foot1", "foot.foot2"});
}
