// Rows taken into a triangular factor.
#pragma once

#include <Eigen/Core>

namespace sparsedyn {

using Triangle = Eigen::Map<Eigen::MatrixXd>;
using Columns = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

/// [T; B] → [T'; 0] by reflections (Householder 1958) that touch one row of the triangle and all of B each. B is destroyed;
/// `along`: as many numbers as T has columns. No heap.
void absorb_rows(Triangle T, Columns B, Eigen::Map<Eigen::VectorXd> along) noexcept;

}  // namespace sparsedyn
