#include "forward_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cli/logs/log_columns.hpp"
#include "io/number.hpp"
#include "semi_implicit.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {

std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics) {
  std::vector<std::string> header = motion_columns(model);
  const auto add = [&](const std::vector<std::string>& names) { header.insert(header.end(), names.begin(), names.end()); };
  add(with_prefix("lambda", dynamics.force_columns()));
  add(with_prefix("gap", dynamics.gap_columns()));
  return header;
}

namespace {

constexpr double runaway = 1e8;  // m/s or rad/s

/// The model whose armature holds h D: M a = τ(v) − h D a − … is (M + h D) a = τ(v) − ….
Model with_implicit_damping(const Model& model, const ForwardMotion& motion) {
  Model damped = model;
  for (const Joint& joint : model.joints) {
    if (joint.name == "base") continue;
    const double own = joint.nv == 1 && !model.physics.empty() ? model.physics[static_cast<std::size_t>(joint.v)].damping : 0.0;
    const double damping = motion.kd + own;
    if (damping == 0 || joint.nv == 0) continue;
    if (joint.nv > 1)
      throw std::invalid_argument("joint \"" + joint.name +
                                  "\" has several freedoms; expected joints of one to be damped implicitly");
    JointPhysics physics = model.physics.empty() ? JointPhysics() : model.physics[static_cast<std::size_t>(joint.v)];
    physics.armature += damping / motion.rate;
    set_joint_physics(damped, joint.name, physics);
  }
  return damped;
}

}  // namespace

SimulationEnd simulate_forward(const Model& robot, const ConstraintSet& set, const ForwardMotion& motion,
                               const MotionSink& sink) {
  const Model model = motion.implicit ? with_implicit_damping(robot, motion) : robot;
  ConstraintOptions options;
  options.warm = true;
  ConstrainedDynamics dynamics(model, set, options);
  const std::vector<std::string> columns = forward_columns(model, dynamics);
  std::vector<double> row(columns.size());
  std::vector<double> q = motion.q, v = motion.v, off(v), a(v.size()), tau(v.size(), 0.0),
                      lambda(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
  const std::size_t base = model.floating() ? 6 : 0;
  for (long k = 0; k < motion.rows; ++k) {
    difference(model, q.data(), motion.q.data(), off.data());
    for (std::size_t i = base; i < v.size(); ++i) tau[i] = motion.kp * off[i] - motion.kd * v[i];
    const ConstraintStatus status =
        dynamics.forward(q.data(), v.data(), tau.data(), nullptr, a.data(), lambda.data(), gap.data());
    if (!status.ok()) return {k, dynamics.describe(status)};
    for (std::size_t i = 0; i < v.size(); ++i)
      if (!(std::abs(v[i]) < runaway))
        return {k, "the motion grows without bound: dq." + velocity_names(model)[i] + " is " + number_text(v[i]) +
                       "; expected a shorter step (--rate), or --integrator implicit-velocity"};
    double* next = row.data();
    *next++ = static_cast<double>(k) / motion.rate;
    for (const auto* part : {&q, &v, &a, &tau, &lambda, &gap}) next = std::copy(part->begin(), part->end(), next);
    sink(k, columns, row.data());
    semi_implicit_step(model, 1 / motion.rate, q.data(), v.data(), a.data());
  }
  return {};
}

}  // namespace sparsedyn::cli
