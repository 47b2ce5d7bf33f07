// Statistics of evenly sampled series with gaps (NaN).
#pragma once

#include <cstddef>
#include <vector>

namespace sparsedyn::inspection {

using Series = std::vector<double>;

/// Of the values that are there; NaN without any.
double median_of(Series values);
/// Standard deviation and root mean square of the values that are there; 0 without any.
double deviation_of(const Series& x);
double rms_of(const Series& x);
long count_of(const Series& x);

/// The deviation of white noise in a smooth series: third differences hold noise of variance 20 σ², and little of what is
/// smooth; their median size is that of the noise though a few are larger.
double noise_of(const Series& x);

/// The deviation of white noise, 0 where none shows. Differences of order five hold noise of variance 252 σ² and little of a
/// motion, those of order seven 3432 σ²: both agree on white noise, and on nothing else. The median is that of most samples, so
/// that a few large ones count for nothing.
double white_noise_of(const Series& x);

/// Least squares of y on x through the origin, and how well it does.
struct Pairing {
  double xx = 0, yy = 0, xy = 0;
  long count = 0;
  double correlation() const;  // about zero: xy / √(xx yy)
  double ratio() const;        // √(yy / xx)
  double unexplained() const;  // 1 − correlation²
};
/// Of x[i] with y[i + lag].
Pairing pair_up(const Series& x, const Series& y, long lag = 0);

/// k-th derivative (0: smoothed) by a polynomial of degree 4 fitted to 2 half + 1 samples; NaN where no stretch is as long.
Series fitted(const Series& x, int half, int derivative, double step);
/// The same with the shortest window whose noise is at most `share` of the derivative's size. `deviation`: of that noise.
Series derivative_of(const Series& x, int derivative, double step, double share = 0.05, double* deviation = nullptr);

/// x on another grid: linear between samples at most `largest_gap` apart, NaN elsewhere. `times` ascend.
Series resampled(const Series& times, const Series& x, double first, double step, std::size_t samples, double largest_gap);

/// Samples that count as independent, for residuals whose neighbours resemble each other: one more than how often they pass
/// from above half of their deviation to below minus half of it, or back.
double independent_samples(const Series& residual);

}  // namespace sparsedyn::inspection
