// What no row's deviation is taken for smaller than.
#pragma once

#include <vector>

#include "sparsedyn/identification/identify.hpp"

namespace sparsedyn {

/// Of a row of a sample: a millionth of the rms of what was measured, where rows are not weighted. Rows without noise are
/// fitted as if they had so much, and their squares beside the prior's keep digits.
double least_deviation(const RowInformation::Factor& factor);
/// By row.
std::vector<double> least_deviations(RowInformation& information);
/// rows log(squares) of a row, −2 log of its likelihood where its deviation is what these squares say, but for a constant.
double squares_cost(const RowInformation::Factor& factor, double squares);

}  // namespace sparsedyn
