// joint_torque: τ_k = y. joint_acceleration: q̈_k = y.
#pragma once

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::sensors {

template <class Sink>
void joint_torque_constants(const System& system, const Measurement& m, Sink& sink) {
  const int first = system.model().joints[m.joint].v;
  for (std::size_t k = 0; k < m.components.size(); ++k)
    sink.entry(m.first_row + static_cast<int>(k), system.tau_column(first + m.components[k]), 1.0);
}

template <class Sink>
void joint_acceleration_constants(const System& system, const Measurement& m, Sink& sink) {
  const int first = system.model().joints[m.joint].v;
  for (std::size_t k = 0; k < m.components.size(); ++k)
    sink.entry(m.first_row + static_cast<int>(k), system.ddq_column(first + m.components[k]), 1.0);
}

}  // namespace sparsedyn::sensors
