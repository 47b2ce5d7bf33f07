// Motions about the world's origin, and numbers with their change: what derivatives of rows are made of.
#pragma once

#include "constraints/impedance.hpp"
#include "sparsedyn/scalar/autodiff.hpp"
#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

inline const Motion<double> at_rest{zero3<double>(), zero3<double>()};

inline Motion<double> scaled(double x, const Motion<double>& m) { return {x * m.w, x * m.v}; }
inline Force<double> opposite(const Force<double>& x) { return {-x.n, -x.f}; }
/// Of the body's point that is at p.
inline Vec3<double> speed_at(const Vec3<double>& p, const Motion<double>& m) { return m.v + cross(m.w, p); }

/// Whether a loop's error is zero but for rounding where d(|φ|) has a kink, by the power 1: d'(|φ|) has no direction there.
inline bool at_kink(const SolverImpedance& impedance, double size) { return impedance[4] <= 1 && size < 1e-9 * impedance[2]; }
/// ∂ ln D/∂r of D = d/((1 − d) w).
inline double stiffening(const SolverImpedance& impedance, double r) {
  const double d = impedance_at(impedance, r);
  return impedance_slope(impedance, r) / (d * (1 - d));
}
/// ∂(d r)/∂r.
inline double pull_slope(const SolverImpedance& impedance, double r) {
  return impedance_at(impedance, r) + impedance_slope(impedance, r) * r;
}

using Moved = Dual<double, 1>;  // a number and its change

inline Vec3<Moved> moved(const Vec3<double>& x, const Vec3<double>& dx) {
  Vec3<Moved> y;
  for (int k = 0; k < 3; ++k) y[k] = Moved(x[k], {dx[k]});
  return y;
}
inline Motion<Moved> moved(const Motion<double>& x, const Motion<double>& dx) { return {moved(x.w, dx.w), moved(x.v, dx.v)}; }

}  // namespace sparsedyn
