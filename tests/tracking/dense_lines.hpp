// A dense least-squares problem over all samples of a log, line by line, and derivatives by differences: what filters and
// smoothers are compared with.
#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

namespace sparsedyn::test {

/// Errors as functions of the problem's unknowns u: M u + c.
struct AffineErrors {
  Eigen::MatrixXd M;
  Eigen::VectorXd c;
};

/// A problem writes its lines and its errors, and is solved once.
class DenseLines {
 public:
  // of each of the errors
  std::vector<Eigen::VectorXd> mean;
  std::vector<Eigen::MatrixXd> covariance;
  double surprise = 0;  // −2 log of the readings' likelihood: least squares + log det of the information − of the priors' alone

 protected:
  /// hᵀ (M u + c) = z with noise of deviation sigma.
  void line(const Eigen::VectorXd& h, const AffineErrors& e, double z, double sigma) {
    lines_.emplace_back(h.transpose() * e.M / sigma, (z - h.dot(e.c)) / sigma);
    surprise += 2 * std::log(sigma);
  }
  /// One unknown is z, with such noise.
  void line_of(Eigen::Index unknown, double z, double sigma) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(size_);
    row[unknown] = 1 / sigma;
    lines_.emplace_back(row, z / sigma);
    surprise += 2 * std::log(sigma);
  }
  void solve() {
    Eigen::MatrixXd A(static_cast<Eigen::Index>(lines_.size()), size_);
    Eigen::VectorXd b(A.rows());
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      A.row(i) = lines_[static_cast<std::size_t>(i)].first, b[i] = lines_[static_cast<std::size_t>(i)].second;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(A);
    const Eigen::VectorXd u = qr.solve(b);
    surprise += (A * u - b).squaredNorm() + 2 * qr.matrixQR().diagonal().cwiseAbs().array().log().sum();
    const Eigen::MatrixXd R = qr.matrixQR().topRows(size_).triangularView<Eigen::Upper>();
    for (const AffineErrors& e : errors_) {
      mean.push_back(e.M * u + e.c);
      const Eigen::MatrixXd half = R.transpose().triangularView<Eigen::Lower>().solve(e.M.transpose());
      covariance.push_back(half.transpose() * half);
    }
  }

  Eigen::Index size_ = 0;  // how many unknowns
  std::vector<AffineErrors> errors_;

 private:
  std::vector<std::pair<Eigen::RowVectorXd, double>> lines_;
};

/// Of f (n numbers → m): its derivative at 0 by six points.
template <class F>
Eigen::MatrixXd derivative_by_six(int n, int m, const F& f) {
  constexpr double h = 1e-2;
  Eigen::MatrixXd D(m, n);
  std::vector<double> x(static_cast<std::size_t>(n), 0.0);
  const auto at = [&](int k, double s) -> Eigen::VectorXd {
    x[static_cast<std::size_t>(k)] = s;
    const Eigen::VectorXd value = f(x.data());
    x[static_cast<std::size_t>(k)] = 0;
    return value;
  };
  for (int k = 0; k < n; ++k)
    D.col(k) = (45 * (at(k, h) - at(k, -h)) - 9 * (at(k, 2 * h) - at(k, -2 * h)) + (at(k, 3 * h) - at(k, -3 * h))) / (60 * h);
  return D;
}

}  // namespace sparsedyn::test
