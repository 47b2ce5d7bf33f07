// force_torque: the wrench that a joint passes, parent on child (or child on parent, with the sign turned), in the sensor's
// frame. Through a moving joint it is sX_i* f_i. Through a fixed one it is what the links behind it need, in the frame of the
// link that leads their body:
//   f = I a + v ×* I v − Σ iX_l* fx_l + Σ jX_i* f_j      (I, l: of the links behind; j: joints that hang on these)
#pragma once

#include "sparsedyn/spatial/detail/velocity_wrench.hpp"
#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

struct ForceTorque {
  static constexpr SensorKind kind = SensorKind::force_torque;
  static SensorType type() {
    SensorType t{kind, "force_torque", SensorTarget::any_joint, wrench_components(), ""};
    t.framed = t.varies = true;
    t.keys = {"direction"};
    return t;
  }

  template <class Sink>
  static void constants(const System& system, const Measurement& m, Sink& sink) {
    for (std::size_t k = 0; k < m.components.size(); ++k) {
      const int row = m.first_row + static_cast<int>(k);
      if (m.rigid_group < 0)
        for (int c = 0; c < 6; ++c) {
          const Force<double> x = to_child(m.in_leading, system.unit_joint_wrench(m.body, c));
          sink.entry(row, system.f_column(m.body) + c, m.sign * component(x, m.components[k]));
        }
      else
        rigid_group_constants(system, m, m.components[k], row, sink);
    }
  }

  template <class S, class Sink>
  static void rows(const System& system, const Measurement& m, const S* y, const SystemWorkspace<S>& work, S* rhs, Sink& sink) {
    if (m.rigid_group < 0) return;
    const RigidGroup& rigid_group = system.rigid_groups()[m.rigid_group];
    const Force<S> bias = to_child(cast<Constant<S>>(m.in_leading), rigid_group_bias(system, m, y, work));
    for (std::size_t k = 0; k < m.components.size(); ++k)
      rhs[m.first_row + static_cast<int>(k)] -= Constant<S>(m.sign) * component(bias, m.components[k]);
    for (int child : rigid_group.bodies)
      for (int c = 0; c < 6; ++c) {
        const Force<S> x = to_child(cast<Constant<S>>(m.in_leading),
                                    to_parent(work.X[child], cast<Constant<S>>(system.unit_joint_wrench(child, c))));
        for (std::size_t k = 0; k < m.components.size(); ++k)
          sink.entry(m.first_row + static_cast<int>(k), system.f_column(child) + c,
                     Constant<S>(m.sign) * component(x, m.components[k]));
      }
  }

 private:
  /// I a and −Σ fx.
  template <class Sink>
  static void rigid_group_constants(const System& system, const Measurement& m, int k, int row, Sink& sink) {
    const RigidGroup& rigid_group = system.rigid_groups()[m.rigid_group];
    for (int c = 0; c < 6 && m.body >= 0; ++c) {
      const Force<double> x = to_child(m.in_leading, rigid_group.inertia * unit_motion(c));
      sink.entry(row, system.acc_column(m.body) + c, m.sign * component(x, k));
    }
    for (int link : rigid_group.links) {
      if (system.fx_column(link) < 0) continue;
      for (int c = 0; c < 6; ++c) {
        const Force<double> x = to_child(m.in_leading, to_parent(system.link_in_leading(link), unit_force<double>(c)));
        sink.entry(row, system.fx_column(link) + c, -m.sign * component(x, k));
      }
    }
  }

  /// What is known of f: v ×* I v less the known external wrenches; for links fixed to the world their weight instead.
  template <class S>
  static Force<S> rigid_group_bias(const System& system, const Measurement& m, const S* y, const SystemWorkspace<S>& work) {
    const RigidGroup& rigid_group = system.rigid_groups()[m.rigid_group];
    Force<S> bias;
    if (m.body < 0)
      bias = cast<S>(rigid_group.inertia * Motion<double>{zero3<double>(), -system.model().gravity});
    else
      bias = velocity_wrench(cast<Constant<S>>(rigid_group.inertia), work.v[m.body]);
    for (const KnownWrench& known : system.known_wrenches())
      for (int link : rigid_group.links)
        if (known.link == link)
          bias = bias - to_parent(cast<Constant<S>>(system.link_in_leading(link)),
                                  known_wrench(system.measurements()[known.measurement], y));
    return bias;
  }
};

}  // namespace sparsedyn::sensors
