// From the rows of a log to samples in even steps.
#pragma once

#include "ascending_times.hpp"
#include "examination.hpp"

namespace sparsedyn::inspection {

/// Makes the columns of `x` samples in even steps of x.step. Rows whose steps are even keep their values: samples without
/// numbers are put where rows were lost, or, where one or two were, the line between their neighbours. Rows in uneven steps are
/// taken as even where positions are smoother that way, and the line between neighbours is sampled otherwise. `rounding`: of
/// the times.
void make_even(Examination& x, const AscendingTimes& found, double rounding);

}  // namespace sparsedyn::inspection
