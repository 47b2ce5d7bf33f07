// joint_torque: τ_k = y. joint_acceleration: q̈_k = y; multiplier q̈_l = y of a joint that follows another.
// torque_combination: Σ c_k τ_k = y (tendons, differentials).
#pragma once

#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

struct JointTorque : ConstantRows {
  static constexpr SensorKind kind = SensorKind::joint_torque;
  static SensorType type() { return {kind, "joint_torque", SensorTarget::joint, {}, "tau."}; }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    const Joint& joint = system.model().joints[m.joint];
    for (std::size_t k = 0; k < m.components.size(); ++k)
      sink.entry(m.first_row + static_cast<int>(k),
                 joint.follows() ? system.terms()[m.body].tau : system.tau_column(joint.v + m.components[k]), 1.0);
  }
};

struct JointAcceleration : ConstantRows {
  static constexpr SensorKind kind = SensorKind::joint_acceleration;
  static SensorType type() { return {kind, "joint_acceleration", SensorTarget::joint, {}, "ddq."}; }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    const Joint& joint = system.model().joints[m.joint];
    const BodyTerms& t = system.terms()[m.body];
    for (std::size_t k = 0; k < m.components.size(); ++k)
      sink.entry(m.first_row + static_cast<int>(k), joint.follows() ? t.ddq : system.ddq_column(joint.v + m.components[k]),
                 joint.follows() ? t.multiplier : 1.0);
  }
};

struct TorqueCombination : ConstantRows {
  static constexpr SensorKind kind = SensorKind::torque_combination;
  static SensorType type() {
    SensorType t{kind, "torque_combination", SensorTarget::robot, {""}, ""};
    t.keys = {"coefficients"};
    return t;
  }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    for (const auto& [v, coefficient] : m.torques) sink.entry(m.first_row, system.tree_tau_column(v), coefficient);
  }
};

}  // namespace sparsedyn::sensors
