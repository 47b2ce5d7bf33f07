// Slow trends of what a model leaves of a column.
#pragma once

#include "examination.hpp"

namespace sparsedyn::inspection {

/// A line through the residuals that goes over the log by 4.5 deviations of the rest or more, and by a twentieth of `size` (of
/// the column). `samples`: where the residuals are. Whether it was told.
bool tell_of_drift(Examination& x, const std::string& column, const std::vector<std::size_t>& samples, const Series& residual,
                   double size);

}  // namespace sparsedyn::inspection
