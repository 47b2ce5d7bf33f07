#include "shared_out.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "dense/symmetric.hpp"
#include "identification/pseudo_inertia.hpp"
#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;

std::array<double, 10> array_of(const Matrix4d& P) {
  const Eigen::Matrix<double, 10, 1> ten = ten_of(P);
  std::array<double, 10> numbers;
  std::copy_n(ten.data(), 10, numbers.begin());
  return numbers;
}

/// Central second moments per kg.
struct Spread {
  explicit Spread(const Matrix4d& P) : mass(P(3, 3)), centre(P.topRightCorner<3, 1>() / mass) {
    moments = P.topLeftCorner<3, 3>() / mass - centre * centre.transpose();
  }
  double mass;
  Vector3d centre;
  Matrix3d moments;
};

/// f(S) of a symmetric matrix, by its eigenvalues.
template <class F>
Matrix3d by_eigenvalues(const Matrix3d& S, F f) {
  const dense_algebra::SymmetricEigen eigen = dense_algebra::symmetric_eigen(S);
  Vector3d changed;
  for (int k = 0; k < 3; ++k) changed[k] = f(eigen.values[k]);
  return eigen.vectors * changed.asDiagonal() * eigen.vectors.transpose();
}
double root(double x) { return std::sqrt(std::max(x, 0.0)); }

/// The others keep their shape, and of their numbers the largest ratio 2^-k that leaves the leading link possible.
SharedOut scaled_down(const std::vector<Matrix4d>& parts, const Matrix4d& whole) {
  Matrix4d sum = Matrix4d::Zero();
  for (const Matrix4d& part : parts) sum += part;
  double ratio = 1;
  for (int k = 0; k < 60; ++k, ratio *= 0.5)
    if (whole(3, 3) > ratio * sum(3, 3) && consistency(array_of(whole - ratio * sum).data()) > 0) break;
  SharedOut shared{array_of(whole - ratio * sum), {}};
  for (const Matrix4d& part : parts) shared.parts.push_back(array_of(ratio * part));
  return shared;
}

}  // namespace

SharedOut shared_out(const double* before, const std::vector<std::array<double, 10>>& parts, const double* whole) {
  const Matrix4d old = pseudo_inertia(before), fitted = pseudo_inertia(whole);
  std::vector<Matrix4d> others;
  for (const std::array<double, 10>& part : parts) others.push_back(pseudo_inertia(part.data()));
  if (!(old(3, 3) > 0)) return scaled_down(others, fitted);
  const Spread was(old), is(fitted);
  const double size = is.moments.trace() + was.moments.trace();
  Matrix3d spread = was.moments;
  const double least = dense_algebra::symmetric_eigenvalues(spread)[0];
  if (!(least > -1e-9 * size)) return scaled_down(others, fitted);
  if (least < 1e-9 * size) spread += 1e-7 * size * Matrix3d::Identity();  // the leading link's, which takes the rest
  const Matrix3d half = by_eigenvalues(is.moments, root);
  const Matrix3d A = half * by_eigenvalues(half * spread * half, [](double x) { return 1 / std::sqrt(x); }) * half;
  Matrix4d T = Matrix4d::Identity();
  T.topLeftCorner<3, 3>() = A;
  T.topRightCorner<3, 1>() = is.centre - A * was.centre;
  T *= std::sqrt(is.mass / was.mass);
  SharedOut shared;
  Matrix4d rest = fitted;
  for (const Matrix4d& part : others) {
    const Matrix4d moved = T * part * T.transpose();
    rest -= moved;
    shared.parts.push_back(array_of(moved));
  }
  shared.leading = array_of(rest);
  return shared;
}

}  // namespace sparsedyn
