#include "overrun_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

}  // namespace

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
  const double from = options.prior, most = widest_of_all * from;
  found.sufficient_prior = std::numeric_limits<double>::infinity();
  for (double decade = std::pow(10, std::floor(std::log10(from))); decade <= most; decade *= 10)
    for (double digit : {1.0, 2.0, 5.0}) {
      options.prior = digit * decade;
      if (options.prior < std::max(1.001 * from, 0.999 * at_least) || options.prior > most) continue;
      FitProblem p(information, options);
      try {
        if (farthest(deviations_from_start(p, reweighted(p, known).value)) > likely_deviations_of_prior) continue;
      } catch (const std::runtime_error&) {
        return found;  // wider than doubles hold
      }
      found.sufficient_prior = options.prior;
      return found;
    }
  return found;
}

}  // namespace sparsedyn
