// From a measurement to its rows: one line a sensor type in each of the two functions.
#pragma once

#include "sparsedyn/system/sensors/external_wrench.hpp"
#include "sparsedyn/system/sensors/joint_sensor.hpp"
#include "sparsedyn/system/system.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {

/// Entries of the rows of m that do not depend on the state. Sink: entry(row, column, double).
template <class Sink>
void write_sensor_constants(const System& system, const Measurement& m, Sink& sink) {
  switch (m.kind) {
    case SensorKind::joint_torque: return sensors::joint_torque_constants(system, m, sink);
    case SensorKind::joint_acceleration: return sensors::joint_acceleration_constants(system, m, sink);
    case SensorKind::external_wrench: return sensors::external_wrench_constants(system, m, sink);
  }
}

/// The right-hand side of the rows of m and their entries that depend on the state.
template <class S, class Sink>
void write_sensor_rows(const System&, const Measurement& m, const S* y, S* rhs, Sink&, SystemWorkspace<S>&) {
  for (std::size_t k = 0; k < m.components.size(); ++k)
    rhs[m.first_row + static_cast<int>(k)] = m.reading(static_cast<int>(k), y);
}

}  // namespace sparsedyn
