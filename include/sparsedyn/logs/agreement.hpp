// Whether what a log leaves agrees with the noise that its sensors state. Deviations say how far estimates may be off where it
// does; where it does not they are numbers without evidence.
#pragma once

#include <optional>

namespace sparsedyn {

/// Squares of residuals in their deviations, over a log.
struct ChiSquare {
  double sum = 0;     // of the squares
  long expected = 0;  // where the noise is what the set says: the readings beyond those needed
};

/// Whether a chi-square agrees with the stated noise: false beyond the quantile 1 − 1e-6 of its distribution and above 1.2
/// times its expectation (a long log rejects what hardly matters); nothing without redundancy. Some microseconds.
std::optional<bool> trusted(const ChiSquare& of) noexcept;

/// By what deviations are multiplied so that they hold for the noise that the log shows: max(1, √(sum / expected)); 1 without
/// redundancy.
double deviation_scale(const ChiSquare& of) noexcept;

}  // namespace sparsedyn
