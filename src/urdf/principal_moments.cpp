#include "principal_moments.hpp"

#include <Eigen/Eigenvalues>
#include <cstdio>

namespace sparsedyn::urdf {

Vec3<double> principal_moments(const Sym3<double>& I) {
  Eigen::Matrix3d tensor;
  tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::Vector3d p = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor, Eigen::EigenvaluesOnly).eigenvalues();
  return {{p[0], p[1], p[2]}};
}

std::string text_of(const Vec3<double>& moments) {
  char text[80];
  std::snprintf(text, sizeof text, "%.6g, %.6g, %.6g", moments[0], moments[1], moments[2]);
  return text;
}

}  // namespace sparsedyn::urdf
