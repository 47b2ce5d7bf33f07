// external_wrench: components of sX_i* fx_i, the wrench of the world on a link in the sensor's frame, about its origin.
// load_cell: f_z, n_x, n_y of the same (three force cells under a plate measure these).
#pragma once

#include "sparsedyn/system/sensors/spatial_rows.hpp"

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
    const Matrix6 X = force_transform(m.frame);
    for (std::size_t k = 0; k < m.components.size(); ++k)
      row_times(X, m.components[k], 1.0, m.first_row + static_cast<int>(k), system.fx_column(m.link), sink);
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
    constexpr int wrench_row[3] = {5, 0, 1};
    const Matrix6 X = force_transform(m.frame);
    for (std::size_t k = 0; k < m.components.size(); ++k)
      row_times(X, wrench_row[m.components[k]], 1.0, m.first_row + static_cast<int>(k), system.fx_column(m.link), sink);
  }
};

}  // namespace sparsedyn::sensors
