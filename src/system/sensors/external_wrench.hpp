// external_wrench: components of sX_i* fx_i, the wrench of the world on a link in the sensor's frame, about its origin.
// load_cell: f_z, n_x, n_y of the same (three force cells under a plate measure these).
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

}  // namespace sparsedyn::sensors
