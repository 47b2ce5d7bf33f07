// external_wrench: components of sX_i* fx_i, the wrench of the world on a link in the sensor's frame, about its origin.
// load_cell: f_z, n_x, n_y of the same (three force cells under a plate measure these).
// normal_force: n · R f = y, the force of the world on a link along a unit vector n of the world, R the link's orientation (a
// touch sensor on a plane with the normal n).
#pragma once

#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

struct ExternalWrench : ConstantRows {
  static constexpr SensorKind kind = SensorKind::external_wrench;
  static SensorType type() {
    SensorType t{kind, "external_wrench", SensorTarget::link, wrench_components(), "fx."};
    t.framed = t.own_wrench = true;
    return t;
  }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    wrench_rows(system, m, six, sink);
  }
};

struct LoadCell : ConstantRows {
  static constexpr SensorKind kind = SensorKind::load_cell;
  static SensorType type() {
    SensorType t{kind, "load_cell", SensorTarget::link, {"fz", "nx", "ny"}, ""};
    t.framed = t.own_wrench = true;
    return t;
  }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    wrench_rows(system, m, load_cell, sink);
  }
};

struct NormalForce : NoConstants {
  static constexpr SensorKind kind = SensorKind::normal_force;
  static SensorType type() {
    SensorType t{kind, "normal_force", SensorTarget::link, {""}, ""};
    t.own_wrench = t.varies = t.needs_world = true;
    t.keys = {"normal"};
    return t;
  }

  template <class S, class Sink>
  static void rows(const System& system, const Measurement& m, const S*, const SystemWorkspace<S>& work, S*, Sink& sink) {
    const Vec3<S> seen = transposed_times(cast<Constant<S>>(m.in_leading.R),
                                          transposed_times(work.world[m.body].R, cast<Constant<S>>(m.normal)));
    for (int c = 0; c < 3; ++c) sink.entry(m.first_row, system.fx_column(m.link) + 3 + c, seen[c]);
  }
};

}  // namespace sparsedyn::sensors
