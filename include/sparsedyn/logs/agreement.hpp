// Whether the residuals of a log agree with the noise that its sensors state. Only then do standard deviations say how accurate
// the estimates are.
#pragma once

#include <cstdint>
#include <optional>

namespace sparsedyn {

/// Chi-square of a log: the sum of squared residuals, each divided by its deviation.
struct ChiSquare {
  double sum = 0;             // of the squares
  std::int64_t expected = 0;  // its expectation if the noise is as stated: the number of redundant readings
};

/// Whether a chi-square agrees with the stated noise: false beyond the quantile 1 − 1e-6 of its distribution and above 1.2
/// times its expectation (a long log rejects what hardly matters); nothing without redundancy. Some microseconds.
std::optional<bool> trusted(const ChiSquare& of) noexcept;

/// The factor by which deviations are multiplied to match the noise that the log shows: max(1, √(sum / expected)); 1 without
/// redundancy.
double deviation_scale(const ChiSquare& of) noexcept;

}  // namespace sparsedyn
