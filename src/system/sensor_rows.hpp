// The catalogue: one line a sensor type, one header each in sensors/. A type T has
//   T::kind, T::type()                  what it is called and takes
//   T::constants(system, m, sink)       entries that do not depend on the state: sink.entry(row, column, double)
//   T::rows(system, m, y, work, rhs, sink)
//                                       where type().varies: entries that depend on it, sink.entry(row, column, S); also takes
//                                       b(q, v) off the right-hand side, which already holds the readings, or zero
#pragma once

#include <tuple>

#include "system/sensors/centre_of_pressure.hpp"
#include "system/sensors/contact.hpp"
#include "system/sensors/external_wrench.hpp"
#include "system/sensors/force_torque.hpp"
#include "system/sensors/joint_sensor.hpp"
#include "system/sensors/link_motion.hpp"
#include "system/sensors/momentum.hpp"
#include "system/sensors/state_sensors.hpp"

namespace sparsedyn {

using SensorCatalogue =
    std::tuple<sensors::JointTorque, sensors::JointAcceleration, sensors::ExternalWrench, sensors::LoadCell,
               sensors::CentreOfPressure, sensors::ForceTorque, sensors::Accelerometer, sensors::Gyroscope, sensors::Imu,
               sensors::AngularAccelerometer, sensors::LinkAcceleration, sensors::Contact, sensors::ComAcceleration,
               sensors::MomentumRate, sensors::TorqueCombination, sensors::JointPosition, sensors::JointVelocity,
               sensors::LinkPose, sensors::LinkVelocity, sensors::NormalForce>;

namespace detail {

/// Calls f(T{}) for the type of that kind.
template <class F, class... Types>
void for_sensor_kind(SensorKind kind, F&& f, const std::tuple<Types...>*) {
  ((Types::kind == kind ? f(Types{}) : void()), ...);
}
template <class F>
void for_sensor_kind(SensorKind kind, F&& f) {
  for_sensor_kind(kind, f, static_cast<const SensorCatalogue*>(nullptr));
}

}  // namespace detail

template <class Sink>
void write_sensor_constants(const System& system, const Measurement& m, Sink& sink) {
  detail::for_sensor_kind(m.kind, [&](auto type) { decltype(type)::constants(system, m, sink); });
}

template <class S, class Sink>
void write_sensor_rows(const System& system, const Measurement& m, const S* y, const SystemWorkspace<S>& work, S* rhs,
                       Sink& sink) {
  detail::for_sensor_kind(m.kind, [&](auto type) { decltype(type)::rows(system, m, y, work, rhs, sink); });
}

}  // namespace sparsedyn
