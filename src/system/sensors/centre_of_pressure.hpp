// centre_of_pressure: at the measured point p = (x, y, 0) of the sensor's plane the wrench on the link has no moment in that
// plane: n_y + x f_z = 0 and n_x − y f_z = 0 (component x gives the first row, y the second; both are moments, N m).
#pragma once

#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

struct CentreOfPressure : NoConstants {
  static constexpr SensorKind kind = SensorKind::centre_of_pressure;
  static SensorType type() {
    SensorType t{kind, "centre_of_pressure", SensorTarget::link, {"x", "y"}, ""};
    t.framed = t.own_wrench = t.varies = true;
    t.on_right = false;
    return t;
  }

  template <class S, class Sink>
  static void rows(const System& system, const Measurement& m, const S* y, const SystemWorkspace<S>&, S*, Sink& sink) {
    const Matrix6 X = force_transform(m.frame);
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const bool along_x = m.components[k] == 0;
      const S point = m.reading(static_cast<int>(k), y);
      const S arm = along_x ? point : -point;
      for (int c = 0; c < 6; ++c)
        sink.entry(m.first_row + static_cast<int>(k), system.fx_column(m.link) + c,
                   Constant<S>(X[along_x ? 1 : 0][c]) + arm * Constant<S>(X[5][c]));
    }
  }
};

}  // namespace sparsedyn::sensors
