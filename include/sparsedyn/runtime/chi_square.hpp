// Quantiles of the chi-square distribution, by which sums of squared residuals are judged.
#pragma once

namespace sparsedyn {

/// The x that a chi-square variable of so many freedoms exceeds with probability `tail` (0 < tail < 1), to about ten digits; ∞
/// for no freedoms. Inverts the incomplete gamma function by bisection; some ten microseconds.
double chi_square_quantile(double tail, int freedoms);
/// The probability that such a variable exceeds x.
double chi_square_tail(double x, int freedoms);

}  // namespace sparsedyn
