// contact: the sensor's origin (dof 3) or its frame (dof 6) has no true acceleration. With a = sX_i a_i proper:
//   a_v + ω × v + g_s = 0   (g_s: gravity in the sensor's axes),   and a_w = 0 for dof 6.
#pragma once

#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

struct Contact {
  static constexpr SensorKind kind = SensorKind::contact;
  static SensorType type() {
    SensorType t{kind, "contact", SensorTarget::link, motion_components(), ""};
    t.framed = t.own_wrench = t.varies = t.needs_world = true;
    t.measured = false;
    t.keys = {"dof"};
    return t;
  }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    acceleration_rows(system, m, six, sink);
  }
  template <class S, class Sink>
  static void rows(const System& system, const Measurement& m, const S*, const SystemWorkspace<S>& work, S* rhs, Sink&) {
    const Motion<S> v = sensor_velocity(m, work);
    const Vec3<S> gravity = transposed_times(cast<Constant<S>>(m.in_leading.R),
                                             transposed_times(work.world[m.body].R, cast<Constant<S>>(system.model().gravity)));
    const Vec3<S> bias = cross(v.w, v.v) + gravity;
    for (std::size_t k = 0; k < m.components.size(); ++k)
      if (m.components[k] >= 3) rhs[m.first_row + static_cast<int>(k)] -= bias[m.components[k] - 3];
  }
};

}  // namespace sparsedyn::sensors
