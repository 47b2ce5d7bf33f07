// Quantiles of the chi-square distribution, by which sums of squared residuals are judged, and when a measurement is no check
// on the others: its residual has almost no variance of its own.
#pragma once

namespace sparsedyn {

/// Variance, of a residual in its deviations, up to which no other row predicts the measurement.
constexpr double no_redundancy = 1e-9;

/// The x that a chi-square variable of so many freedoms exceeds with probability `tail` (0 < tail < 1), to about ten digits; ∞
/// for no freedoms. Inverts the incomplete gamma function by bisection; some ten microseconds.
double chi_square_quantile(double tail, int freedoms);
/// The probability that such a variable exceeds x.
double chi_square_tail(double x, int freedoms);

}  // namespace sparsedyn
