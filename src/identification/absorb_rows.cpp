#include "absorb_rows.hpp"

#include <cmath>
#include <limits>

namespace sparsedyn {

// Rows that are all alike, as of a robot at rest, leave rounding of rounding: squares whose inverse overflows are none.
constexpr double vanished = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

void absorb_rows(Triangle T, Columns B, Eigen::Map<Eigen::VectorXd> along) noexcept {
  const Eigen::Index n = T.cols();
  for (Eigen::Index k = 0; k < n; ++k) {
    const double below = B.col(k).squaredNorm();
    if (!(below > vanished)) continue;
    const double size = std::sqrt(T(k, k) * T(k, k) + below), pivot = T(k, k) > 0 ? T(k, k) + size : T(k, k) - size;
    // reflect along (pivot, B_k): x -= (pivot, B_k) (pivot x_0 + B_kᵀ x) / (size |pivot|)
    const double scale = 1 / (size * std::fabs(pivot));
    T(k, k) = T(k, k) > 0 ? -size : size;
    const Eigen::Index rest = n - k - 1;
    if (rest == 0) continue;
    along.head(rest).noalias() = B.rightCols(rest).transpose() * B.col(k);
    along.head(rest) += pivot * T.row(k).tail(rest).transpose();
    along.head(rest) *= scale;
    T.row(k).tail(rest) -= pivot * along.head(rest).transpose();
    B.rightCols(rest).noalias() -= B.col(k) * along.head(rest).transpose();
  }
}

}  // namespace sparsedyn
