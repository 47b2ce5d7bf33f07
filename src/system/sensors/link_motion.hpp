// Sensors of a link's motion, with a = sX_i a_i its proper spatial acceleration in the sensor's frame:
//   accelerometer           a_v + ω × v = y      (proper classical acceleration of the sensor's origin)
//   angular_accelerometer   a_w = y
//   link_acceleration       a = y
//   gyroscope               ω = y: no row in x; predicted_angular_velocity is what it should read
//   imu                     the first three components are a gyroscope's, the others an accelerometer's
#pragma once

#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

struct Accelerometer {
  static constexpr SensorKind kind = SensorKind::accelerometer;
  static SensorType type() {
    SensorType t{kind, "accelerometer", SensorTarget::link, xyz_components(), ""};
    t.framed = t.varies = true;
    return t;
  }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    acceleration_rows(system, m, linear, sink);
  }
  template <class S, class Sink>
  static void rows(const System&, const Measurement& m, const S*, const SystemWorkspace<S>& work, S* rhs, Sink&) {
    const Motion<S> v = sensor_velocity(m, work);
    const Vec3<S> bias = cross(v.w, v.v);
    for (std::size_t k = 0; k < m.components.size(); ++k) rhs[m.first_row + static_cast<int>(k)] -= bias[m.components[k]];
  }
};

/// The first components of a, as many as the type has.
struct AccelerationRows : ConstantRows {
  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    acceleration_rows(system, m, six, sink);
  }
};

struct AngularAccelerometer : AccelerationRows {
  static constexpr SensorKind kind = SensorKind::angular_accelerometer;
  static SensorType type() {
    SensorType t{kind, "angular_accelerometer", SensorTarget::link, xyz_components(), ""};
    t.framed = true;
    return t;
  }
};

struct LinkAcceleration : AccelerationRows {
  static constexpr SensorKind kind = SensorKind::link_acceleration;
  static SensorType type() {
    SensorType t{kind, "link_acceleration", SensorTarget::link, motion_components(), ""};
    t.framed = true;
    return t;
  }
};

struct Gyroscope : ConstantRows, NoConstants {
  static constexpr SensorKind kind = SensorKind::gyroscope;
  static SensorType type() {
    SensorType t{kind, "gyroscope", SensorTarget::link, xyz_components(), ""};
    t.framed = true;
    t.gives_rows = t.measured = false;
    return t;
  }
};

/// Both at one place: its measurements are a gyroscope's and an accelerometer's, so that it has no rows of its own.
struct Imu : ConstantRows, NoConstants {
  static constexpr SensorKind kind = SensorKind::imu;
  static SensorType type() {
    SensorType t{kind, "imu", SensorTarget::link, {"gx", "gy", "gz", "ax", "ay", "az"}, ""};
    t.framed = t.varies = true;
    return t;
  }
};

/// What a gyroscope should read (rad/s), from the velocities that assemble left in the workspace.
template <class S>
Vec3<S> predicted_angular_velocity(const Measurement& m, const SystemWorkspace<S>& work) {
  return sensor_velocity(m, work).w;
}

}  // namespace sparsedyn::sensors
