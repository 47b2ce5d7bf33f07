// How smooth a motion is, where a set does not say: a whole log tells.
#pragma once

#include "tracking/whole/whole_forward.hpp"

namespace sparsedyn::tracking {

/// The walk of the joints' accelerations (rad/s²/√s) under which the readings are likeliest, to half a decade; 0: that they
/// start anew in each interval is likelier than any. y: a row of layout.inputs a sample. The filter goes up to nine times over
/// at most 5000 samples.
double likeliest_walk(const WholeLayout& layout, IntervalRows& rows, const WholeStart& start, const std::vector<double>& y,
                      const std::vector<double>& dt);

}  // namespace sparsedyn::tracking
