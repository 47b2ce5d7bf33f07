// Finders of contacts between links: spheres on both, or a sphere on the first and a plane on the second.
#pragma once

#include <cmath>

#include "sparsedyn/constraints/constraint_set.hpp"

namespace sparsedyn::test {

inline Mat3<double> across(const Vec3<double>& a) { return {{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}}; }

/// Centres in the links' frames.
inline ContactFinder between_spheres(const Vec3<double>& one, double one_radius, const Vec3<double>& other,
                                     double other_radius) {
  return [=](const double*, const Pose<double>& first, const Pose<double>& second, ContactPoint* points) {
    const Vec3<double> far = second.R * other + second.d, apart = first.R * one + first.d - far;
    const double distance = std::sqrt(dot(apart, apart));
    ContactPoint& p = points[0];
    p.there = true, p.normal = (1 / distance) * apart, p.gap = distance - one_radius - other_radius;
    const double reach = other_radius + 0.5 * p.gap;
    p.point = far + reach * p.normal;
    // the first's centre c moves past the second's by shift + turn × (c − point): n by (1 − n nᵀ)/distance of that, the point
    // by reach times as much, and by half of how the gap grows
    const Mat3<double> by_turn = across(-(one_radius + 0.5 * p.gap) * p.normal);
    Mat3<double> along{}, beside = identity3<double>();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        along(r, c) = p.normal[r] * p.normal[c], beside(r, c) = (beside(r, c) - along(r, c)) / distance;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        p.normal_by_shift(r, c) = beside(r, c), p.point_by_shift(r, c) = reach * beside(r, c) + 0.5 * along(r, c);
    p.normal_by_turn = p.normal_by_shift * by_turn, p.point_by_turn = p.point_by_shift * by_turn;
    p.follows = true;
  };
}

/// Plane: a point and the unit normal, in the second link's frame.
inline ContactFinder sphere_on_plane(const Vec3<double>& one, double radius, const Vec3<double>& on,
                                     const Vec3<double>& normal) {
  return [=](const double*, const Pose<double>& first, const Pose<double>& second, ContactPoint* points) {
    const Vec3<double> centre = first.R * one + first.d;
    ContactPoint& p = points[0];
    p.there = true, p.normal = second.R * normal;
    p.gap = dot(p.normal, centre - (second.R * on + second.d)) - radius;
    p.point = centre - (radius + 0.5 * p.gap) * p.normal;
    p.point_by_shift = identity3<double>();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) p.point_by_shift(r, c) -= 0.5 * p.normal[r] * p.normal[c];
    p.point_by_turn = across(-(radius + 0.5 * p.gap) * p.normal);
    p.follows = true;
  };
}

}  // namespace sparsedyn::test
