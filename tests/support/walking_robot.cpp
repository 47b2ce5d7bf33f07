#include "support/walking_robot.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "tracking/rotation_vector.hpp"

namespace sparsedyn::test {
namespace {

using tracking::exponential;
using tracking::logarithm;
using Vector = Vec3<double>;
using Matrix = Mat3<double>;

constexpr double thigh = 0.25, shank = 0.25, aside = 0.06, height = 0.4, period = 0.6, duty = 0.6;
const Vector hips[] = {{{0.25, 0.12, 0}}, {{0.25, -0.12, 0}}, {{-0.25, 0.12, 0}}, {{-0.25, -0.12, 0}}};
const double phases[] = {0, 0.5, 0.5, 0};
const Vector imu_place{{0.1, 0.02, 0.05}}, imu_rpy{{0.1, -0.2, 0.3}};

Matrix about(int axis, double angle) {
  Vector w{{0, 0, 0}};
  w[axis] = angle;
  return exponential(w);
}

double side(int leg) { return leg % 2 ? -1 : 1; }

/// A foot in the trunk.
Vector foot_at(int leg, const Vector& q) {
  const Matrix roll = about(0, q[0]), upper = roll * about(1, q[1]), lower = upper * about(1, q[2]);
  return hips[leg] + roll * Vector{{0, side(leg) * aside, 0}} + upper * Vector{{0, 0, -thigh}} + lower * Vector{{0, 0, -shank}};
}

/// The hinges that put the foot there, by Newton's method from q on.
Vector reach(int leg, const Vector& target, Vector q) {
  for (int step = 0; step < 30; ++step) {
    const Vector off = target - foot_at(leg, q);
    if (std::sqrt(dot(off, off)) < 1e-14) break;
    Vector column[3];
    for (int k = 0; k < 3; ++k) {
      Vector more = q, less = q;
      more[k] += 1e-6, less[k] -= 1e-6;
      column[k] = (1 / 2e-6) * (foot_at(leg, more) - foot_at(leg, less));
    }
    const double det = dot(column[0], cross(column[1], column[2]));
    q += Vector{{dot(off, cross(column[1], column[2])) / det, dot(off, cross(column[2], column[0])) / det,
                 dot(off, cross(column[0], column[1])) / det}};
  }
  return q;
}

Pose<double> trunk_at(double t) {
  const double yaw = 0.15 * t;
  const Matrix R = about(2, yaw) * about(1, 0.05 * std::sin(5 * t)) * about(0, 0.04 * std::cos(4 * t + 1));
  return {
      R,
      {{0.4 * t, 0.05 * std::sin(2 * t) + 0.02 * t * t * 0.5, height + 0.015 * std::sin(2 * 3.14159265358979 * t / period)}}};
}

Vector imu_at(double t) {
  const Pose<double> trunk = trunk_at(t);
  return trunk.R * imu_place + trunk.d;
}

/// By six points: the motion is analytic, so that what is left out is below 1e-13.
template <class At>
Vector rate_of(const At& at, double t) {
  constexpr double h = 2e-3;
  return (1 / (60 * h)) *
         (45.0 * (at(t + h) - at(t - h)) - 9.0 * (at(t + 2 * h) - at(t - 2 * h)) + (at(t + 3 * h) - at(t - 3 * h)));
}

/// Where a foot stands in its stance n: below its hip half-way through it.
Vector foothold(int leg, int n) {
  const double middle = (n + phases[leg] + 0.5 * duty) * period;
  const Pose<double> trunk = trunk_at(middle);
  Vector at = about(2, 0.15 * middle) * (hips[leg] + Vector{{0, side(leg) * aside, 0}}) + trunk.d;
  at[2] = 0;
  return at;
}

struct Foot {
  Vector at;
  bool stands;
  double part;  // of the period, since it was put down
};

Foot foot_in_world(int leg, double t) {
  const double phase = t / period - phases[leg];
  const int n = static_cast<int>(std::floor(phase));
  const double part = phase - n;
  if (part < duty) return {foothold(leg, n), true, part};
  const double s = (part - duty) / (1 - duty), smooth = s * s * s * (10 - 15 * s + 6 * s * s),
               up = std::sin(3.14159265358979 * s);
  Vector at = foothold(leg, n) + smooth * (foothold(leg, n + 1) - foothold(leg, n));
  at[2] += 0.06 * up * up;
  return {at, false, part};
}

}  // namespace

Model walking_quadruped() {
  ModelBuilder builder("walker");
  const auto solid = [](double mass, double size) {
    const double I = mass * size * size / 6;
    return inertia_about_com(mass, zero3<double>(), {I, 0, 0, I, 0, I});
  };
  builder.root("trunk", solid(10, 0.3), true);
  for (int leg = 0; leg < 4; ++leg) {
    const std::string n = std::to_string(leg);
    JointSpec roll, pitch, fixed;
    roll.kind = pitch.kind = JointKind::revolute;
    roll.axis = {{1, 0, 0}}, pitch.axis = {{0, 1, 0}};
    const auto placed = [](const Vector& d) { return Pose<double>{identity3<double>(), d}; };
    builder.link("hip" + n, solid(1, 0.1), "trunk", "roll" + n, roll, placed(hips[leg]));
    builder.link("thigh" + n, solid(1, 0.1), "hip" + n, "hip" + n, pitch, placed({{0, side(leg) * aside, 0}}));
    builder.link("shank" + n, solid(0.5, 0.1), "thigh" + n, "knee" + n, pitch, placed({{0, 0, -thigh}}));
    builder.link("foot" + n, solid(0.1, 0.05), "shank" + n, "ankle" + n, fixed, placed({{0, 0, -shank}}));
  }
  return builder.build();
}

SensorSet walking_sensors(const WalkNoise& noise) {
  SensorSet set;
  set.name = "walker";
  Sensor encoders;
  encoders.name = "encoders", encoders.type = "joint_position", encoders.all = true, encoders.sigma = {noise.encoder};
  set.sensors.push_back(encoders);
  const auto imu = [&](const std::string& type, double sigma, double offset) {
    Sensor s;
    s.name = s.type = type;
    s.targets = {{"trunk"}};
    s.frame = {rotation_from_rpy(imu_rpy), imu_place}, s.framed = true;
    s.sigma = {sigma};
    s.over_time.offset = {offset, 0, offset > 0};
    set.sensors.push_back(s);
  };
  imu("gyroscope", noise.gyroscope, noise.gyroscope_offset);
  imu("accelerometer", noise.accelerometer, noise.accelerometer_offset);
  for (int leg = 0; leg < 4; ++leg) {
    Sensor s;
    s.name = "foot" + std::to_string(leg), s.type = "contact";
    s.targets = {{s.name}};
    s.over_time.contact.walk = noise.foothold, s.over_time.contact.kinematics = 1e-4;
    set.sensors.push_back(s);
  }
  return set;
}

std::vector<std::string> walk_columns() {
  std::vector<std::string> columns;
  for (int leg = 0; leg < 4; ++leg)
    for (const char* joint : {"roll", "hip", "knee"}) columns.push_back("y.encoders." + (joint + std::to_string(leg)));
  for (const char* sensor : {"gyroscope", "accelerometer"})
    for (const char* axis : {"x", "y", "z"}) columns.push_back("y." + (sensor + std::string(".") + axis));
  for (int leg = 0; leg < 4; ++leg) columns.push_back("y.foot" + std::to_string(leg) + ".on");
  return columns;
}

WalkLog walk(int samples, double rate, unsigned seed, const WalkNoise& noise, double scale) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&](double sigma) { return scale * sigma * normal(rng); };
  WalkLog log;
  log.dt = 1 / rate;
  for (int k = 0; k < 3; ++k) log.gyroscope_offset.push_back(draw(noise.gyroscope_offset));
  for (int k = 0; k < 3; ++k) log.accelerometer_offset.push_back(draw(noise.accelerometer_offset));
  const Matrix in_imu = rotation_from_rpy(imu_rpy);
  Vector legs[4], shifts[4];
  for (int leg = 0; leg < 4; ++leg) legs[leg] = {{0, 0.6, -1.2}}, shifts[leg] = {{0, 0, 0}};
  const Vector gravity{{0, 0, -9.81}};
  Pose<double> before = trunk_at(1 - log.dt);
  Vector speed_before = rate_of(imu_at, 1 - log.dt);
  for (int k = 0; k < samples; ++k) {
    const double t = 1 + k * log.dt;
    const Pose<double> trunk = trunk_at(t);
    std::vector<double> q{trunk.d[0], trunk.d[1], trunk.d[2]}, reading;
    for (double x : quaternion_from_rotation(trunk.R)) q.push_back(x);
    std::vector<double> flags;
    for (int leg = 0; leg < 4; ++leg) {
      const Foot foot = foot_in_world(leg, t);
      if (foot.stands &&
          foot_in_world(leg, t - log.dt).stands)  // a foothold that walks; in the air the foot goes back to its path
        for (int c = 0; c < 3; ++c) shifts[leg][c] += draw(noise.foothold * std::sqrt(log.dt));
      if (leg == 0 && foot.stands && foot.part > 0.25 * duty && foot.part < 0.5 * duty)
        shifts[leg][1] += noise.slide * log.dt / (0.25 * duty * period);
      if (!foot.stands) shifts[leg] = 0.9 * shifts[leg];
      legs[leg] = reach(leg, transposed_times(trunk.R, foot.at + shifts[leg] - trunk.d), legs[leg]);
      for (int c = 0; c < 3; ++c) q.push_back(legs[leg][c]), reading.push_back(legs[leg][c] + draw(noise.encoder));
      flags.push_back(foot.stands);
    }
    const Vector turn = logarithm(transpose(before.R) * trunk.R);
    const Vector speed = rate_of(imu_at, t);
    const Matrix half = before.R * exponential(0.5 * turn);
    const Vector w = transposed_times(in_imu, (1 / log.dt) * turn);
    const Vector a = transposed_times(in_imu, transposed_times(half, (1 / log.dt) * (speed - speed_before) - gravity));
    for (int c = 0; c < 3; ++c)
      reading.push_back(w[c] + log.gyroscope_offset[static_cast<std::size_t>(c)] + draw(noise.gyroscope));
    for (int c = 0; c < 3; ++c)
      reading.push_back(a[c] + log.accelerometer_offset[static_cast<std::size_t>(c)] + draw(noise.accelerometer));
    reading.insert(reading.end(), flags.begin(), flags.end());
    const Vector turning = rate_of([&](double s) { return logarithm(transpose(trunk.R) * trunk_at(s).R); }, t);
    const Vector moving = transposed_times(trunk.R, rate_of([](double s) { return trunk_at(s).d; }, t));
    std::vector<double> v{turning[0], turning[1], turning[2], moving[0], moving[1], moving[2]};
    v.resize(18, 0.0);
    log.q.push_back(std::move(q)), log.v.push_back(std::move(v)), log.readings.push_back(std::move(reading));
    before = trunk, speed_before = speed;
  }
  for (std::size_t k = 1; k + 1 < log.q.size(); ++k)
    for (std::size_t j = 0; j < 12; ++j) log.v[k][6 + j] = (log.q[k + 1][7 + j] - log.q[k - 1][7 + j]) / (2 * log.dt);
  return log;
}

SensorSet with_camera(SensorSet set, const std::string& link) {
  Sensor camera;
  camera.name = "camera", camera.type = "link_pose", camera.targets = {{link}};
  camera.sigma = {0.01, 0.01, 0.01, 0.02, 0.02, 0.02, 0.02};
  set.sensors.push_back(camera);
  set.start["q.base"] = {0.5, 0.5, 0.5, 0.1, 0.1, 0.3};
  return set;
}

}  // namespace sparsedyn::test
