#include "sparsedyn/runtime/chi_square.hpp"

#include <cmath>
#include <limits>

namespace sparsedyn {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// x^a e^−x / Γ(a).
double density(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }

/// 1 − Q(a, x) by its series, which converges fast for x < a + 1 (Abramowitz & Stegun 6.5.29).
double lower_by_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > epsilon * sum; ++n) sum += term *= x / n;
  return density(a, x) * sum;
}

/// Q(a, x) by its continued fraction (6.5.31), evaluated as Lentz (1976) does.
double upper_by_fraction(double a, double x) {
  const double tiny = std::numeric_limits<double>::min() / epsilon;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
  for (int n = 1; n < 10000; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = factor * d + b, c = b + factor / c;
    if (std::abs(d) < tiny) d = tiny;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    value *= d * c;
    if (std::abs(d * c - 1) < epsilon) break;
  }
  return density(a, x) * value;
}

}  // namespace

double chi_square_tail(double x, int freedoms) {
  if (!(x > 0)) return 1;
  const double a = 0.5 * freedoms, half = 0.5 * x;
  return half < a + 1 ? 1 - lower_by_series(a, half) : upper_by_fraction(a, half);
}

double chi_square_quantile(double tail, int freedoms) {
  if (freedoms < 1) return std::numeric_limits<double>::infinity();
  double low = 0, high = freedoms;
  while (chi_square_tail(high, freedoms) > tail) low = high, high *= 2;
  for (int k = 0; k < 60 && high - low > 1e-12 * high; ++k) {
    const double middle = 0.5 * (low + high);
    (chi_square_tail(middle, freedoms) > tail ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace sparsedyn
