#include "inspection/faults.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::test {
namespace {

using Columns = std::vector<std::string>;
using Log = RecordedLog;
using Rng = std::mt19937;
constexpr double degree = 57.29577951308232;

double part(Rng& rng) { return static_cast<double>(rng()) / 4294967296.0; }
std::size_t pick(Rng& rng, std::size_t n) { return rng() % n; }

std::vector<double>& column(Log& log, const std::string& name) {
  return log.values[static_cast<std::size_t>(std::find(log.columns.begin(), log.columns.end(), name) - log.columns.begin())];
}

/// A joint of one freedom, and the next one.
std::vector<std::string> joints_of(const SensedRobot& robot, bool angles = false) {
  std::vector<std::string> names;
  for (const Joint& joint : robot.model.joints)
    if (joint.nv == 1 && (!angles || joint.kind == JointKind::revolute || joint.kind == JointKind::continuous))
      names.push_back(joint.name);
  return names;
}
std::string one_joint(const SensedRobot& robot, Rng& rng, bool angles = false) {
  const std::vector<std::string> names = joints_of(robot, angles);
  return names[pick(rng, names.size())];
}

double size_of(const std::vector<double>& x) {
  double sum = 0, squares = 0;
  for (double value : x) sum += value, squares += value * value;
  const auto n = static_cast<double>(x.size());
  return std::sqrt(std::max(0.0, squares / n - sum * sum / (n * n)));
}

Columns times(Log& log, const std::string& name, double factor) {
  for (double& value : column(log, name)) value *= factor;
  return {name};
}
Columns exchange(Log& log, const std::string& prefix, const SensedRobot& robot, Rng& rng) {
  const std::vector<std::string> names = joints_of(robot);
  const std::size_t a = pick(rng, names.size()), b = (a + 1 + pick(rng, names.size() - 1)) % names.size();
  std::swap(column(log, prefix + names[a]), column(log, prefix + names[b]));
  return {prefix + names[a], prefix + names[b]};
}

/// A column of a kind: of joints or of sensors.
std::string some_column(const SensedRobot& robot, Rng& rng) {
  switch (pick(rng, 4)) {
    case 0: return "q." + one_joint(robot, rng);
    case 1: return "dq." + one_joint(robot, rng);
    case 2: return "tau." + one_joint(robot, rng);
    default: return std::string("y.acc.") + "xyz"[pick(rng, 3)];
  }
}

Columns stuck(Log& log, const std::string& name, Rng& rng) {
  std::vector<double>& x = column(log, name);
  const std::size_t length = 60 + pick(rng, 90), first = pick(rng, x.size() - length - 1);
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(first + length), x[first]);
  return {name};
}

Columns saturated(Log& log, const std::string& name) {
  std::vector<double>& x = column(log, name);
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  const double low = sorted[sorted.size() / 12], high = sorted[sorted.size() - 1 - sorted.size() / 12];
  for (double& value : x) value = std::clamp(value, low, high);
  return {name};
}

Columns spikes(Log& log, const std::string& name, Rng& rng) {
  std::vector<double>& x = column(log, name);
  const double size = size_of(x);
  for (int k = 0; k < 3; ++k) x[20 + pick(rng, x.size() - 40)] += (pick(rng, 2) ? 3 : -3) * size;
  return {name};
}

const Columns triad_of(const std::string& prefix) { return {prefix + "x", prefix + "y", prefix + "z"}; }

/// Components k read component axis[k] with its sign.
Columns turned(Log& log, const Columns& names, const std::array<int, 3>& axis, const std::array<double, 3>& sign) {
  std::vector<std::vector<double>> before;
  for (const std::string& name : names) before.push_back(column(log, name));
  for (std::size_t k = 0; k < 3; ++k) {
    column(log, names[k]) = before[static_cast<std::size_t>(axis[k])];
    times(log, names[k], sign[k]);
  }
  return names;
}
/// One of the 23 turns by right angles.
struct Turn {
  std::array<int, 3> axis{};
  std::array<double, 3> sign{};
};
Turn some_turn(Rng& rng) {
  static const std::array<std::array<int, 3>, 6> orders{{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}}};
  for (;;) {
    const std::size_t order = pick(rng, 6);
    Turn turn{orders[order], {pick(rng, 2) ? 1.0 : -1.0, pick(rng, 2) ? 1.0 : -1.0, pick(rng, 2) ? 1.0 : -1.0}};
    const double even = order < 3 ? 1 : -1;
    if (turn.sign[0] * turn.sign[1] * turn.sign[2] * even < 0) continue;
    if (order == 0 && turn.sign == std::array<double, 3>{1, 1, 1}) continue;
    return turn;
  }
}

const Columns wrench{"y.ft.nx", "y.ft.ny", "y.ft.nz", "y.ft.fx", "y.ft.fy", "y.ft.fz"};
const Columns quaternion{"q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw"};
const Columns base_speed{"dq.base.wx", "dq.base.wy", "dq.base.wz", "dq.base.vx", "dq.base.vy", "dq.base.vz"};

Columns all_times(Log& log, const Columns& names, double factor) {
  for (const std::string& name : names) times(log, name, factor);
  return names;
}

/// Base velocities in the world's axes.
Columns to_world(Log& log) {
  for (std::size_t i = 0; i < log.values[0].size(); ++i) {
    const double x = column(log, "q.base.qx")[i], y = column(log, "q.base.qy")[i], z = column(log, "q.base.qz")[i],
                 w = column(log, "q.base.qw")[i];
    const Mat3<double> R{{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
    for (std::size_t half : {0u, 3u}) {
      Vec3<double> v{
          {column(log, base_speed[half])[i], column(log, base_speed[half + 1])[i], column(log, base_speed[half + 2])[i]}};
      v = R * v;
      for (int c = 0; c < 3; ++c) column(log, base_speed[half + static_cast<std::size_t>(c)])[i] = v[c];
    }
  }
  return base_speed;
}

/// Which way is up in the axes of a sensor's frame, row by row, times g.
std::vector<Vec3<double>> gravity_in(Log& log, const SensedRobot& robot, int link, const Pose<double>& frame) {
  const std::vector<std::string> names = coordinate_names(robot.model);
  std::vector<const std::vector<double>*> columns;
  for (const std::string& name : names) columns.push_back(&column(log, "q." + name));
  Workspace<double> work(robot.model);
  std::vector<double> q(names.size());
  std::vector<Vec3<double>> up;
  for (std::size_t i = 0; i < columns[0]->size(); ++i) {
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = (*columns[k])[i];
    normalise(robot.model, q.data());
    forward_kinematics(robot.model, work, q.data(), static_cast<const double*>(nullptr), static_cast<const double*>(nullptr));
    up.push_back(transposed_times((link_pose(robot.model, work, link) * frame).R, -robot.model.gravity));
  }
  return up;
}

Columns without_gravity(Log& log, const SensedRobot& robot) {
  const Sensor& sensor = robot.set.sensors[0];
  const std::vector<Vec3<double>> up = gravity_in(log, robot, robot.model.link(sensor.targets[0].name), sensor.frame);
  for (int c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < up.size(); ++i) column(log, triad_of("y.acc.")[static_cast<std::size_t>(c)])[i] -= up[i][c];
  return triad_of("y.acc.");
}

/// A tool of a third of the mass behind the sensor, 5 cm along its z axis.
Columns with_tool(Log& log, const SensedRobot& robot) {
  const int link = robot.model.link(robot.torque_link);
  double mass = 0;
  std::vector<char> behind(robot.model.links.size(), 0);
  for (std::size_t l = 0; l < behind.size(); ++l) {
    const int parent = robot.model.links[l].parent;
    behind[l] = static_cast<int>(l) == link || (parent >= 0 && behind[static_cast<std::size_t>(parent)]);
    if (behind[l]) mass += robot.model.links[l].inertia.m;
  }
  const std::vector<Vec3<double>> up = gravity_in(log, robot, link, robot.set.sensors[2].frame);
  const Vec3<double> place{{0, 0, 0.05}};
  for (std::size_t i = 0; i < up.size(); ++i) {
    const Vec3<double> f = (mass / 3) * up[i], n = cross(place, f);
    for (int c = 0; c < 3; ++c) {
      column(log, wrench[static_cast<std::size_t>(c)])[i] += n[c];
      column(log, wrench[static_cast<std::size_t>(c) + 3])[i] += f[c];
    }
  }
  return wrench;
}

std::vector<std::string> supports(const SensedRobot& robot, Rng& rng) {
  std::vector<std::string> feet;
  for (const Sensor& s : robot.set.sensors)
    if (s.type == "external_wrench" && !s.all) feet.push_back(s.name);
  const std::string foot = feet[pick(rng, feet.size())];
  std::vector<std::string> names;
  for (const char* c : {"nx", "ny", "nz", "fx", "fy", "fz"}) names.push_back("y." + foot + "." + c);
  return names;
}

}  // namespace

const std::vector<Fault>& all_faults() {
  using R = const SensedRobot&;
  using K = FindingKind;
  static const std::vector<Fault> all{
      {"time unit", "ms, µs or ns", K::time_unit, false, false,
       [](Log& l, R, Rng& g) { return times(l, "time", std::pow(1e3, 1 + static_cast<double>(pick(g, 3)))); }},
      {"time reset", "by 3 s", K::time_back, false, false,
       [](Log& l, R, Rng& g) {
         std::vector<double>& t = column(l, "time");
         for (std::size_t i = 400 + pick(g, 300); i < t.size(); ++i) t[i] -= 3;
         return Columns{"time"};
       }},
      {"time repeated", "5 rows", K::time_back, false, false,
       [](Log& l, R, Rng& g) {
         std::vector<double>& t = column(l, "time");
         for (int k = 0; k < 5; ++k)
           if (const std::size_t i = 1 + pick(g, t.size() - 1); true) t[i] = t[i - 1];
         return Columns{"time"};
       }},
      {"time uneven", "jitter of 10 % of a step", K::time_uneven, false, false,
       [](Log& l, R, Rng& g) {
         for (double& t : column(l, "time")) t += 0.001 * (2 * part(g) - 1) * 1.7;
         return Columns{"time"};
       }},
      {"gap", "30 empty cells", K::gap, false, false,
       [](Log& l, R r, Rng& g) {
         const std::string name = some_column(r, g);
         const std::size_t first = pick(g, 900);
         for (std::size_t i = 0; i < 30; ++i) column(l, name)[first + i] = std::nan("");
         return Columns{name};
       }},
      {"rows lost", "40 rows", K::gap, false, false,
       [](Log& l, R, Rng& g) {
         const auto first = static_cast<std::ptrdiff_t>(100 + pick(g, 800));
         for (std::vector<double>& x : l.values) x.erase(x.begin() + first, x.begin() + first + 40);
         return Columns{"time"};
       }},
      {"position in degrees", "one joint", K::angle_unit, false, false,
       [](Log& l, R r, Rng& g) { return times(l, "q." + one_joint(r, g, true), degree); }},
      {"all in degrees", "q and dq", K::angle_unit, false, false,
       [](Log& l, R r, Rng&) {
         for (const std::string& joint : joints_of(r, true)) times(l, "q." + joint, degree), times(l, "dq." + joint, degree);
         return Columns{"q." + joints_of(r, true).front()};
       }},
      {"beyond limits", "an offset of 0.7 ranges", K::beyond_limit, false, false,
       [](Log& l, R r, Rng& g) {
         for (;;) {
           const std::string joint = one_joint(r, g);
           const JointLimits& limits =
               r.model.limits[static_cast<std::size_t>(r.model.joints[static_cast<std::size_t>(r.model.joint(joint))].v)];
           if (!std::isfinite(limits.lower) || !(limits.lower < limits.upper)) continue;
           for (double& q : column(l, "q." + joint)) q += 0.7 * (limits.upper - limits.lower);
           return Columns{"q." + joint};
         }
       }},
      {"stuck", "60 to 150 samples", K::stuck, false, false,
       [](Log& l, R r, Rng& g) { return stuck(l, some_column(r, g), g); }},
      {"quantised", "a position in 64 steps of its range", K::quantised, false, false,
       [](Log& l, R r, Rng& g) {
         const std::string name = "q." + one_joint(r, g);
         std::vector<double>& x = column(l, name);
         const auto [low, high] = std::minmax_element(x.begin(), x.end());
         const double grid = (*high - *low) / 64;
         for (double& value : x) value = grid * std::round(value / grid);
         return Columns{name};
       }},
      {"saturated", "the outer sixth of a torque or reading", K::saturated, false, false,
       [](Log& l, R r, Rng& g) {
         return saturated(l, pick(g, 2) ? "tau." + one_joint(r, g) : std::string("y.acc.") + "xyz"[pick(g, 3)]);
       }},
      {"spikes", "three of 3 deviations", K::spikes, false, false,
       [](Log& l, R r, Rng& g) { return spikes(l, some_column(r, g), g); }},
      {"drift of a torque", "1.5 deviations over the log", K::drift, false, false,
       [](Log& l, R r, Rng& g) {
         const std::string name = "tau." + one_joint(r, g);
         std::vector<double>& x = column(l, name);
         const double rate = 1.5 * size_of(x) / static_cast<double>(x.size());
         for (std::size_t i = 0; i < x.size(); ++i) x[i] += rate * static_cast<double>(i);
         return Columns{name};
       }},
      {"drift of a force", "2 N over the log", K::drift, false, false,
       [](Log& l, R, Rng& g) {
         const std::string name = wrench[3 + pick(g, 3)];
         std::vector<double>& x = column(l, name);
         for (std::size_t i = 0; i < x.size(); ++i) x[i] += 2 * static_cast<double>(i) / static_cast<double>(x.size());
         return Columns{name};
       }},
      {"velocity scale", "57.3, 9.55 or 0.01", K::velocity_scale, false, false,
       [](Log& l, R r, Rng& g) {
         const double factors[] = {degree, 9.549, 0.01};
         return times(l, "dq." + one_joint(r, g), factors[pick(g, 3)]);
       }},
      {"velocity sign", "−1", K::velocity_sign, false, false,
       [](Log& l, R r, Rng& g) { return times(l, "dq." + one_joint(r, g), -1); }},
      {"velocity lag", "3 to 10 samples", K::velocity_lag, false, false,
       [](Log& l, R r, Rng& g) {
         const std::string name = "dq." + one_joint(r, g);
         std::vector<double>& x = column(l, name);
         std::rotate(x.begin(), x.end() - static_cast<std::ptrdiff_t>(3 + pick(g, 8)), x.end());
         return Columns{name};
       }},
      {"velocity of another joint", "two exchanged", K::velocity_of_other_joint, false, false,
       [](Log& l, R r, Rng& g) { return exchange(l, "dq.", r, g); }},
      {"torque scale", "1000, 0.1 or 0.01", K::torque_scale, false, false,
       [](Log& l, R r, Rng& g) {
         const double factors[] = {1000, 0.1, 0.01};
         return times(l, "tau." + one_joint(r, g), factors[pick(g, 3)]);
       }},
      {"all torques in N mm", "1000", K::torque_scale, false, false,
       [](Log& l, R r, Rng&) {
         for (const std::string& joint : joints_of(r)) times(l, "tau." + joint, 1000);
         return Columns{"tau." + joints_of(r).front()};
       }},
      {"torque sign", "−1", K::torque_sign, false, false,
       [](Log& l, R r, Rng& g) { return times(l, "tau." + one_joint(r, g), -1); }},
      {"torque of another joint", "two exchanged", K::torque_of_other_joint, false, false,
       [](Log& l, R r, Rng& g) { return exchange(l, "tau.", r, g); }},
      {"quaternion w first", "", K::quaternion_order, true, false,
       [](Log& l, R, Rng&) {
         const std::vector<double> w = column(l, "q.base.qw");
         for (std::size_t k = 3; k > 0; --k) column(l, quaternion[k]) = column(l, quaternion[k - 1]);
         column(l, quaternion[0]) = w;
         return quaternion;
       }},
      {"quaternion conjugated", "", K::quaternion_conjugate, true, false,
       [](Log& l, R, Rng&) {
         for (std::size_t k = 0; k < 3; ++k) times(l, quaternion[k], -1);
         return quaternion;
       }},
      {"quaternion norm", "1.08", K::quaternion_norm, true, false,
       [](Log& l, R, Rng&) { return all_times(l, quaternion, 1.08); }},
      {"base velocity frame", "world", K::base_velocity_frame, true, false, [](Log& l, R, Rng&) { return to_world(l); }},
      {"base velocity order", "linear first", K::base_velocity_order, true, false,
       [](Log& l, R, Rng&) {
         for (std::size_t k = 0; k < 3; ++k) std::swap(column(l, base_speed[k]), column(l, base_speed[k + 3]));
         return base_speed;
       }},
      {"accelerometer in g", "", K::gravity_unit, false, false,
       [](Log& l, R, Rng&) { return all_times(l, triad_of("y.acc."), 1 / 9.80665); }},
      {"accelerometer without gravity", "", K::gravity_missing, false, false,
       [](Log& l, R r, Rng&) { return without_gravity(l, r); }},
      {"tool's weight", "a third of the mass behind", K::tool_weight, false, false,
       [](Log& l, R r, Rng&) { return with_tool(l, r); }},
      {"accelerometer sign", "−1", K::gravity_sign, false, false,
       [](Log& l, R, Rng&) { return all_times(l, triad_of("y.acc."), -1); }},
      {"accelerometer turned", "one of 23", K::accelerometer_frame, false, false,
       [](Log& l, R, Rng& g) {
         const Turn turn = some_turn(g);
         return turned(l, triad_of("y.acc."), turn.axis, turn.sign);
       }},
      {"gyroscope in degrees", "", K::gyroscope_unit, false, false,
       [](Log& l, R, Rng&) { return all_times(l, triad_of("y.gyro."), degree); }},
      {"gyroscope turned", "one of 23", K::gyroscope_frame, false, false,
       [](Log& l, R, Rng& g) {
         const Turn turn = some_turn(g);
         return turned(l, triad_of("y.gyro."), turn.axis, turn.sign);
       }},
      {"wrench sign", "−1", K::force_sign, false, false, [](Log& l, R, Rng&) { return all_times(l, wrench, -1); }},
      {"wrench in kg", "", K::force_unit, false, false, [](Log& l, R, Rng&) { return all_times(l, wrench, 1 / 9.80665); }},
      {"wrench turned", "one of 23", K::force_frame, false, false,
       [](Log& l, R, Rng& g) {
         const Turn turn = some_turn(g);
         turned(l, triad_of("y.ft.n"), turn.axis, turn.sign);
         turned(l, triad_of("y.ft.f"), turn.axis, turn.sign);
         return wrench;
       }},
      {"foot's sign", "−1", K::force_sign, true, true, [](Log& l, R r, Rng& g) { return all_times(l, supports(r, g), -1); }},
      {"foot in kg", "", K::force_unit, true, true,
       [](Log& l, R r, Rng& g) { return all_times(l, supports(r, g), 1 / 9.80665); }},
      {"noise", "4 times the stated", K::noise_level, false, false, [](Log& l, R, Rng& g) {
         const std::string name = std::string("y.acc.") + "xyz"[pick(g, 3)];
         for (double& x : column(l, name)) {
           const double u = (static_cast<double>(g()) + 1.0) / 4294967297.0;
           x += 0.19 * std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979 * part(g));
         }
         return Columns{name};
       }}};
  return all;
}

int place_of(const Inspection& found, FindingKind kind, const std::vector<std::string>& columns) {
  for (std::size_t k = 0; k < found.findings.size(); ++k) {
    const Finding& f = found.findings[k];
    if (f.kind != kind) continue;
    for (const std::string& name : columns)
      if (std::find(f.columns.begin(), f.columns.end(), name) != f.columns.end()) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace sparsedyn::test
