// A body's ten numbers as its pseudo-inertia P = [Σ h; hᵀ m], Σ = ½ tr(I) 1 − I: positive definite where mass is distributed
// somewhere (Wensing, Kim & Slotine 2018).
#pragma once

#include <Eigen/Core>
#include <array>

namespace sparsedyn {

/// P is linear in the ten numbers; entry k of the basis is ∂P/∂p_k.
inline const std::array<Eigen::Matrix4d, 10>& pseudo_inertia_basis() {
  static const std::array<Eigen::Matrix4d, 10> basis = [] {
    std::array<Eigen::Matrix4d, 10> b;
    for (Eigen::Matrix4d& each : b) each.setZero();
    b[0](3, 3) = 1;
    for (int k = 0; k < 3; ++k) b[1 + k](3, k) = b[1 + k](k, 3) = 1;
    const int row[6] = {0, 0, 1, 0, 1, 2}, column[6] = {0, 1, 1, 2, 2, 2};
    for (int k = 0; k < 6; ++k) {
      Eigen::Matrix4d& P = b[4 + k];
      const int r = row[k], c = column[k];
      if (r == c) {
        P.diagonal().head<3>().setConstant(0.5);
        P(r, r) = -0.5;
      } else {
        P(r, c) = P(c, r) = -1;
      }
    }
    return b;
  }();
  return basis;
}

inline Eigen::Matrix4d pseudo_inertia(const double* ten) {
  Eigen::Matrix4d P = Eigen::Matrix4d::Zero();
  for (int k = 0; k < 10; ++k) P += ten[k] * pseudo_inertia_basis()[static_cast<std::size_t>(k)];
  return P;
}

/// The ten numbers of a pseudo-inertia: I = tr Σ 1 − Σ.
inline Eigen::Matrix<double, 10, 1> ten_of(const Eigen::Matrix4d& P) {
  const double trace = P(0, 0) + P(1, 1) + P(2, 2);
  Eigen::Matrix<double, 10, 1> ten;
  ten << P(3, 3), P(0, 3), P(1, 3), P(2, 3), trace - P(0, 0), -P(0, 1), trace - P(1, 1), -P(0, 2), -P(1, 2), trace - P(2, 2);
  return ten;
}

}  // namespace sparsedyn
