#include "sensor_readings.hpp"

namespace sparsedyn {
namespace {

/// Wrenches that stay at zero: those of `*`, where a log need not have them (as in the built-in sets).
std::vector<char> absent_wrenches(const System& system) {
  std::vector<char> held(system.unknowns().size(), 0);
  const Pattern& pattern = system.pattern();
  for (const Measurement& m : system.measurements()) {
    if (m.kind != SensorKind::external_wrench || !system.sensors().sensors[m.sensor].all) continue;
    for (int k = 0; k < m.rows(); ++k)
      if (m.inputs[k] >= 0 && !system.inputs()[m.inputs[k]].required)
        held[pattern.column[pattern.row_start[m.first_row + k]]] = 1;
  }
  return held;
}

}  // namespace

SensorReadings::SensorReadings(const System& system, Random& random)
    : system_(system),
      random_(random),
      sensors_(system, absent_wrenches(system)),
      state_readings_(system),
      sigma_(system.inputs().size(), 0.0),
      curves_(system.unknowns().size()),
      wish_(system.unknowns().size(), 0.0),
      x_(system.unknowns().size(), 0.0),
      y_(system.inputs().size(), 0.0) {
  constexpr double force = 20, moment = 2;  // N, N m
  const std::vector<char> held = absent_wrenches(system);
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    if (system.unknowns()[k].kind != VariableKind::fx || held[k]) continue;
    curves_[k] = random_curve(random, system.unknowns()[k].component < 3 ? moment : force);
    wrenches_.push_back(static_cast<int>(k));
    columns_.push_back(system.unknown_names()[k]);
  }
  for (const Measurement& m : system.measurements())
    for (std::size_t k = 0; k < m.inputs.size(); ++k) {  // with or without a row
      if (m.inputs[k] < 0) continue;
      sigma_[m.inputs[k]] = m.sigma[k];
      if (!(m.sigma[k] > 0) && !m.stand_ins[k].empty()) continue;
      readings_.push_back(m.inputs[k]);
      columns_.push_back(m.columns[k]);
    }
  columns_.insert(columns_.end(), state_readings_.columns().begin(), state_readings_.columns().end());
}

double SensorReadings::evaluate(double t, const double* q, const double* v, double* a, double* tau, double* results) {
  for (int k : wrenches_) wish_[k] = at(curves_[k], t).x;
  const int nv = system_.model().nv;
  for (int j = 0; j < nv; ++j) wish_[system_.ddq_column(j)] = a[j];
  const double violation = sensors_.read(q, v, wish_.data(), x_.data(), y_.data());
  for (int j = 0; j < nv; ++j) {
    a[j] = x_[system_.ddq_column(j)];
    tau[j] = x_[system_.tau_column(j)];
  }
  for (int k : wrenches_) *results++ = x_[k];
  for (int k : readings_) *results++ = y_[k] + sigma_[k] * sensors_.gain()[k] * random_.normal();
  if (state_readings_.columns().empty()) return violation;
  const double* rates = state_readings_.predict(q, v);
  for (std::size_t k = 0; k < state_readings_.columns().size(); ++k)
    *results++ = rates[k] + state_readings_.sigma()[k] * random_.normal();
  return violation;
}

}  // namespace sparsedyn
