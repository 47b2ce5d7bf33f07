// Sums over the moving mass m, in the world's axes, with the wrench that a link's motion takes, w_i = I_i a_i + v_i ×* I_i v_i
// (a proper, so the weight is in it), its parts turned into the world as n_i and f_i, and p_i the origin's place:
//   com_acceleration   (1/m) Σ f_i + g = y
//   momentum_rate      Σ f_i + m g = y_f,   Σ n_i + (p_i − c) × f_i = y_n   about the centre of mass c (weight has no moment
//   there)
#pragma once

#include "sparsedyn/system/sensors/spatial_rows.hpp"
#include "sparsedyn/system/velocity_wrench.hpp"

namespace sparsedyn::sensors {

inline double moving_mass(const System& system) {
  double mass = 0;
  for (const BodyTerms& t : system.terms()) mass += t.inertia.m;
  return mass;
}

/// Place of the moving mass's centre in the world.
template <class S>
Vec3<S> centre_of_mass(const System& system, const SystemWorkspace<S>& work) {
  Vec3<S> sum = zero3<S>();
  for (std::size_t b = 0; b < system.terms().size(); ++b) {
    const Inertia<Constant<S>> I = cast<Constant<S>>(system.terms()[b].inertia);
    sum = sum + work.world[b].R * I.h + I.m * work.world[b].d;
  }
  return Constant<S>(1.0 / moving_mass(system)) * sum;
}

/// Rows of Σ world* (I a) against every body's acceleration, with moments about `centre`; `row_of`: the row of each of the six
/// components, or -1. Takes v ×* I v and the weight off the right-hand side. All is multiplied by `factor`.
template <class S, class Sink>
void momentum_rows(const System& system, const SystemWorkspace<S>& work, const Vec3<S>& centre, double factor,
                   const std::array<int, 6>& row_of, S* rhs, Sink& sink) {
  const auto into_world = [&](std::size_t b, const auto& wrench) {
    return to_parent(Pose<S>{work.world[b].R, work.world[b].d - centre}, wrench);
  };
  for (std::size_t b = 0; b < system.terms().size(); ++b) {
    const BodyTerms& t = system.terms()[b];
    if (t.massless) continue;
    for (int c = 0; c < 6; ++c) {
      const Force<S> x = into_world(b, cast<Constant<S>>(t.inertia * unit_motion(c)));
      for (int k = 0; k < 6; ++k)
        if (row_of[k] >= 0) sink.entry(row_of[k], t.acc + c, Constant<S>(factor) * component(x, k));
    }
    const Force<S> bias = into_world(b, velocity_wrench(cast<Constant<S>>(t.inertia), work.v[b]));
    for (int k = 0; k < 6; ++k)
      if (row_of[k] >= 0) rhs[row_of[k]] -= Constant<S>(factor) * component(bias, k);
  }
  for (int k = 3; k < 6; ++k)
    if (row_of[k] >= 0) rhs[row_of[k]] -= S(factor * moving_mass(system) * system.model().gravity[k - 3]);
}

struct ComAcceleration : NoConstants {
  static constexpr SensorKind kind = SensorKind::com_acceleration;
  static SensorType type() {
    SensorType t{kind, "com_acceleration", SensorTarget::robot, xyz_components(), ""};
    t.varies = t.needs_world = true;
    return t;
  }
  template <class S, class Sink>
  static void rows(const System& system, const Measurement& m, const S*, const SystemWorkspace<S>& work, S* rhs, Sink& sink) {
    momentum_rows(system, work, zero3<S>(), 1.0 / moving_mass(system), rows_by_place(m, linear), rhs, sink);
  }
};

struct MomentumRate : NoConstants {
  static constexpr SensorKind kind = SensorKind::momentum_rate;
  static SensorType type() {
    SensorType t{kind, "momentum_rate", SensorTarget::robot, wrench_components(), ""};
    t.varies = t.needs_world = true;
    return t;
  }
  template <class S, class Sink>
  static void rows(const System& system, const Measurement& m, const S*, const SystemWorkspace<S>& work, S* rhs, Sink& sink) {
    momentum_rows(system, work, centre_of_mass(system, work), 1.0, rows_by_place(m, six), rhs, sink);
  }
};

}  // namespace sparsedyn::sensors
