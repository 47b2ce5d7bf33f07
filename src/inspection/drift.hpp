// Slow trends of what a model leaves of a column.
#pragma once

#include "examination.hpp"

namespace sparsedyn::inspection {

/// A line through the residuals that goes over the log by a twentieth of `size` (of the column) or more, by six times what it
/// would by chance, and by 4.5 deviations of what is neither a line nor white noise: that is the model's, whose errors change
/// slowly too. `samples`: where the residuals are. Whether it was told.
bool tell_of_drift(Examination& x, const std::string& column, const std::vector<std::size_t>& samples, const Series& residual,
                   double size);

}  // namespace sparsedyn::inspection
