#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "logs/local_fit.hpp"

namespace sparsedyn::inspection {
namespace {

const double nan = std::nan("");

/// Calls f(first, count) for each stretch without a gap.
template <class F>
void for_each_stretch(const Series& x, F f) {
  for (std::size_t i = 0; i < x.size();) {
    if (!std::isfinite(x[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < x.size() && std::isfinite(x[end])) ++end;
    f(i, end - i);
    i = end;
  }
}

/// From the median size of differences of that order.
double noise_by_differences(Series x, int order) {
  double gain = 1;  // Σ of squared binomials: (2k)! / k!²
  for (int k = 1; k <= order; ++k) {
    for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] = x[i + 1] - x[i];
    x.pop_back();
    gain *= (4.0 * k - 2.0) / k;
  }
  for (double& d : x) d = std::abs(d);
  return median_of(std::move(x)) / 0.6745 / std::sqrt(gain);
}

}  // namespace

double median_of(Series values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); }), values.end());
  if (values.empty()) return nan;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

long count_of(const Series& x) {
  return static_cast<long>(std::count_if(x.begin(), x.end(), [](double value) { return std::isfinite(value); }));
}

double deviation_of(const Series& x) {
  double sum = 0, squares = 0, n = 0;
  for (double value : x)
    if (std::isfinite(value)) sum += value, ++n;
  if (n < 2) return 0;
  for (double value : x)
    if (std::isfinite(value)) squares += (value - sum / n) * (value - sum / n);
  return std::sqrt(squares / n);
}

double rms_of(const Series& x) {
  double squares = 0, n = 0;
  for (double value : x)
    if (std::isfinite(value)) squares += value * value, ++n;
  return n > 0 ? std::sqrt(squares / n) : 0;
}

double noise_of(const Series& x) {
  Series size;
  for (std::size_t i = 3; i < x.size(); ++i) {
    const double d = x[i] - 3 * x[i - 1] + 3 * x[i - 2] - x[i - 3];
    if (std::isfinite(d)) size.push_back(std::abs(d));
  }
  const double median = median_of(std::move(size));
  return std::isfinite(median) ? median / 0.6745 / std::sqrt(20.0) : 0;
}

double white_noise_of(const Series& x) {
  if (x.size() < 100) return 0;
  const double five = noise_by_differences(x, 5), seven = noise_by_differences(x, 7);
  const bool white = five > 1e-7 * deviation_of(x) && seven > 0 && std::abs(std::log(five / seven)) < 0.25;
  return white ? five : 0;
}

double Pairing::correlation() const { return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0; }
double Pairing::ratio() const { return xx > 0 ? std::sqrt(yy / xx) : 0; }
double Pairing::unexplained() const {
  const double c = correlation();
  return std::max(0.0, 1 - c * c);
}

Pairing pair_up(const Series& x, const Series& y, long lag) {
  Pairing p;
  const long n = static_cast<long>(std::min(x.size(), y.size()));
  for (long i = std::max(0L, -lag); i < std::min(n, n - lag); ++i) {
    const double a = x[static_cast<std::size_t>(i)], b = y[static_cast<std::size_t>(i + lag)];
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    p.xx += a * a, p.yy += b * b, p.xy += a * b, ++p.count;
  }
  return p;
}

/// The weights of a window of that size: computed once a thread, for all columns.
static LocalFit& fit_of(int half) {
  thread_local std::map<int, LocalFit> known;
  return known.try_emplace(half, half).first->second;
}

Series fitted(const Series& x, int half, int derivative, double step) {
  LocalFit& fit = fit_of(half);
  Series out(x.size(), nan);
  const double scale = std::pow(step, -derivative);
  const auto window = static_cast<std::size_t>(fit.samples());
  for_each_stretch(x, [&](std::size_t first, std::size_t count) {
    if (count < window) return;
    for (std::size_t i = 0; i < count; ++i) {
      const FitWeights& at = fit.at(i, count);
      const Series& weights = at.weight[static_cast<std::size_t>(derivative)];
      const double* const samples = &x[first + i] + at.first;
      double sum = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * samples[k];
      out[first + i] = sum * scale;
    }
  });
  return out;
}

Series derivative_of(const Series& x, int derivative, double step, double share, double* deviation) {
  const double noise = noise_of(x);
  double left = 0;
  Series best;
  for (int half : {3, 5, 8, 12, 18, 27, 40}) {
    if (x.size() < static_cast<std::size_t>(6 * half)) break;
    best = fitted(x, half, derivative, step);
    LocalFit& fit = fit_of(half);
    left = noise * fit.inside().gain(derivative) * std::pow(step, -derivative);
    if (left <= share * rms_of(best)) break;
  }
  if (deviation) *deviation = left;
  return best.empty() ? Series(x.size(), nan) : best;
}

Series resampled(const Series& times, const Series& x, double first, double step, std::size_t samples, double largest_gap) {
  Series out(samples, nan);
  // Times are decimals, and those of an epoch (1.7e9 s) are exact to 2e-7 s: rounding parts a sample from its row by no more.
  const double resolution = 4 * std::numeric_limits<double>::epsilon() * (times.empty() ? 0 : std::abs(times.back()));
  const double same = std::max(1e-3 * step, resolution);
  std::size_t right = 0;
  for (std::size_t k = 0; k < samples; ++k) {
    const double t = first + static_cast<double>(k) * step;
    while (right < times.size() && times[right] < t - same) ++right;
    if (right == times.size()) break;
    if (times[right] <= t + same || right == 0) {
      if (times[right] <= t + same) out[k] = x[right];
      continue;
    }
    const double before = times[right - 1], span = times[right] - before;
    if (span <= largest_gap) out[k] = x[right - 1] + (t - before) / span * (x[right] - x[right - 1]);
  }
  return out;
}

double independent_samples(const Series& residual) {
  const double level = std::max(0.5 * deviation_of(residual), 1e-6 * rms_of(residual));
  double sum = 0;
  for (double x : residual)
    if (std::isfinite(x)) sum += x;
  const double mean = sum / std::max(1.0, static_cast<double>(count_of(residual)));
  double changes = 1;
  int side = 0;
  for (double x : residual) {
    const int now = x - mean > level ? 1 : x - mean < -level ? -1 : 0;
    if (now == 0) continue;
    if (side != 0 && now != side) ++changes;
    side = now;
  }
  return changes;
}

}  // namespace sparsedyn::inspection
