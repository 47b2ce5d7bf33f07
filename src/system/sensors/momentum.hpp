// Sums over the moving mass m, in the world's axes, with the wrench that a link's motion takes, w_i = I_i a_i + v_i ×* I_i v_i
// (a proper, so the weight is in it), its parts turned into the world as n_i and f_i, and p_i the origin's place:
//   com_acceleration   (1/m) Σ f_i + g = y
//   momentum_rate      Σ f_i + m g = y_f,   Σ n_i + (p_i − c) × f_i = y_n   about the centre of mass c, where weight has no
//                      moment
#pragma once

#include <algorithm>
#include <type_traits>

#include "sparsedyn/model/detail/robot_numbers.hpp"
#include "sparsedyn/spatial/detail/velocity_wrench.hpp"
#include "system/sensors/spatial_rows.hpp"

namespace sparsedyn::sensors {

inline double moving_mass(const System& system) {
  double mass = 0;
  for (const BodyTerms& t : system.terms()) mass += t.inertia.m;
  return mass;
}

/// A number made of masses: a constant, unless the scalar records and masses may be inputs.
template <class S>
using MassNumber = std::conditional_t<RobotNumbers<S>::may_vary, S, Constant<S>>;

/// Whether a body's mass is an input.
template <class S>
bool mass_varies(const System& system) {
  const std::vector<BodyTerms>& terms = system.terms();
  return std::any_of(terms.begin(), terms.end(), [](const BodyTerms& t) { return RobotNumbers<S>::varies(t.inertia.m); });
}

template <class S>
MassNumber<S> moving_mass_in(const System& system) {
  if constexpr (RobotNumbers<S>::may_vary)
    if (mass_varies<S>(system)) {
      S mass(0.0);
      for (const BodyTerms& t : system.terms()) mass += RobotNumbers<S>::of(t.inertia.m);
      return mass;
    }
  return MassNumber<S>(moving_mass(system));
}

template <class S>
MassNumber<S> inverse_mass_in(const System& system) {
  if constexpr (RobotNumbers<S>::may_vary)
    if (mass_varies<S>(system)) return S(1.0) / moving_mass_in<S>(system);
  return MassNumber<S>(1.0 / moving_mass(system));
}

/// use(I e_c), the wrench that a body's unit acceleration takes.
template <class S, class Use>
void with_unit_wrench(const Inertia<double>& I, int c, const Use& use) {
  if constexpr (RobotNumbers<S>::may_vary)
    if (varies<S>(I)) return use(inertia_in<S>(I) * cast<S>(unit_motion(c)));
  use(cast<Constant<S>>(I * unit_motion(c)));
}

/// Place of the moving mass's centre in the world; its origin where no mass moves: a moment without a force is the same there.
template <class S>
Vec3<S> centre_of_mass(const System& system, const SystemWorkspace<S>& work) {
  Vec3<S> sum = zero3<S>();
  if (!(moving_mass(system) > 0)) return sum;
  for (std::size_t b = 0; b < system.terms().size(); ++b) {
    with_inertia<S>(system.terms()[b].inertia,
                    [&](const auto& I) { sum = sum + work.world[b].R * I.h + I.m * work.world[b].d; });
  }
  return inverse_mass_in<S>(system) * sum;
}

/// Rows of Σ world* (I a) against every body's acceleration, with moments about `centre`; `row_of`: the row of each of the six
/// components, or -1. Takes v ×* I v and the weight off the right-hand side. All is multiplied by `factor`.
template <class S, class Sink>
void momentum_rows(const System& system, const SystemWorkspace<S>& work, const Vec3<S>& centre, const MassNumber<S>& factor,
                   const MassNumber<S>& mass, const std::array<int, 6>& row_of, S* rhs, Sink& sink) {
  const auto into_world = [&](std::size_t b, const auto& wrench) {
    return to_parent(Pose<S>{work.world[b].R, work.world[b].d - centre}, wrench);
  };
  for (std::size_t b = 0; b < system.terms().size(); ++b) {
    const BodyTerms& t = system.terms()[b];
    if (t.massless) continue;
    for (int c = 0; c < 6; ++c) {
      Force<S> x{zero3<S>(), zero3<S>()};
      with_unit_wrench<S>(t.inertia, c, [&](const auto& wrench) { x = into_world(b, wrench); });
      for (int k = 0; k < 6; ++k)
        if (row_of[k] >= 0) sink.entry(row_of[k], t.acc + c, factor * component(x, k));
    }
    const Force<S> bias =
        into_world(b, with_inertia<S>(t.inertia, [&](const auto& I) { return velocity_wrench(I, work.v[b]); }));
    for (int k = 0; k < 6; ++k)
      if (row_of[k] >= 0) rhs[row_of[k]] -= factor * component(bias, k);
  }
  for (int k = 3; k < 6; ++k)
    if (row_of[k] >= 0) rhs[row_of[k]] -= S(mass * Constant<S>(system.model().gravity[k - 3]));
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
    const MassNumber<S> inverse = inverse_mass_in<S>(system);
    const MassNumber<S> one = mass_varies<S>(system) ? MassNumber<S>(1.0) : inverse * moving_mass_in<S>(system);
    momentum_rows(system, work, zero3<S>(), inverse, one, rows_by_place(m, linear), rhs, sink);
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
    momentum_rows(system, work, centre_of_mass(system, work), MassNumber<S>(1.0), moving_mass_in<S>(system),
                  rows_by_place(m, six), rhs, sink);
  }
};

}  // namespace sparsedyn::sensors
