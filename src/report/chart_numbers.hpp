// The numbers of a chart over time as its page holds them, from which the page's script draws what is looked at closely.
#pragma once

#include <string>

#include "report/figure.hpp"
#include "report/scale.hpp"

namespace sparsedyn::report {

/// JSON: the frame, the scales' ends, times, and the extremes of each line and of the band, to 6e-8 of their range; times to
/// 4e-15 of theirs.
/// Of spans: a bar for each line from span_foot() to span_height above it, where the line is on; one unit up a line.
std::string chart_numbers(const TimePlot& plot, const Frame& frame, const Scale& x, const Scale& y);

constexpr double span_height = 0.4;
inline double span_foot(const TimePlot& plot, std::size_t line) { return static_cast<double>(plot.lines.size() - 1 - line); }

}  // namespace sparsedyn::report
