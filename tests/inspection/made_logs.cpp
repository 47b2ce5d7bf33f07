#include "inspection/made_logs.hpp"

#include <cmath>
#include <functional>

#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

namespace sparsedyn::test {
namespace {

constexpr double pi = 3.14159265358979323846;

struct Wave {
  double offset = 0, amplitude[3], rate[3], phase[3];
  Jet at(double t) const {
    Jet x{offset, 0, 0};
    for (int k = 0; k < 3; ++k) {
      const double s = std::sin(rate[k] * t + phase[k]), c = std::cos(rate[k] * t + phase[k]);
      x.x += amplitude[k] * s, x.dx += amplitude[k] * rate[k] * c, x.ddx -= amplitude[k] * rate[k] * rate[k] * s;
    }
    return x;
  }
};

double uniform(std::mt19937& rng, double low, double high) {
  return low + (high - low) * (static_cast<double>(rng()) / 4294967296.0);
}
double normal(std::mt19937& rng) {
  const double u = (static_cast<double>(rng()) + 1.0) / 4294967297.0,
               angle = 2 * pi * (static_cast<double>(rng()) / 4294967296.0);
  return std::sqrt(-2 * std::log(u)) * std::cos(angle);
}

Wave wave(std::mt19937& rng, double middle, double reach) {
  Wave w;
  w.offset = middle + uniform(rng, -0.3, 0.3) * reach;
  for (int k = 0; k < 3; ++k) {
    w.amplitude[k] = uniform(rng, 0.08, 0.22) * reach;
    w.rate[k] = 2 * pi * uniform(rng, 0.1, 0.7), w.phase[k] = uniform(rng, 0, 2 * pi);
  }
  return w;
}

class Motion1 {
 public:
  Motion1(const Model& model, std::mt19937& rng) : model_(model) {
    for (const Body& body : model.bodies)
      for (int c = 0; c < freedoms(body.joint); ++c) {
        const JointLimits limits =
            model.limits.empty() || freedoms(body.joint) > 1 ? JointLimits{} : model.limits[static_cast<std::size_t>(body.v)];
        const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper) && limits.lower < limits.upper;
        const double reach = freedoms(body.joint) > 1 ? (is_shift(body.joint, c) ? 0.15 : 0.5) : 0.8;
        waves_.push_back(
            bounded ? wave(rng, 0.5 * (limits.lower + limits.upper), std::min(0.9, 0.5 * (limits.upper - limits.lower)))
                    : wave(rng, 0, reach));
      }
  }
  void at(double t, double* q, double* v, double* a) const {
    std::size_t next = 0;
    for (const Body& body : model_.bodies) {
      Jet x[6];
      for (int c = 0; c < freedoms(body.joint); ++c) x[c] = waves_[next++].at(t);
      with_joint(body.joint, [&](auto joint) { decltype(joint)::follow(x, q + body.q, v + body.v, a + body.v); });
    }
  }

 private:
  const Model& model_;
  std::vector<Wave> waves_;
};

/// State and what the links do at a time.
struct State {
  std::vector<double> q, v, a;
  Workspace<double> work;
  explicit State(const Model& model)
      : q(static_cast<std::size_t>(model.nq)), v(static_cast<std::size_t>(model.nv)), a(v.size()), work(model) {}
  void move(const Model& model, const Motion1& motion, double t) {
    motion.at(t, q.data(), v.data(), a.data());
    forward_kinematics(model, work, q.data(), v.data(), a.data());
  }
};

void append(RecordedLog& log, const std::string& name, double value) {
  for (std::size_t c = 0; c < log.columns.size(); ++c)
    if (log.columns[c] == name) return log.values[c].push_back(value);
  log.columns.push_back(name), log.values.push_back({value});
}

Sensor sensor(const std::string& name, const std::string& type, const std::string& target, std::vector<double> sigma) {
  Sensor s;
  s.name = name, s.type = type, s.sigma = std::move(sigma);
  s.targets.push_back({target});
  return s;
}

const char* const wrench_components[] = {"nx", "ny", "nz", "fx", "fy", "fz"};

}  // namespace

SensedRobot sensed_robot(const std::string& name) {
  SensedRobot robot;
  robot.name = name, robot.floating = name != "arm";
  LoadOptions options;
  options.floating = robot.floating;
  robot.model = load_urdf(std::string(SPARSEDYN_SOURCE_DIR) + "/robots/" + name + ".urdf", options);
  robot.set.name = name;
  const std::string imu = name == "arm" ? "link5" : name == "quadruped" ? "imu" : "chest_imu";
  robot.torque_link = name == "arm" ? "link7" : name == "quadruped" ? "rf_shank" : "l_forearm";
  const Link& behind = robot.model.links[static_cast<std::size_t>(robot.model.link(robot.torque_link))];
  const Pose<double> turned{rotation_from_rpy({{0.3, -0.2, 0.5}}), {{0.02, 0.01, 0.05}}};
  robot.set.sensors.push_back(sensor("acc", "accelerometer", imu, {0.05}));
  robot.set.sensors.push_back(sensor("gyro", "gyroscope", imu, {0.005}));
  robot.set.sensors.push_back(sensor("ft", "force_torque", behind.joint, {0.005, 0.005, 0.005, 0.05, 0.05, 0.05}));
  for (Sensor& s : robot.set.sensors) s.frame = turned, s.framed = true;
  Sensor air = sensor("air", "external_wrench", "", {});
  air.targets.clear(), air.all = true, air.value = {0};
  if (robot.floating)
    for (const char* foot : name == "quadruped" ? std::array<const char*, 2>{"lf_foot", "rh_foot"}
                                                : std::array<const char*, 2>{"l_sole", "r_sole"}) {
      robot.set.sensors.push_back(sensor(foot, "external_wrench", foot, {0.03, 0.03, 0.03, 0.3, 0.3, 0.3}));
      air.except.push_back({foot});
    }
  robot.set.sensors.push_back(air);
  return robot;
}

RecordedLog made_log(const SensedRobot& robot, unsigned seed, const MadeLogOptions& options) {
  const Model& model = robot.model;
  std::mt19937 rng(seed);
  const Motion1 motion(model, rng);
  State now(model), before(model), after(model);
  const std::vector<std::string> q_names = coordinate_names(model), v_names = velocity_names(model);
  std::vector<double> tau(v_names.size());
  std::vector<Force<double>> links(model.links.size()), bodies(model.bodies.size());
  RecordedLog log;
  log.name = robot.name;
  const int imu = model.link(robot.set.sensors[0].targets[0].name);
  const Pose<double>& frame = robot.set.sensors[0].frame;
  const int behind = model.find_link(robot.torque_link);
  std::vector<std::string> feet;
  for (const Sensor& s : robot.set.sensors)
    if (s.type == "external_wrench" && !s.all) feet.push_back(s.name);
  const Wave share = wave(rng, 0, 1);
  for (std::size_t i = 0; i < options.samples; ++i) {
    const double t = static_cast<double>(i) / options.rate, h = 1e-4;
    now.move(model, motion, t), before.move(model, motion, t - h), after.move(model, motion, t + h);
    append(log, "time", t);
    for (std::size_t k = 0; k < q_names.size(); ++k) append(log, "q." + q_names[k], now.q[k] + 1e-4 * normal(rng));
    if (options.with_velocity)
      for (std::size_t k = 0; k < v_names.size(); ++k) append(log, "dq." + v_names[k], now.v[k] + 2e-3 * normal(rng));

    // Feet carry what the base needs, now the one more, now the other.
    std::fill(links.begin(), links.end(), Force<double>{zero3<double>(), zero3<double>()});
    rnea(model, now.work, now.q.data(), now.v.data(), now.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
    if (!feet.empty()) {
      const double part = 0.5 + 0.4 * std::tanh(share.at(t).x);
      const Force<double> needed = to_parent(now.work.world_pose[0], now.work.force[0]);
      for (std::size_t f = 0; f < 2; ++f) {
        const int foot = model.link(feet[f]);
        const double w = f == 0 ? part : 1 - part;
        const Force<double> there = to_child(link_pose(model, now.work, foot), needed);
        links[static_cast<std::size_t>(foot)] = {w * there.n, w * there.f};
        for (std::size_t k = 0; k < 6; ++k) {
          const double exact = k < 3 ? w * there.n[static_cast<int>(k)] : w * there.f[static_cast<int>(k) - 3];
          append(log, "y." + feet[f] + "." + wrench_components[k], exact + (k < 3 ? 0.03 : 0.3) * normal(rng));
        }
      }
    }
    link_wrenches_to_bodies(model, links.data(), bodies.data());
    rnea(model, now.work, now.q.data(), now.v.data(), now.a.data(), bodies.data(), tau.data());
    for (const Joint& joint : model.joints)
      if (joint.nv == 1) append(log, "tau." + joint.name, tau[static_cast<std::size_t>(joint.v)]);

    const Pose<double> here = link_pose(model, now.work, imu) * frame;
    const Vec3<double> p = here.d, p0 = (link_pose(model, before.work, imu) * frame).d,
                       p1 = (link_pose(model, after.work, imu) * frame).d;
    const Vec3<double> a = transposed_times(here.R, (1 / (h * h)) * (p0 + p1 - 2.0 * p) - model.gravity);
    const Vec3<double> w = transposed_times(frame.R, link_velocity(model, now.work, imu).w);
    const Link& link = model.links[static_cast<std::size_t>(behind)];
    const Force<double> through =
        to_child(link.pose * robot.set.sensors[2].frame, now.work.force[static_cast<std::size_t>(link.body)]);
    for (int c = 0; c < 3; ++c) {
      const std::string axis(1, "xyz"[c]);
      append(log, "y.acc." + axis, a[c] + 0.05 * normal(rng));
      append(log, "y.gyro." + axis, w[c] + 0.005 * normal(rng));
      append(log, "y.ft.n" + axis, through.n[c] + 0.005 * normal(rng));
      append(log, "y.ft.f" + axis, through.f[c] + 0.05 * normal(rng));
    }
  }
  // Friction, damping, a rotor and noise, in shares of each torque.
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    std::vector<double>* torque = nullptr;
    for (std::size_t c = 0; c < log.columns.size(); ++c)
      if (log.columns[c] == "tau." + joint.name) torque = &log.values[c];
    double size = 0;
    for (double x : *torque) size += x * x;
    size = std::sqrt(size / static_cast<double>(options.samples));
    const double dry = uniform(rng, 0.02, 0.1) * size, damping = uniform(rng, 0.02, 0.1) * size,
                 rotor = uniform(rng, 0, 0.02) * size;
    for (std::size_t i = 0; i < options.samples; ++i) {
      motion.at(static_cast<double>(i) / options.rate, now.q.data(), now.v.data(), now.a.data());
      const auto v = static_cast<std::size_t>(joint.v);
      (*torque)[i] += dry * std::tanh(now.v[v] / 0.01) + damping * now.v[v] + rotor * now.a[v] + 0.01 * size * normal(rng);
    }
  }
  return log;
}

}  // namespace sparsedyn::test
