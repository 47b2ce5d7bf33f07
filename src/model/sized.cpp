#include "sized.hpp"

#include <algorithm>

namespace sparsedyn {
namespace {

constexpr double kOfTrace = 0.1;  // of a second moment on the diagonal, beside the trace

Sized beside(double x, double size) { return Sized::of(x, std::max(std::fabs(x), size)); }

}  // namespace

Inertia<double> rounded(const Inertia<Sized>& I) {
  const auto like = [](const Sized& x, const Sized& other, double as) { return vanishes(x - other) ? as : rounded(x); };
  const Sym3<Sized>& s = I.moments;
  const double xx = rounded(s.xx), yy = like(s.yy, s.xx, xx), zz = like(s.zz, s.xx, like(s.zz, s.yy, yy));
  return {rounded(I.m), rounded(I.h), {xx, rounded(s.xy), rounded(s.xz), yy, rounded(s.yz), zz}};
}

Pose<double> rounded(const Pose<long double>& p) {
  Pose<double> x;
  for (int i = 0; i < 3; ++i) {
    x.d[i] = static_cast<double>(p.d[i]);
    for (int k = 0; k < 3; ++k) x.R(i, k) = static_cast<double>(p.R(i, k));
  }
  return x;
}

Pose<Sized> sized(const Pose<double>& p) {
  const double length = std::sqrt(dot(p.d, p.d));
  Pose<Sized> x;
  for (int i = 0; i < 3; ++i) {
    x.d[i] = beside(p.d[i], length);
    for (int k = 0; k < 3; ++k) x.R(i, k) = beside(p.R(i, k), 1);
  }
  return x;
}

Inertia<Sized> sized(const Inertia<double>& I) {
  const Sym3<double>& s = I.moments;
  const double trace = std::fabs(s.xx + s.yy + s.zz), m = std::fabs(I.m);
  const double x = std::sqrt(std::fabs(s.xx)), y = std::sqrt(std::fabs(s.yy)), z = std::sqrt(std::fabs(s.zz));
  const double mass = std::sqrt(m);
  return {I.m,
          {{beside(I.h[0], mass * x), beside(I.h[1], mass * y), beside(I.h[2], mass * z)}},
          {beside(s.xx, kOfTrace * trace), beside(s.xy, x * y), beside(s.xz, x * z), beside(s.yy, kOfTrace * trace),
           beside(s.yz, y * z), beside(s.zz, kOfTrace * trace)}};
}

}  // namespace sparsedyn
