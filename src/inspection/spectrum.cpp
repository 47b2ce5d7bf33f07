#include "spectrum.hpp"

#include <cmath>

namespace sparsedyn {
namespace {

constexpr double turn = 6.283185307179586;

double mean_of(const std::vector<double>& x) {
  double sum = 0, count = 0;
  for (double value : x)
    if (std::isfinite(value)) sum += value, ++count;
  return count > 0 ? sum / count : 0;
}

/// 2 / n |Σ x_i w_i exp(−2π i f i / rate)|, w_i = 1 − cos(2π i / n).
double amplitude(const std::vector<double>& x, double mean, double cycles_each) {
  const auto n = static_cast<double>(x.size());
  double real = 0, imaginary = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) continue;
    const auto at = static_cast<double>(i);
    const double weighed = (x[i] - mean) * (1 - std::cos(turn * at / n)), phase = turn * cycles_each * at;
    real += weighed * std::cos(phase), imaginary += weighed * std::sin(phase);
  }
  return 2 * std::sqrt(real * real + imaginary * imaginary) / n;
}

}  // namespace

std::vector<std::pair<double, double>> amplitudes(const std::vector<double>& x, double rate, std::size_t frequencies) {
  const double n = static_cast<double>(x.size()), first = rate / n, last = rate / 2, mean = mean_of(x);
  std::vector<std::pair<double, double>> found;
  for (std::size_t k = 0; k < frequencies; ++k) {
    const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(frequencies);
    const double f = first * std::pow(last / first, share);
    found.push_back({f, amplitude(x, mean, f / rate)});
  }
  return found;
}

}  // namespace sparsedyn
