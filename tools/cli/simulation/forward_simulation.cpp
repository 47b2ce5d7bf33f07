#include "forward_simulation.hpp"

#include <algorithm>

#include "cli/logs/log_columns.hpp"
#include "semi_implicit.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {

std::vector<std::string> forward_columns(const Model& model, const ConstrainedDynamics& dynamics) {
  std::vector<std::string> header{"time"};
  const auto add = [&](const std::vector<std::string>& names) { header.insert(header.end(), names.begin(), names.end()); };
  add(with_prefix("q", coordinate_names(model)));
  add(with_prefix("dq", velocity_names(model)));
  add(with_prefix("ddq", velocity_names(model)));
  add(with_prefix("tau", force_names(model)));
  add(with_prefix("lambda", dynamics.force_columns()));
  add(with_prefix("gap", dynamics.gap_columns()));
  return header;
}

SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardMotion& motion,
                               const MotionSink& sink) {
  ConstraintOptions options;
  options.warm = true;
  ConstrainedDynamics dynamics(model, set, options);
  const std::vector<std::string> columns = forward_columns(model, dynamics);
  std::vector<double> row(columns.size());
  std::vector<double> q = motion.q, v = motion.v, moved(q), off(v), a(v.size()), tau(v.size(), 0.0),
                      lambda(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
  const std::size_t base = model.floating() ? 6 : 0;
  for (long k = 0; k < motion.rows; ++k) {
    difference(model, q.data(), motion.q.data(), off.data());
    for (std::size_t i = base; i < v.size(); ++i) tau[i] = motion.kp * off[i] - motion.kd * v[i];
    const ConstraintStatus status =
        dynamics.forward(q.data(), v.data(), tau.data(), nullptr, a.data(), lambda.data(), gap.data());
    if (!status.ok()) return {k, dynamics.describe(status)};
    double* next = row.data();
    *next++ = static_cast<double>(k) / motion.rate;
    for (const auto* part : {&q, &v, &a, &tau, &lambda, &gap}) next = std::copy(part->begin(), part->end(), next);
    sink(k, columns, row.data());
    semi_implicit_step(model, 1 / motion.rate, q.data(), v.data(), a.data(), moved.data());
  }
  return {};
}

}  // namespace sparsedyn::cli
