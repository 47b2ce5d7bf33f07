#include "fit_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "dense/orthogonal.hpp"
#include "friction_start.hpp"

namespace sparsedyn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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

/// A body that is fitted must exist. All ten numbers are moved to those about the start's centre of mass, where the prior's
/// deviations know nothing of each other.
void FitProblem::declare_body(std::size_t j, const std::vector<int>& variable, const BodyPrior& of, double size) {
  ConsistentFit::Body body;
  body.size = size;
  std::copy_n(variable.begin() + static_cast<std::ptrdiff_t>(10 * j), 10, body.variable.begin());
  std::copy_n(start.begin() + static_cast<std::ptrdiff_t>(10 * j), 10, body.fixed.begin());
  if (body.whole()) {
    const Eigen::Index first = body.variable[0];
    fit.center.segment<10>(first) = of.start, fit.scale.segment<10>(first) = of.deviation;
    recentred_.push_back({first, of.to_frame});
  } else if (!(consistency(&start[10 * j]) > 0)) {
    throw std::invalid_argument("identify: `fitted` names some of the ten numbers of " +
                                parameter_names(information.model())[10 * j] +
                                "'s body, which cannot exist as it stands: name all or none");
  }
  fit.bodies.push_back(body);
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
  const auto asked = [&](std::size_t k) { return options.fitted.empty() || options.fitted[k]; };
  const std::vector<double> sizes = body_sizes(model, start);
  std::vector<std::optional<BodyPrior>> bodies(sizes.size());
  for (std::size_t j = 0; j < bodies.size(); ++j) {
    std::vector<int> free;
    for (int k = 0; k < 10; ++k)
      if (asked(10 * j + static_cast<std::size_t>(k))) free.push_back(k);
    if (!(start[10 * j] > 0) || free.empty()) continue;  // what has no mass keeps none
    bodies[j].emplace(&start[10 * j], sizes[j], options.prior);
    const VectorXd deviation = bodies[j]->in_frame(free);
    for (std::size_t k = 0; k < free.size(); ++k) {
      const std::size_t number = 10 * j + static_cast<std::size_t>(free[k]);
      prior[number] = deviation[static_cast<Eigen::Index>(k)];
      if (!std::isfinite(prior[number]))
        throw std::overflow_error("identify: the prior's deviation of " + parameter_names(model)[number] + " overflows");
    }
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = 0; k < index.counts[j]; ++k) prior[static_cast<std::size_t>(index.of_joints[j] + k)] = 1;
  prior_of_shapes(index.count);
  std::vector<int> variable(count, -1);
  for (std::size_t k = 0; k < count; ++k) {
    if (!asked(k)) prior[k] = 0;
    if (prior[k] > 0) variable[k] = static_cast<int>(variables.size()), variables.push_back(static_cast<int>(k));
  }
  fit.center.resize(static_cast<Eigen::Index>(variables.size())), fit.scale = fit.center;
  for (std::size_t x = 0; x < variables.size(); ++x) {
    const auto k = static_cast<std::size_t>(variables[x]);
    fit.center[static_cast<Eigen::Index>(x)] = start[k], fit.scale[static_cast<Eigen::Index>(x)] = prior[k];
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (bodies[j]) declare_body(j, variable, *bodies[j], sizes[j]);
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
    columns.push_back(R * shares(factor.base, variable, fit.center.size()));
    A.push_back(by_variables(columns.back()));
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
  VectorXd p = fit.center + fit.scale.cwiseProduct(x);
  for (const Recentred& body : recentred_) p.segment<10>(body.first) = (body.to_frame * p.segment<10>(body.first)).eval();
  std::vector<double> value = start;
  for (std::size_t k = 0; k < variables.size(); ++k)
    value[static_cast<std::size_t>(variables[k])] = p[static_cast<Eigen::Index>(k)];
  return value;
}

MatrixXd FitProblem::by_variables(MatrixXd rows) const {
  for (const Recentred& body : recentred_)
    rows.middleCols<10>(body.first) = (rows.middleCols<10>(body.first) * body.to_frame).eval();
  return rows * fit.scale.asDiagonal();
}

/// With C = ∂π/∂x L⁻ᵀ, that is |C|² row by row.
std::vector<double> FitProblem::deviations() const {
  MatrixXd across = fit.inverse_factor() * fit.scale.asDiagonal();
  for (const Recentred& body : recentred_)
    across.middleCols<10>(body.first) = (across.middleCols<10>(body.first) * body.to_frame.transpose()).eval();
  std::vector<double> deviation(start.size(), 0.0);
  for (std::size_t k = 0; k < variables.size(); ++k)
    deviation[static_cast<std::size_t>(variables[k])] = across.col(static_cast<Eigen::Index>(k)).norm();
  return deviation;
}

}  // namespace sparsedyn
