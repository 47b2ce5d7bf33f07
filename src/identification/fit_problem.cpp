#include "fit_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dense/orthogonal.hpp"
#include "friction_start.hpp"

namespace sparsedyn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Deviations that the prior gives a body's ten numbers.
void body_prior(const double* ten, double relative, double* sd) {
  const double length = std::sqrt(std::max(0.5 * (ten[4] + ten[6] + ten[9]), 0.0) / std::max(ten[0], 1e-300));
  const auto kind = [&](int first, int count, double otherwise) {
    double largest = 0;
    for (int k = first; k < first + count; ++k) largest = std::max(largest, std::fabs(ten[k]));
    if (largest == 0) largest = otherwise;
    for (int k = first; k < first + count; ++k) sd[k] = relative * std::max(std::fabs(ten[k]), 0.1 * largest);
  };
  kind(0, 1, 0);
  kind(1, 3, ten[0] * length);  // a centre of mass at the origin may still be off by a share of the body's size
  double reach = 0;
  for (int k = 1; k < 4; ++k) reach += ten[k] * ten[k] / std::max(ten[0], 1e-300);
  kind(4, 6, reach);
}

/// π and what is linearised beyond it.
std::size_t extended(RowInformation& information) {
  int count = ParameterIndex(information.model()).count;
  for (const RowInformation::Factor& factor : information.factors())
    if (factor.order() > 0) count = std::max(count, factor.base.independent.back() + 1);
  return static_cast<std::size_t>(count);
}

/// ∂β/∂π over the variables; variable: of each parameter, or -1.
MatrixXd shares(const BaseParameters& base, const std::vector<int>& variable, Eigen::Index variables) {
  MatrixXd share = MatrixXd::Zero(static_cast<Eigen::Index>(base.independent.size()), variables);
  for (std::size_t k = 0; k < base.independent.size(); ++k)
    if (const int x = variable[static_cast<std::size_t>(base.independent[k])]; x >= 0)
      share(static_cast<Eigen::Index>(k), x) = 1;
  for (std::size_t d = 0; d < base.dependent.size(); ++d)
    if (const int x = variable[static_cast<std::size_t>(base.dependent[d])]; x >= 0)
      for (std::size_t k = 0; k < base.independent.size(); ++k) share(static_cast<Eigen::Index>(k), x) = base.share[d][k];
  return share;
}

}  // namespace

void FitProblem::prior_of_shapes(int first) {
  on_shapes(first, [&](std::size_t, std::size_t k, const FrictionColumn& column) {
    prior[k] = shape_prior(column.along.value_or(FrictionNumber::smoothing));
  });
}

/// Steps keep a share between 0 and 1, and a Stribeck velocity at no less than its ratio to the smoothing velocity.
void FitProblem::bound_shapes(int first, const std::vector<int>& variable) {
  std::vector<int> smoothing(static_cast<std::size_t>(information.model().nv), -1);  // by freedom
  on_shapes(first, [&](std::size_t v, std::size_t k, const FrictionColumn& column) {
    if (variable[k] < 0) return;
    const FrictionShape& g = column.shape;
    if (column.along == FrictionNumber::smoothing) smoothing[v] = variable[k];
    if (column.along == FrictionNumber::stribeck) fit.bounded.push_back({variable[k], -g.stribeck, 1 - g.stribeck});
    if (column.along == FrictionNumber::stribeck_velocity)
      fit.bounded.push_back({variable[k], std::log(least_stribeck_ratio * g.smoothing / g.stribeck_velocity),
                             std::numeric_limits<double>::infinity(), smoothing[v]});
  });
}

FitProblem::FitProblem(RowInformation& info, const IdentifyOptions& options)
    : information(info), start(options.start.empty() ? parameters(info.model()) : options.start) {
  const Model& model = info.model();
  const ParameterIndex index(model);
  std::size_t count = static_cast<std::size_t>(index.count);
  if (options.start.empty() && count < extended(info)) start.resize(extended(info), 0.0);
  if (start.size() == extended(info)) count = extended(info);
  if (start.size() != count || (!options.fitted.empty() && options.fitted.size() != count))
    throw std::invalid_argument("identify: `start` and `fitted` need a number for each of " + std::to_string(count) +
                                " parameters");
  if (!(options.prior >= 1e-100 && options.prior <= 1e100))
    throw std::invalid_argument("identify: the prior's deviation must be positive, 1e-100 to 1e100");
  prior.assign(count, 0.0);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (start[10 * j] > 0) body_prior(&start[10 * j], options.prior, &prior[10 * j]);
    // What has no mass has no size, nor has a point at the link's origin. All ten of a body are fitted, or none.
    double* const ten = &prior[10 * j];
    if (std::any_of(ten, ten + 10, [](double sd) { return sd == 0; })) std::fill(ten, ten + 10, 0.0);
    for (std::size_t k = 0; k < 10; ++k)
      if (!std::isfinite(ten[k]))
        throw std::overflow_error("identify: the prior's deviation of " + parameter_names(model)[10 * j + k] + " overflows");
    for (int k = 0; k < index.counts[j]; ++k) prior[static_cast<std::size_t>(index.of_joints[j] + k)] = 1;
  }
  prior_of_shapes(index.count);
  std::vector<int> variable(count, -1);
  for (std::size_t k = 0; k < count; ++k) {
    if (!options.fitted.empty() && !options.fitted[k]) prior[k] = 0;
    if (prior[k] > 0) variable[k] = static_cast<int>(variables.size()), variables.push_back(static_cast<int>(k));
  }
  fit.center.resize(static_cast<Eigen::Index>(variables.size())), fit.scale = fit.center;
  for (std::size_t x = 0; x < variables.size(); ++x) {
    const auto k = static_cast<std::size_t>(variables[x]);
    fit.center[static_cast<Eigen::Index>(x)] = start[k], fit.scale[static_cast<Eigen::Index>(x)] = prior[k];
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (variable[10 * j] >= 0)
      fit.bodies.emplace_back(variable.begin() + static_cast<std::ptrdiff_t>(10 * j),
                              variable.begin() + static_cast<std::ptrdiff_t>(10 * j + 10));
    for (int k = 0; k < index.counts[j]; ++k)  // all but the offset
      if (const int x = variable[static_cast<std::size_t>(index.of_joints[j] + k)]; x >= 0 && k != 3)
        fit.bounded.push_back({x});
  }

  bound_shapes(index.count, variable);
  for (const RowInformation::Factor& factor : info.factors()) {
    const Eigen::Index n = factor.order();
    const Eigen::Map<const MatrixXd> triangle(factor.triangle.data(), n + 1, n + 1);
    const auto R = triangle.topLeftCorner(n, n).triangularView<Eigen::Upper>();
    const std::vector<double> beta = factor.base.values(start);
    A.push_back(R * shares(factor.base, variable, fit.center.size()) * fit.scale.asDiagonal());
    b.push_back(triangle.topRightCorner(n, 1) - R * Eigen::Map<const VectorXd>(beta.data(), n));
  }
}

void FitProblem::weigh(const std::vector<double>& sigma) {
  Eigen::Index rows = 0;
  for (const MatrixXd& each : A) rows += each.rows();
  const Eigen::Index n = fit.center.size();
  MatrixXd all(rows, n + 1);
  rows = 0;
  for (std::size_t i = 0; i < A.size(); ++i) {
    all.block(rows, 0, A[i].rows(), n) = A[i] / sigma[i];
    all.block(rows, n, b[i].size(), 1) = b[i] / sigma[i];
    rows += A[i].rows();
  }
  if (rows > n + 1) all = dense_algebra::triangle(all);
  fit.A = all.leftCols(n), fit.b = all.col(n);
}

std::vector<double> FitProblem::values(const VectorXd& x) const {
  std::vector<double> value = start;
  for (std::size_t k = 0; k < variables.size(); ++k)
    value[static_cast<std::size_t>(variables[k])] =
        fit.center[static_cast<Eigen::Index>(k)] + fit.scale[static_cast<Eigen::Index>(k)] * x[static_cast<Eigen::Index>(k)];
  return value;
}

}  // namespace sparsedyn
