// Units of a robot's own: what counts as one where a number has no other to stand beside, as at rest.
#pragma once

#include <algorithm>
#include <cmath>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// For robots of a metre and a kilogram, or more, those of the SI. Of a smaller one the length is the longest step from joint
/// to joint or to a centre of mass, or radius of gyration; the mass is that of its heaviest body. Seconds are seconds.
struct NaturalUnits {
  double length = 1, mass = 1;

  // What is of order one of each quantity, per s² where it moves.
  double acceleration() const { return length; }                           // m/s²
  double force() const { return std::min(1.0, mass * length); }            // N
  double moment() const { return std::min(1.0, mass * length * length); }  // N m
};

/// O(bodies); no heap.
inline NaturalUnits natural_units(const Model& model) noexcept {
  NaturalUnits units{0, 0};
  for (const Body& body : model.tree().bodies) {
    const Inertia<double>& I = body.inertia;
    const Vec3<double>&d = body.placement.d, &h = I.h;
    units.mass = std::max(units.mass, I.m);
    units.length = std::max(units.length, std::sqrt(dot(d, d)));
    if (!(I.m > 0)) continue;
    const double spread = std::max(0.0, I.moments.xx + I.moments.yy + I.moments.zz);  // twice that about its frame, m r²
    units.length = std::max({units.length, std::sqrt(dot(h, h)) / I.m, std::sqrt(spread / (2 * I.m))});
  }
  units.length = units.length > 0 ? std::min(1.0, units.length) : 1;
  units.mass = units.mass > 0 ? std::min(1.0, units.mass) : 1;
  return units;
}

}  // namespace sparsedyn
