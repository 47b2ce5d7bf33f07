#include "noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "dense/symmetric.hpp"
#include "identification/bodies/weight_on.hpp"

namespace sparsedyn {

namespace {

// Of what was measured: rows without noise are fitted as if they had so much.
constexpr double share_of_rms = 1e-6;
// Of the terms that cancel in a row: their rounding, in logs of twelve digits too.
constexpr double share_of_terms = 1e-12;
// In SI units: a millionth of the prior's deviation of a joint's offset, for rows that are zero in all samples and in all
// terms.
constexpr double of_nothing = 1e-6;

/// Root mean square of a row's terms, each parameter's by itself, before they cancel.
double terms(const RowInformation::Factor& factor, const std::vector<double>& pi) {
  double squares = 0;
  for (int c = 0; c < factor.order(); ++c) {
    const auto k = static_cast<std::size_t>(factor.base.independent[static_cast<std::size_t>(c)]);
    if (k >= pi.size()) continue;  // friction's shape
    double size = std::fabs(pi[k]), column = 0;
    for (std::size_t d = 0; d < factor.base.dependent.size(); ++d)
      size +=
          std::fabs(factor.base.share[d][static_cast<std::size_t>(c)] * pi[static_cast<std::size_t>(factor.base.dependent[d])]);
    for (int r = 0; r <= c; ++r) column += factor.entry(r, c) * factor.entry(r, c);
    squares += size * size * column;
  }
  return std::sqrt(squares / static_cast<double>(factor.rows));
}

double least_deviation(const RowInformation::Factor& factor, const std::vector<double>& pi, const Model& model) {
  if (factor.rows == 0) return 1;
  const int n = factor.order();
  double squares = 0;
  for (int r = 0; r <= n; ++r) squares += factor.entry(r, n) * factor.entry(r, n);
  const double rms = std::sqrt(squares / static_cast<double>(factor.rows));
  // at rest a joint may bear none of the weight that it moves, and has rounding of it
  const double weight = factor.freedom >= 0 ? weight_on(model, factor.freedom) : 0;
  const double of_weight = std::isfinite(weight) ? share_of_terms * weight : 0;
  const double least = std::max({share_of_rms * rms, share_of_terms * terms(factor, pi), of_weight});
  return least > 0 ? least : of_nothing;
}

}  // namespace

std::vector<double> least_deviations(RowInformation& information) {
  const std::vector<double> pi = parameters(information.model());
  std::vector<double> least;
  for (const RowInformation::Factor& factor : information.factors())
    least.push_back(least_deviation(factor, pi, information.model()));
  return least;
}

double squares_cost(const RowInformation::Factor& factor, double squares, double least) {
  const double rows = static_cast<double>(factor.rows);
  return rows * std::log(std::max(squares, rows * least * least));
}

std::vector<double> known_sigma(RowInformation& information, const IdentifyOptions& options) {
  std::vector<double> known = options.sigma;
  if (known.empty())
    for (const RowInformation::Factor& factor : information.factors()) known.push_back(factor.sigma);
  if (known.size() != information.factors().size())
    throw std::invalid_argument("identify: `sigma` needs a number for each torque");
  return known;
}

namespace {

/// Of each row of a sample, the deviation of what it leaves of its own: the least that any parameters could.
std::vector<double> first_sigma(RowInformation& information) {
  std::vector<double> sigma = least_deviations(information);
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    const int n = factor.order();
    if (factor.rows == 0) continue;
    const double left = std::fabs(factor.entry(n, n)) / std::sqrt(std::max(1.0, static_cast<double>(factor.rows - n)));
    sigma[i] = std::max(left, sigma[i]);
  }
  return sigma;
}

/// The deviations that the fit leaves, with as many freedoms as it took from each torque's rows; `least`: that of first_sigma.
std::vector<double> next_sigma(const FitProblem& p, const std::vector<double>& value, const std::vector<double>& sigma,
                               const std::vector<double>& least) {
  const Eigen::MatrixXd factor = p.fit.factor();
  std::vector<double> next;
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    const Eigen::MatrixXd taken = dense_algebra::solve_lower(factor, p.A[i].transpose());
    const double freedoms = taken.squaredNorm() / (sigma[i] * sigma[i]);
    const double rows = static_cast<double>(p.information.factors()[i].rows);
    const double left = std::sqrt(p.information.squares(static_cast<int>(i), value) / std::max(1.0, rows - freedoms));
    next.push_back(std::max(left, least[i]));
  }
  return next;
}

}  // namespace

Reweighted reweighted(FitProblem& p, const std::vector<double>& known, FitDigits digits) {
  Reweighted fit;
  const std::vector<double> least = first_sigma(p.information);
  for (std::size_t i = 0; i < known.size(); ++i) fit.sigma.push_back(known[i] > 0 ? known[i] : least[i]);
  constexpr int reweightings = 20;
  constexpr double roughly = 1e-4, exactly = 1e-9;  // what the barrier may cost: little while the weights still change
  constexpr double few_digits = 1e-2;
  double cost = digits == FitDigits::all ? roughly : 1e-2;
  std::optional<ConsistentFit::Way> way;  // the fits are much alike: each begins where the one before came by
  for (int k = 0; k < reweightings; ++k) {
    p.weigh(fit.sigma);
    fit.x = p.fit.solve(cost, way);
    fit.value = p.values(fit.x);
    const std::vector<double> next = next_sigma(p, fit.value, fit.sigma, least);
    double change = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (known[i] > 0 || p.information.factors()[i].rows == 0) continue;
      change = std::max(change, std::fabs(next[i] / fit.sigma[i] - 1));
      fit.sigma[i] = next[i];
    }
    if (change < (digits == FitDigits::all ? 1e-6 : few_digits) && (digits == FitDigits::few || cost == exactly)) break;
    if (digits == FitDigits::all && (change < 1e-3 || k > reweightings / 2)) cost = exactly;
  }
  return fit;
}

double cost_of(const FitProblem& p, const std::vector<double>& known, const Reweighted& fit) {
  const std::vector<double> least = least_deviations(p.information);
  double cost = fit.x.squaredNorm();
  for (std::size_t i = 0; i < known.size(); ++i) {
    const double squares = p.information.squares(static_cast<int>(i), fit.value);
    const RowInformation::Factor& factor = p.information.factors()[i];
    if (factor.rows > 0) cost += known[i] > 0 ? squares / (known[i] * known[i]) : squares_cost(factor, squares, least[i]);
  }
  return cost;
}

namespace {

constexpr double likely_deviations = 4.7534;  // a normal deviate exceeds them with probability 1e-6

/// A normal deviate for Fisher's F of n and m freedoms (Paulson 1942); m infinite: for chi-square / n (Wilson & Hilferty 1931).
double normal_of(double F, double n, double m) {
  const double root = std::cbrt(F), a = 2 / (9 * n), b = 2 / (9 * m);
  return ((1 - b) * root - (1 - a)) / std::sqrt(a + b * root * root);
}

}  // namespace

BesideLeastSquares beside_least_squares(RowInformation& information, const std::vector<double>& known,
                                        const std::vector<double>& value) {
  BesideLeastSquares beside;
  const std::vector<double> least = least_deviations(information);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    const double rows = static_cast<double>(factor.rows), n = factor.order(),
                 own = factor.entry(factor.order(), factor.order());
    const double left = own * own / std::max(1.0, rows - n), stated = known[i] > 0 ? known[i] : least[i];
    const bool estimated = !(known[i] > 0) && left > least[i] * least[i];
    const double noise = estimated ? left : stated * stated, squares = information.squares(static_cast<int>(i), value);
    const double ratio = squares / (rows * noise);
    const double deviate =
        estimated ? normal_of(std::max(squares - own * own, 0.0) / (std::max(n, 1.0) * noise), std::max(n, 1.0), rows - n)
                  : normal_of(ratio, rows, std::numeric_limits<double>::infinity());
    beside.ratio.push_back(std::sqrt(ratio));
    if (ratio > worth_telling && deviate > likely_deviations) beside.rejected.push_back(static_cast<int>(i));
  }
  return beside;
}

double kept_square(double k) {
  const double beyond = std::erfc(k / std::sqrt(2.0)), density = std::exp(-0.5 * k * k) / std::sqrt(2 * std::acos(-1.0));
  return 1 - beyond - 2 * k * density + k * k * beyond;
}

void huber_sigma(RowInformation& information, const std::vector<double>& known, std::vector<double>& good,
                 std::vector<double>& weighing) {
  const HuberWeights& huber = *information.pass().huber;
  const std::vector<double> least_of = huber.least.empty() ? least_deviations(information) : huber.least;
  const double kept = kept_square(huber.threshold);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    const double n = static_cast<double>(factor.rows), taken = n / std::max(1.0, n - factor.order());
    const double sigma = huber.sigma[i], least = least_of[i];
    const double floor = known[i] > 0 ? std::min(known[i], least) : least;
    good.push_back(factor.rows == 0 ? 1
                   : known[i] > 0   ? known[i]
                                    : std::max(floor, sigma * std::sqrt(taken * factor.squares / (n * kept))));
    const double flat = std::max(factor.inside, 1.0) / std::max(n, 1.0);
    weighing.push_back(
        factor.rows == 0 ? 1 : std::max(floor, sigma * std::sqrt(taken * factor.squares / n * factor.weights / n) / flat));
  }
}

}  // namespace sparsedyn
