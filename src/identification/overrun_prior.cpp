#include "overrun_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "fit_problem.hpp"
#include "noise.hpp"

namespace sparsedyn {
namespace {

constexpr double likely_deviations_of_prior = 5;
constexpr double widest_of_all = 1000;  // times the prior given

/// z by parameter; 0 where it is not fitted.
std::vector<double> deviations_from_start(const FitProblem& p, const std::vector<double>& value) {
  std::vector<double> z(p.start.size(), 0.0);
  for (std::size_t k = 0; k < z.size() && k < value.size(); ++k)
    if (p.prior[k] > 0) z[k] = std::fabs(value[k] - p.start[k]) / p.prior[k];
  return z;
}

/// 1, 2, 5, 10 … from `least` to `most`.
std::vector<double> round_priors(double least, double most) {
  std::vector<double> priors;
  for (double decade = std::pow(10, std::floor(std::log10(least))); decade <= most; decade *= 10)
    for (double digit : {1.0, 2.0, 5.0})
      if (digit * decade >= least && digit * decade <= most) priors.push_back(digit * decade);
  return priors;
}

/// The least prior that suffices, in ascending order: a wider one does as well. suffices(prior): nothing where doubles do not
/// hold it, nor wider ones. Infinite where none does. By bisection.
template <class Suffices>
double least_sufficient(const std::vector<double>& priors, Suffices&& suffices) {
  double found = std::numeric_limits<double>::infinity();
  for (std::size_t first = 0, end = priors.size(); first < end;) {
    const std::size_t middle = (first + end) / 2;
    const std::optional<bool> does = suffices(priors[middle]);
    if (does && !*does) {
      first = middle + 1;
      continue;
    }
    end = middle;
    if (does) found = priors[middle];
  }
  return found;
}

}  // namespace

OverruledRows overruled_rows(RowInformation& information, IdentifyOptions options, const BesideLeastSquares& fit) {
  const std::vector<double> known = known_sigma(information, options);
  const double from = options.prior;
  const auto with = [&](double prior) -> std::optional<BesideLeastSquares> {
    options.prior = prior;
    FitProblem p(information, options);
    try {
      return beside_least_squares(information, known, reweighted(p, known, FitDigits::few).value);
    } catch (const std::runtime_error&) {
      return std::nullopt;  // wider than doubles hold
    }
  };
  double most = widest_of_all * from;
  std::optional<BesideLeastSquares> wide = with(most);
  while (!wide && most > 2 * from) wide = with(most /= 10);
  const auto by_prior = [&](const BesideLeastSquares& of) {
    std::vector<int> rows;
    for (int i : of.rejected) {
      const auto k = static_cast<std::size_t>(i);
      const double left = wide ? std::max(1.0, wide->ratio[k]) : 1.0;
      if (of.ratio[k] * of.ratio[k] > worth_telling * left * left) rows.push_back(i);
    }
    return rows;
  };
  OverruledRows overruled{by_prior(fit), 0};
  if (overruled.rows.empty()) return overruled;
  overruled.sufficient_prior = std::numeric_limits<double>::infinity();
  if (!wide) return overruled;
  const double found = least_sufficient(round_priors(1.001 * from, most), [&](double prior) -> std::optional<bool> {
    const std::optional<BesideLeastSquares> tried = with(prior);
    if (!tried) return std::nullopt;
    return by_prior(*tried).empty();
  });
  overruled.sufficient_prior = std::min(found, most);
  return overruled;
}

OverrunPrior overrun_prior(RowInformation& information, IdentifyOptions options, const std::vector<double>& value,
                           double at_least) {
  const auto of_bodies = static_cast<std::ptrdiff_t>(10 * information.model().joints.size());
  const auto count = static_cast<std::size_t>(ParameterIndex(information.model()).count);
  std::vector<double> z = deviations_from_start(FitProblem(information, options), value);
  z.resize(count);  // not friction's shape, whose start moves along
  OverrunPrior found;
  for (std::size_t k = 0; k < count; ++k)
    if (z[k] > likely_deviations_of_prior) found.parameters.push_back(static_cast<int>(k));
  std::sort(found.parameters.begin(), found.parameters.end(),
            [&](int a, int b) { return z[static_cast<std::size_t>(a)] > z[static_cast<std::size_t>(b)]; });
  for (int k : found.parameters) found.deviation.push_back(z[static_cast<std::size_t>(k)]);
  const auto farthest = [&](const std::vector<double>& of) { return *std::max_element(of.begin(), of.begin() + of_bodies); };
  if (of_bodies == 0 || !(farthest(z) > likely_deviations_of_prior)) return found;
  const std::vector<double> known = known_sigma(information, options);
  const double from = options.prior;
  const std::vector<double> priors = round_priors(std::max(1.001 * from, 0.999 * at_least), widest_of_all * from);
  found.sufficient_prior = least_sufficient(priors, [&](double prior) -> std::optional<bool> {
    options.prior = prior;
    FitProblem p(information, options);
    try {
      return farthest(deviations_from_start(p, reweighted(p, known, FitDigits::few).value)) <= likely_deviations_of_prior;
    } catch (const std::runtime_error&) {
      return std::nullopt;  // wider than doubles hold
    }
  });
  return found;
}

}  // namespace sparsedyn
