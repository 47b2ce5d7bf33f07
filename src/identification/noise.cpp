#include "noise.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "dense/symmetric.hpp"

namespace sparsedyn {

double least_deviation(const RowInformation::Factor& factor) {
  if (factor.rows == 0) return 1;
  const int n = factor.order();
  double squares = 0;
  for (int r = 0; r <= n; ++r) squares += factor.entry(r, n) * factor.entry(r, n);
  return std::max(1e-6 * std::sqrt(squares / static_cast<double>(factor.rows)), 1e-12);
}

std::vector<double> least_deviations(RowInformation& information) {
  std::vector<double> least;
  for (const RowInformation::Factor& factor : information.factors()) least.push_back(least_deviation(factor));
  return least;
}

double squares_cost(const RowInformation::Factor& factor, double squares) {
  const double rows = static_cast<double>(factor.rows), least = least_deviation(factor);
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

Reweighted reweighted(FitProblem& p, const std::vector<double>& known) {
  Reweighted fit;
  const std::vector<double> least = first_sigma(p.information);
  for (std::size_t i = 0; i < known.size(); ++i) fit.sigma.push_back(known[i] > 0 ? known[i] : least[i]);
  constexpr int reweightings = 20;
  constexpr double roughly = 1e-4, exactly = 1e-9;  // what the barrier may cost: little while the weights still change
  double cost = roughly;
  std::optional<ConsistentFit::Way> way;  // the fits are much alike: each begins where the one before came by
  for (int k = 0; k < reweightings; ++k) {
    p.weigh(fit.sigma);
    fit.value = p.values(p.fit.solve(cost, way));
    const std::vector<double> next = next_sigma(p, fit.value, fit.sigma, least);
    double change = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (known[i] > 0 || p.information.factors()[i].rows == 0) continue;
      change = std::max(change, std::fabs(next[i] / fit.sigma[i] - 1));
      fit.sigma[i] = next[i];
    }
    if (change < 1e-6 && cost == exactly) break;
    if (change < 1e-3 || k > reweightings / 2) cost = exactly;
  }
  return fit;
}

double cost_of(const FitProblem& p, const std::vector<double>& known, const std::vector<double>& value) {
  double cost = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const double squares = p.information.squares(static_cast<int>(i), value);
    const RowInformation::Factor& factor = p.information.factors()[i];
    if (factor.rows > 0) cost += known[i] > 0 ? squares / (known[i] * known[i]) : squares_cost(factor, squares);
  }
  for (int k : p.variables) {
    const double off =
        (value[static_cast<std::size_t>(k)] - p.start[static_cast<std::size_t>(k)]) / p.prior[static_cast<std::size_t>(k)];
    cost += off * off;
  }
  return cost;
}

double kept_square(double k) {
  const double beyond = std::erfc(k / std::sqrt(2.0)), density = std::exp(-0.5 * k * k) / std::sqrt(2 * std::acos(-1.0));
  return 1 - beyond - 2 * k * density + k * k * beyond;
}

void huber_sigma(RowInformation& information, const std::vector<double>& known, std::vector<double>& good,
                 std::vector<double>& weighing) {
  const HuberWeights& huber = *information.pass().huber;
  const double kept = kept_square(huber.threshold);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    const double n = static_cast<double>(factor.rows), taken = n / std::max(1.0, n - factor.order());
    const double sigma = huber.sigma[i], least = huber.least.empty() ? 1e-12 : huber.least[i];
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
