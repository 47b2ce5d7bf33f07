// What a fit leaves, as SVG: against the speed at which it was left, and how often it is how large.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sparsedyn::cli {

/// A dot for each finite pair; axes through the range of both.
std::string scatter_svg(const std::string& title, const std::string& x_name,
                        const std::vector<std::pair<double, double>>& points);

/// Errors in deviations: counts in equal bins from −reach to reach, what lies outside in the outer ones, beside a normal
/// distribution of as many.
std::string histogram_svg(const std::string& title, double reach, const std::vector<long>& counts);

}  // namespace sparsedyn::cli
