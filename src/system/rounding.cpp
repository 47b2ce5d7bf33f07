#include "rounding.hpp"

#include <algorithm>
#include <cmath>

namespace sparsedyn {
namespace {

constexpr double rounding = 1e-15;

}  // namespace

double largest_length(const Model& model) {
  double squares = 0;
  for (const Body& b : model.tree().bodies) squares = std::max(squares, dot(b.placement.d, b.placement.d));
  for (const Link& l : model.links) squares = std::max(squares, dot(l.pose.d, l.pose.d));
  return std::sqrt(squares);
}

Pose<double> without_rounding(Pose<double> p, double largest) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      if (std::abs(p.R(r, c)) < rounding) p.R(r, c) = 0.0;
    if (std::abs(p.d[r]) < 4 * rounding * largest) p.d[r] = 0.0;
  }
  return p;
}

Inertia<double> without_rounding(Inertia<double> I) {
  const double moments = I.moments.xx + I.moments.yy + I.moments.zz, first = std::sqrt(std::abs(I.m * moments));
  for (double* s : {&I.moments.xy, &I.moments.xz, &I.moments.yz})
    if (std::abs(*s) < rounding * moments) *s = 0.0;
  for (int k = 0; k < 3; ++k)
    if (std::abs(I.h[k]) < rounding * first) I.h[k] = 0.0;
  return I;
}

bool is_identity(const Mat3<double>& R) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (R(r, c) != (r == c ? 1.0 : 0.0)) return false;
  return true;
}

}  // namespace sparsedyn
