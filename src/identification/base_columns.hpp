// Base parameters from sampled rows of a regressor.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// Which columns of W, those of the parameters `which`, are independent, first ones first, and what the others share with them.
BaseParameters independent_columns(const Eigen::MatrixXd& W, const std::vector<int>& which);

}  // namespace sparsedyn
