// A quantity over time as SVG: the estimate in its band of two standard deviations, and the truth where it is known.
#pragma once

#include <string>
#include <vector>

namespace sparsedyn::cli {

/// One number a time in each list; NaN leaves a gap. deviation and truth may be empty.
struct BandPlot {
  std::string title;
  const std::vector<double>& time;
  std::vector<double> estimate, deviation, truth;
};

std::string svg(const BandPlot& plot);

}  // namespace sparsedyn::cli
