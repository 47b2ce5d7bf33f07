#include "sparsedyn/runtime/sensor_offsets.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace sparsedyn {
namespace {

/// Directions of b that hold less than this share of the best known one's information are not known.
constexpr double no_information = 1e-10;

}  // namespace

SensorOffsets::SensorOffsets(Estimator& estimator) : estimator_(estimator) {
  const System& system = estimator.system();
  for (const Measurement& m : system.measurements())
    if (system.sensors().sensors[m.sensor].bias)
      for (int k = 0; k < m.rows(); ++k)
        if (m.sigma[k] > 0) rows_.push_back(m.first_row + k), names_.push_back(system.equation_names()[m.first_row + k]);
  const std::size_t n = rows_.size();
  unit_.resize(system.pattern().rows), residual_.resize(system.pattern().rows);
  information_.assign(n * n, 0.0), moment_.assign(n, 0.0);
}

void SensorOffsets::add() noexcept {
  const std::size_t n = rows_.size();
  for (std::size_t k = 0; k < n; ++k) {
    const int row = rows_[k];
    moment_[k] += estimator_.weight(row) * estimator_.residual(row);
    unit_[row] = 1.0;
    estimator_.project(unit_.data(), residual_.data());
    unit_[row] = 0.0;
    for (std::size_t l = 0; l < n; ++l) information_[l * n + k] += estimator_.weight(rows_[l]) * residual_[rows_[l]];
  }
}

SensorOffsets::Result SensorOffsets::result() const {
  const Eigen::Index n = static_cast<Eigen::Index>(rows_.size());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Result result{std::vector<double>(rows_.size(), nan), std::vector<double>(rows_.size(), nan),
                std::vector<char>(rows_.size(), 0)};
  if (n == 0) return result;
  const Eigen::Map<const Eigen::MatrixXd> A(information_.data(), n, n);
  const Eigen::VectorXd scale = A.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * (0.5 * (A + A.transpose())) * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  const double least = no_information * eigen.eigenvalues()[n - 1];
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(n), open = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (eigen.eigenvalues()[i] > least)
      inverse[i] = 1 / eigen.eigenvalues()[i];
    else
      open += eigen.eigenvectors().col(i).cwiseAbs();
  }
  const Eigen::MatrixXd covariance =
      scale.asDiagonal() * eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose() * scale.asDiagonal();
  const Eigen::VectorXd b = covariance * Eigen::Map<const Eigen::VectorXd>(moment_.data(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    if (open[k] > 1e-6) continue;
    result.determined[k] = 1, result.value[k] = b[k], result.standard_deviation[k] = std::sqrt(covariance(k, k));
  }
  return result;
}

}  // namespace sparsedyn
