#include "sparsedyn/spatial/spatial.hpp"

namespace sparsedyn {

Inertia<double> inertia_about_com(double mass, const Vec3<double>& com, const Sym3<double>& tensor) {
  const double half_trace = 0.5 * (tensor.xx + tensor.yy + tensor.zz);
  const Inertia<double> at_com{
      mass,
      zero3<double>(),
      {half_trace - tensor.xx, -tensor.xy, -tensor.xz, half_trace - tensor.yy, -tensor.yz, half_trace - tensor.zz}};
  return shifted(at_com, com);
}

}  // namespace sparsedyn
