// The contact-aided invariant extended Kalman filter of Hartley, Ghaffari, Eustice & Grizzle (IJRR 2020) with offsets, written
// anew: the state (R, v, p, d_1 … d_m) as one matrix of SE_{2+m}(3), errors from the right-invariant group error, offsets
// beside.
#pragma once

#include <Eigen/Dense>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

namespace sparsedyn::test {

class InvariantFilter {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  using Vector3 = Eigen::Vector3d;

  /// X: 5 + m square, [R v p d …; 0 1]. P: of (θ, v, p, d …, b_g, b_a).
  InvariantFilter(const Matrix& X0, const Matrix& P0, const Vector3& bg, const Vector3& ba)
      : X(X0), P(P0), gyroscope_offset(bg), accelerometer_offset(ba), feet_(static_cast<int>(X0.rows()) - 5) {}

  static Eigen::Matrix3d cross(const Vector3& a) {
    Eigen::Matrix3d A;
    A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
    return A;
  }

  /// Over dt by readings of deviation sigma_g, sigma_a; foothold: variances (m²) that the interval adds, by foot.
  void propagate(const Vector3& gyroscope, const Vector3& accelerometer, double dt, double sigma_g, double sigma_a,
                 double place, double walk_g, double walk_a, const std::vector<double>& foothold) {
    const Vector3 w = gyroscope - gyroscope_offset, a = accelerometer - accelerometer_offset, g(0, 0, -9.81);
    const int n = static_cast<int>(P.rows()), bg = n - 6, ba = n - 3;
    const Eigen::Matrix3d R = X.topLeftCorner<3, 3>();
    Matrix A = Matrix::Zero(n, n), D = Matrix::Zero(n, 6);  // ė = A e + D (n_g, n_a)
    A.block<3, 3>(3, 0) = cross(g), A.block<3, 3>(6, 3).setIdentity();
    A.block<3, 3>(0, bg) = -R, A.block<3, 3>(3, ba) = -R;
    for (int k = 0; k < 2 + feet_; ++k) A.block<3, 3>(3 + 3 * k, bg) = -cross(X.block<3, 1>(0, 3 + k)) * R;
    D.leftCols(3) = A.middleCols(bg, 3), D.rightCols(3) = A.middleCols(ba, 3);
    const Matrix Phi = Matrix(A * dt).exp();
    Matrix Q = sigma_g * sigma_g * dt * dt * D.leftCols(3) * D.leftCols(3).transpose() +
               sigma_a * sigma_a * dt * dt * D.rightCols(3) * D.rightCols(3).transpose();
    for (int k = 0; k < 3; ++k) {
      Q(6 + k, 6 + k) += place * place;
      Q(bg + k, bg + k) += walk_g * walk_g * dt, Q(ba + k, ba + k) += walk_a * walk_a * dt;
      for (int f = 0; f < feet_; ++f) Q(9 + 3 * f + k, 9 + 3 * f + k) += foothold[static_cast<std::size_t>(f)];
    }
    P = Phi * P * Phi.transpose() + Phi * Q * Phi.transpose();
    const Eigen::Matrix3d W = cross(w) * dt;
    const Eigen::Matrix3d mean1 = Eigen::Matrix3d::Identity() + W / 2 + W * W / 6 + W * W * W / 24;
    const Eigen::Matrix3d mean2 = Eigen::Matrix3d::Identity() / 2 + W / 6 + W * W / 24 + W * W * W / 120;
    const Vector3 v = X.block<3, 1>(0, 3);
    X.block<3, 1>(0, 4) += dt * v + dt * dt * (R * (mean2 * a) + g / 2);
    X.block<3, 1>(0, 3) += dt * (R * (mean1 * a) + g);
    X.topLeftCorner<3, 3>() = R * Matrix(W).exp();
  }

  /// Feet at r in the body, with the covariance of all of them.
  void correct(const Vector& r, const Matrix& covariance) {
    const int n = static_cast<int>(P.rows()), rows = 3 * feet_;
    const Eigen::Matrix3d R = X.topLeftCorner<3, 3>();
    Matrix H = Matrix::Zero(rows, n), turn = Matrix::Zero(rows, rows);
    Vector z(rows);
    for (int f = 0; f < feet_; ++f) {
      H.block<3, 3>(3 * f, 6) = -Eigen::Matrix3d::Identity(), H.block<3, 3>(3 * f, 9 + 3 * f).setIdentity();
      turn.block<3, 3>(3 * f, 3 * f) = R;
      z.segment<3>(3 * f) = R * r.segment<3>(3 * f) - (X.block<3, 1>(0, 5 + f) - X.block<3, 1>(0, 4));
    }
    const Matrix S = H * P * H.transpose() + turn * covariance * turn.transpose();
    const Matrix K = S.ldlt().solve(H * P).transpose();
    const Vector e = K * z;
    Matrix algebra = Matrix::Zero(5 + feet_, 5 + feet_);
    algebra.topLeftCorner<3, 3>() = cross(e.head<3>());
    for (int k = 0; k < 2 + feet_; ++k) algebra.block<3, 1>(0, 3 + k) = e.segment<3>(3 + 3 * k);
    X = algebra.exp() * X;
    gyroscope_offset += e.segment<3>(n - 6), accelerometer_offset += e.segment<3>(n - 3);
    const Matrix rest = Matrix::Identity(n, n) - K * H;
    P = rest * P * rest.transpose() + K * turn * covariance * turn.transpose() * K.transpose();
  }

  Matrix X, P;
  Vector3 gyroscope_offset, accelerometer_offset;

 private:
  int feet_;
};

}  // namespace sparsedyn::test
