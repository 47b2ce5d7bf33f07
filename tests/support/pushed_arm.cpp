#include "support/pushed_arm.hpp"

#include <cmath>

#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::test {
namespace {

/// Two sines a joint, of 0.2 to 1 Hz.
class ArmMotion {
 public:
  ArmMotion(const Model& model, double size, std::mt19937& rng) : model_(model) {
    std::uniform_real_distribution<double> rate(1.3, 6.3), phase(-3.1, 3.1), centre(-0.5, 0.5);
    for (int k = 0; k < model.nv; ++k) {
      const bool slides = model.bodies[static_cast<std::size_t>(body_of(k))].joint == BodyJoint::prismatic;
      const double most = slides ? 0.1 * size : size;
      centre_.push_back(slides ? 0 : centre(rng));
      for (int i = 0; i < 2; ++i) sines_.push_back({most / (1 + i), rate(rng), phase(rng)});
    }
  }

  void at(double t, double* q, double* v, double* a) const {
    for (int k = 0; k < model_.nv; ++k) {
      q[k] = centre_[static_cast<std::size_t>(k)], v[k] = a[k] = 0;
      for (int i = 0; i < 2; ++i) {
        const Sine& s = sines_[static_cast<std::size_t>(2 * k + i)];
        q[k] += s.size * std::sin(s.rate * t + s.phase);
        v[k] += s.size * s.rate * std::cos(s.rate * t + s.phase);
        a[k] -= s.size * s.rate * s.rate * std::sin(s.rate * t + s.phase);
      }
    }
  }

 private:
  struct Sine {
    double size, rate, phase;
  };
  int body_of(int v) const {
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      if (model_.bodies[b].v == v && freedoms(model_.bodies[b].joint) == 1) return static_cast<int>(b);
    return 0;
  }
  const Model& model_;
  std::vector<double> centre_;
  std::vector<Sine> sines_;
};

Sensor sensor(const char* name, const char* type, double sigma) {
  Sensor s;
  s.name = name, s.type = type, s.all = true;
  if (sigma > 0) s.sigma = {sigma};
  return s;
}

int link_of(const Model& model, const std::string& name) {
  int at = 0;
  while (model.links[static_cast<std::size_t>(at)].name != name) ++at;
  return at;
}

/// Forward dynamics under a wrench on one link.
class Yielding {
 public:
  Yielding(const Model& model, int link)
      : model_(model),
        work_(model),
        link_(link),
        on_links_(model.links.size(), {zero3<double>(), zero3<double>()}),
        on_bodies_(model.bodies.size(), {zero3<double>(), zero3<double>()}) {}

  void push(const Force<double>& x) {
    on_links_[static_cast<std::size_t>(link_)] = x;
    link_wrenches_to_bodies(model_, on_links_.data(), on_bodies_.data());
  }
  /// (q, v) after h seconds under torques and a wrench that stay.
  void move(std::vector<double>& q, std::vector<double>& v, const std::vector<double>& tau, double h) {
    const std::size_t n = q.size();
    std::vector<double> k[4][2], x(q), w(v);
    constexpr double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    std::vector<double> dq(n, 0.0), dv(n, 0.0);
    for (int s = 0; s < 4; ++s) {
      for (std::size_t j = 0; j < n && s > 0; ++j)
        x[j] = q[j] + at[s] * h * k[s - 1][0][j], w[j] = v[j] + at[s] * h * k[s - 1][1][j];
      k[s][0] = w, k[s][1].resize(n);
      aba(model_, work_, x.data(), w.data(), tau.data(), on_bodies_.data(), k[s][1].data());
      for (std::size_t j = 0; j < n; ++j) dq[j] += weight[s] * k[s][0][j], dv[j] += weight[s] * k[s][1][j];
    }
    for (std::size_t j = 0; j < n; ++j) q[j] += h * dq[j], v[j] += h * dv[j];
  }

 private:
  const Model& model_;
  Workspace<double> work_;
  int link_;
  std::vector<Force<double>> on_links_, on_bodies_;
};

}  // namespace

SensorSet arm_sensors(const std::string& link, const ArmNoise& noise) {
  SensorSet set;
  set.name = "pushed arm";
  set.sensors = {sensor("encoders", "joint_position", noise.encoder), sensor("torques", "joint_torque", noise.torque),
                 sensor("nothing", "external_wrench", 0)};
  set.sensors[2].value = {0};
  set.sensors[2].except = {{link}};
  set.unknown = {};
  set.external_wrench = {10, 100, noise.moment_walk, noise.force_walk, true};
  return set;
}

ArmLog push_arm(const Model& model, const std::string& link, int samples, double rate, unsigned seed, const ArmNoise& noise,
                WrenchAt wrench, double size) {
  constexpr double nodes[3] = {0.1127016653792583, 0.5, 0.8872983346207417}, weights[3] = {5.0 / 18, 4.0 / 9, 5.0 / 18};
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  const ArmMotion motion(model, size, rng);
  const int at = link_of(model, link);
  const auto nv = static_cast<std::size_t>(model.nv);
  Workspace<double> work(model);
  std::vector<Force<double>> on_links(model.links.size(), {zero3<double>(), zero3<double>()}), on_bodies(model.bodies.size());
  std::vector<double> q(nv), v(nv), a(nv), tau(nv);
  double walking[6];
  for (int c = 0; c < 6; ++c) walking[c] = normal(rng) * (c < 3 ? 2 : 20);
  ArmLog log;
  log.dt = 1 / rate;
  for (int k = 0; k < samples; ++k) {
    motion.at(k * log.dt, q.data(), v.data(), a.data());
    log.q.push_back(q), log.v.push_back(v);
    std::vector<double> mean_tau(nv, 0.0), mean_fx(6, 0.0), mean_a(nv, 0.0);
    for (double& w : walking) w += std::sqrt(log.dt) * normal(rng) * (&w < walking + 3 ? noise.moment_walk : noise.force_walk);
    for (int i = 0; i < 3; ++i) {
      const double t = (k - 1 + nodes[i]) * log.dt;
      Force<double> push{{{walking[0], walking[1], walking[2]}}, {{walking[3], walking[4], walking[5]}}};
      if (wrench) push = wrench(t);
      on_links[static_cast<std::size_t>(at)] = push;
      link_wrenches_to_bodies(model, on_links.data(), on_bodies.data());
      motion.at(t, q.data(), v.data(), a.data());
      rnea(model, work, q.data(), v.data(), a.data(), on_bodies.data(), tau.data());
      for (std::size_t j = 0; j < nv; ++j) mean_tau[j] += weights[i] * tau[j], mean_a[j] += weights[i] * a[j];
      for (int c = 0; c < 3; ++c) {
        mean_fx[static_cast<std::size_t>(c)] += weights[i] * push.n[c];
        mean_fx[static_cast<std::size_t>(3 + c)] += weights[i] * push.f[c];
      }
    }
    std::vector<double> row;
    for (std::size_t j = 0; j < nv; ++j) row.push_back(log.q.back()[j] + noise.encoder * normal(rng));
    for (std::size_t j = 0; j < nv; ++j) row.push_back(mean_tau[j] + noise.torque * normal(rng));
    log.ddq.push_back(mean_a), log.tau.push_back(mean_tau), log.fx.push_back(mean_fx), log.readings.push_back(row);
  }
  return log;
}

ArmLog yielding_arm(const Model& model, const std::string& link, int samples, double rate, unsigned seed, const ArmNoise& noise,
                    WrenchAt wrench, double size, double stiffness) {
  constexpr int steps = 4;
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  const ArmMotion motion(model, size, rng);
  const auto n = static_cast<std::size_t>(model.nv);
  Yielding arm(model, link_of(model, link));
  Workspace<double> work(model);
  std::vector<double> q(n), v(n), a(n), goal(n), speed(n), tau(n, 0.0);
  ArmLog log;
  log.dt = 1 / rate;
  motion.at(0, q.data(), v.data(), a.data());
  for (int k = 0; k < samples; ++k) {
    std::vector<double> before(v), mean_fx(6, 0.0);
    for (int i = 0; i < steps && k > 0; ++i) {
      const Force<double> push = wrench((k - 1 + (i + 0.5) / steps) * log.dt);
      arm.push(push);
      arm.move(q, v, tau, log.dt / steps);
      for (int c = 0; c < 3; ++c) {
        mean_fx[static_cast<std::size_t>(c)] += push.n[c] / steps;
        mean_fx[static_cast<std::size_t>(3 + c)] += push.f[c] / steps;
      }
    }
    std::vector<double> row;
    for (std::size_t j = 0; j < n; ++j) row.push_back(q[j] + noise.encoder * normal(rng));
    for (std::size_t j = 0; j < n; ++j) row.push_back(tau[j] + noise.torque * normal(rng));
    for (std::size_t j = 0; j < n; ++j) before[j] = (v[j] - before[j]) / log.dt;
    log.q.push_back(q), log.v.push_back(v), log.ddq.push_back(before), log.tau.push_back(tau);
    log.fx.push_back(mean_fx), log.readings.push_back(row);
    motion.at(k * log.dt, goal.data(), speed.data(), a.data());
    for (std::size_t j = 0; j < n; ++j) a[j] += stiffness * (goal[j] - q[j]) + 2 * std::sqrt(stiffness) * (speed[j] - v[j]);
    rnea(model, work, q.data(), v.data(), a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
  }
  return log;
}

}  // namespace sparsedyn::test
