#include <algorithm>

#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {
namespace {

/// Σ_xx = (I_yy + I_zz − I_xx)/2 from I_xx and the two others. The larger of these comes first: beside it I_xx cancels without
/// rounding, and a rod keeps all digits of the small moment about its axis, I_xx = Σ_yy + Σ_zz.
double second_moment(double about, double one, double other) {
  return 0.5 * (std::min(one, other) + (std::max(one, other) - about));
}

}  // namespace

Inertia<double> inertia_about_com(double mass, const Vec3<double>& com, const Sym3<double>& tensor) {
  const Sym3<double>& I = tensor;
  const Inertia<double> at_com{
      mass,
      zero3<double>(),
      {second_moment(I.xx, I.yy, I.zz), -I.xy, -I.xz, second_moment(I.yy, I.zz, I.xx), -I.yz, second_moment(I.zz, I.xx, I.yy)}};
  return shifted(at_com, com);
}

}  // namespace sparsedyn
