#include "sparsedyn/identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "dense/orthogonal.hpp"
#include "dense/symmetric.hpp"
#include "fit_problem.hpp"
#include "noise.hpp"
#include "pseudo_inertia.hpp"

namespace sparsedyn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Base parameters of the robot's, and each smoothing velocity by itself.
BaseParameters base_of(const Model& model, const std::vector<int>& variables) {
  const int count = ParameterIndex(model).count;
  std::vector<int> own, beyond;
  for (int k : variables) (k < count ? own : beyond).push_back(k);
  BaseParameters base = base_parameters(model, own);
  base.independent.insert(base.independent.end(), beyond.begin(), beyond.end());
  for (std::vector<double>& share : base.share) share.resize(base.independent.size(), 0.0);
  return base;
}

void find_base(FitProblem& p, const std::vector<double>& weighing, Identification& result) {
  result.base = base_of(p.information.model(), p.variables);
  result.base_value = result.base.values(result.value);
  const auto n = static_cast<Eigen::Index>(result.base.independent.size());
  MatrixXd W(0, n);
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    MatrixXd rows(p.columns[i].rows(), n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto x = std::find(p.variables.begin(), p.variables.end(), result.base.independent[static_cast<std::size_t>(k)]) -
                     p.variables.begin();
      rows.col(k) = p.columns[i].col(x) / weighing[i];
    }
    W.conservativeResize(W.rows() + rows.rows(), n);
    W.bottomRows(rows.rows()) = rows;
  }
  VectorXd length = W.colwise().norm();
  for (Eigen::Index k = 0; k < n; ++k)
    if (length[k] > 0) W.col(k) /= length[k];
  if (n == 0) return;
  const dense_algebra::SingularValues svd = dense_algebra::singular_values(W);
  const VectorXd& size = svd.values;
  for (Eigen::Index k = 0; k < size.size(); ++k) result.rank += size[k] > 1e-9 * size[0];
  const bool whole = result.rank == n;
  result.condition = whole ? size[0] / size[n - 1] : std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < n; ++k) {
    double sum = 0, lost = 0;
    for (Eigen::Index s = 0; s < size.size(); ++s) {
      const double v = svd.V(k, s);
      if (s < result.rank)
        sum += v * v / (size[s] * size[s]);
      else
        lost += v * v;
    }
    result.base_sd.push_back(length[k] > 0 && lost < 1e-12 && size.size() == n ? std::sqrt(sum) / length[k]
                                                                               : std::numeric_limits<double>::quiet_NaN());
  }
}

void check_rows(RowInformation& information) {
  long rows = 0;
  for (std::size_t i = 0; i < information.factors().size(); ++i) {
    const RowInformation::Factor& factor = information.factors()[i];
    rows += factor.rows;
    if (!std::isfinite(std::accumulate(factor.triangle.begin(), factor.triangle.end(), 0.0)))
      throw std::overflow_error("identify: the squares of " + information.names()[i] + "'s rows overflow");
    if (factor.rows > 0 && factor.rows <= factor.order())
      throw std::invalid_argument("identify: " + std::to_string(factor.rows) + " samples of a torque that depends on " +
                                  std::to_string(factor.order()) + " parameters");
  }
  if (rows == 0) throw std::invalid_argument("identify: no samples");
}

}  // namespace

Identification identify(RowInformation& information, const IdentifyOptions& options) {
  FitProblem p(information, options);
  Identification result;
  for (const RowInformation::Factor& factor : information.factors()) result.rows += factor.rows;
  const std::vector<double> known = known_sigma(information, options);
  check_rows(information);
  std::vector<double> weighing;
  if (information.pass().huber) {
    huber_sigma(information, known, result.sigma, weighing);
    p.weigh(weighing);
    result.value = p.values(p.fit.solve());
  } else {
    const Reweighted fit = reweighted(p, known);
    result.value = fit.value, result.sigma = weighing = fit.sigma;
    p.weigh(weighing);
  }
  result.sd = p.deviations(), result.determined.assign(p.start.size(), 0);
  for (int each : p.variables) {
    const auto k = static_cast<std::size_t>(each);
    result.determined[k] = result.sd[k] < 0.5 * p.prior[k];
  }
  find_base(p, weighing, result);
  BesideLeastSquares beside = beside_least_squares(information, known, result.value);
  result.beside_least_squares = std::move(beside.ratio), result.rejected = std::move(beside.rejected);
  double sum = 0;
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    const double ratio = information.pass().huber ? information.pass().huber->sigma[i] / result.sigma[i] : 1;
    sum += information.pass().huber
               ? information.factors()[i].squares * ratio * ratio / kept_square(information.pass().huber->threshold)
               : information.squares(static_cast<int>(i), result.value) / (result.sigma[i] * result.sigma[i]);
  }
  result.chi_square = sum / static_cast<double>(result.rows - result.rank);
  if (!std::isfinite(std::accumulate(result.sd.begin(), result.sd.end(), sum)))
    throw std::overflow_error("identify: the squares of the fit's errors overflow");
  return result;
}

double consistency(const double* ten) {
  const Eigen::Matrix4d P = pseudo_inertia(ten);
  return dense_algebra::symmetric_eigenvalues(P)[0] / P.trace();
}

}  // namespace sparsedyn
