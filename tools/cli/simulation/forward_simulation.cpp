#include "forward_simulation.hpp"

#include "cli/logs/log_columns.hpp"
#include "semi_implicit.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::cli {
namespace {

std::vector<std::string> header_of(const Model& model, const ConstrainedDynamics& dynamics) {
  std::vector<std::string> header = motion_columns(model);
  const auto add = [&](const std::vector<std::string>& names) { header.insert(header.end(), names.begin(), names.end()); };
  add(with_prefix("lambda", dynamics.force_columns()));
  add(with_prefix("gap", dynamics.gap_columns()));
  return header;
}

}  // namespace

SimulationEnd simulate_forward(const Model& model, const ConstraintSet& set, const ForwardMotion& motion, CsvWriter& out) {
  ConstraintOptions options;
  options.warm = true;
  ConstrainedDynamics dynamics(model, set, options);
  out.header(header_of(model, dynamics));
  std::vector<double> q = motion.q, v = motion.v, off(v), a(v.size()), tau(v.size(), 0.0),
                      lambda(dynamics.force_columns().size()), gap(dynamics.gap_columns().size());
  const std::size_t base = model.floating() ? 6 : 0;
  for (long k = 0; k < motion.rows; ++k) {
    difference(model, q.data(), motion.q.data(), off.data());
    for (std::size_t i = base; i < v.size(); ++i) tau[i] = motion.kp * off[i] - motion.kd * v[i];
    const ConstraintStatus status =
        dynamics.forward(q.data(), v.data(), tau.data(), nullptr, a.data(), lambda.data(), gap.data());
    if (!status.ok()) return {k, dynamics.describe(status)};
    out.number(static_cast<double>(k) / motion.rate);
    for (const auto* part : {&q, &v, &a, &tau, &lambda, &gap})
      for (double x : *part) out.number(x);
    out.end_row();
    semi_implicit_step(model, 1 / motion.rate, q.data(), v.data(), a.data());
  }
  return {};
}

}  // namespace sparsedyn::cli
