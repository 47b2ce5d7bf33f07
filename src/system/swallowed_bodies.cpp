#include "swallowed_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "model/minimal_tree.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {
namespace {

constexpr double least_share = 1e-10;

/// At most the least principal moment about the centre of mass: det J = λ₁ λ₂ λ₃, and λ₂ λ₃ ≤ (tr J / 2)².
double least_moment(const Inertia<double>& I) {
  if (!(I.m > 0)) return 0;
  const Sym3<double>& s = I.moments;
  const Vec3<double>& h = I.h;
  // S = Σ m r rᵀ about the centre of mass, J = tr(S) 1 − S
  const double xx = s.xx - h[0] * h[0] / I.m, yy = s.yy - h[1] * h[1] / I.m, zz = s.zz - h[2] * h[2] / I.m;
  const double xy = s.xy - h[0] * h[1] / I.m, xz = s.xz - h[0] * h[2] / I.m, yz = s.yz - h[1] * h[2] / I.m;
  const double x = yy + zz, y = xx + zz, z = xx + yy, half_trace = xx + yy + zz;
  const double determinant = x * (y * z - yz * yz) - xy * (xy * z + yz * xz) - xz * (xy * yz + y * xz);
  return half_trace > 0 ? std::max(0.0, determinant / (half_trace * half_trace)) : 0;
}

/// What the numbers of an inertia are at most.
double largest_second_moment(const Inertia<double>& I) {
  double largest = 0;
  for (double x : {I.moments.xx, I.moments.xy, I.moments.xz, I.moments.yy, I.moments.yz, I.moments.zz})
    largest = std::max(largest, std::fabs(x));
  return largest;
}

bool swallows(const Inertia<double>& sum, const Inertia<double>& own) {
  const double moment = least_moment(own), first = std::sqrt(dot(sum.h, sum.h));
  return own.m < least_share * std::fabs(sum.m) || moment < least_share * largest_second_moment(sum) ||
         std::sqrt(own.m * moment) < least_share * first;
}

}  // namespace

bool swallows_bodies(const Model& model, const Formulation& formulation) {
  if (formulation.joint_space) return true;
  if (!formulation.canonical) return false;
  const Model& tree = model.tree();
  const MinimalTree canonical = minimal_tree(tree);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    if (swallows(canonical.bodies[i].inertia, tree.bodies[i].inertia)) return true;
  return false;
}

}  // namespace sparsedyn
