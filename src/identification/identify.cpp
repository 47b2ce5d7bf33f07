#include "sparsedyn/identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "consistent_fit.hpp"
#include "dense/orthogonal.hpp"
#include "dense/symmetric.hpp"
#include "least_deviations.hpp"
#include "pseudo_inertia.hpp"

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

/// What is fitted, and how the data's base parameters depend on it.
struct Problem {
  Problem(RowInformation& information, const IdentifyOptions& options);
  /// use(v, k, column) for what is linearised beyond π, from number `first` on.
  template <class Use>
  void on_shapes(int first, Use&& use) const {
    auto k = static_cast<std::size_t>(first);
    const std::vector<std::vector<FrictionColumn>>& extra = information.pass().extra;
    for (std::size_t v = 0; v < extra.size(); ++v)
      for (const FrictionColumn& column : extra[v]) {
        if (k < start.size()) use(v, k, column);
        ++k;
      }
  }
  void prior_of_shapes(int first);
  void bound_shapes(int first, const std::vector<int>& variable);

  RowInformation& information;
  std::vector<double> start, prior;  // by parameter; prior 0: not fitted
  std::vector<int> variables;        // parameters that are fitted
  ConsistentFit fit;                 // A and b by weigh()
  std::vector<MatrixXd> A;           // by freedom: R_i ∂β/∂x
  std::vector<VectorXd> b;           // z_i − R_i β(start)
};

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

/// A velocity's logarithm: a factor of ten; a share: 1.
void Problem::prior_of_shapes(int first) {
  on_shapes(first, [&](std::size_t, std::size_t k, const FrictionColumn& column) {
    prior[k] = column.along == FrictionNumber::stribeck ? 1 : std::log(10.0);
  });
}

/// Steps keep a share between 0 and 1, and a Stribeck velocity at four smoothing velocities or more: below, tanh hides what
/// sliding takes away.
void Problem::bound_shapes(int first, const std::vector<int>& variable) {
  constexpr double least_ratio = 4;
  std::vector<int> smoothing(static_cast<std::size_t>(information.model().nv), -1);  // by freedom
  on_shapes(first, [&](std::size_t v, std::size_t k, const FrictionColumn& column) {
    if (variable[k] < 0) return;
    const FrictionShape& g = column.shape;
    if (column.along == FrictionNumber::smoothing) smoothing[v] = variable[k];
    if (column.along == FrictionNumber::stribeck) fit.bounded.push_back({variable[k], -g.stribeck, 1 - g.stribeck});
    if (column.along == FrictionNumber::stribeck_velocity)
      fit.bounded.push_back({variable[k], std::log(least_ratio * g.smoothing / g.stribeck_velocity),
                             std::numeric_limits<double>::infinity(), smoothing[v]});
  });
}

Problem::Problem(RowInformation& info, const IdentifyOptions& options)
    : information(info), start(options.start.empty() ? parameters(info.model()) : options.start) {
  const Model& model = info.model();
  const ParameterIndex index(model);
  std::size_t count = static_cast<std::size_t>(index.count);
  if (options.start.empty() && count < extended(info)) start.resize(extended(info), 0.0);
  if (start.size() == extended(info)) count = extended(info);
  if (start.size() != count || (!options.fitted.empty() && options.fitted.size() != count))
    throw std::invalid_argument("identify: `start` and `fitted` need a number for each of " + std::to_string(count) +
                                " parameters");
  if (!(options.prior > 0)) throw std::invalid_argument("identify: the prior's deviation must be positive");
  prior.assign(count, 0.0);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (start[10 * j] > 0) body_prior(&start[10 * j], options.prior, &prior[10 * j]);  // what has no mass has no size
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

/// The rows of all freedoms, weighted by these deviations, as one triangle.
void weigh(Problem& p, const std::vector<double>& sigma) {
  Eigen::Index rows = 0;
  for (const MatrixXd& A : p.A) rows += A.rows();
  const Eigen::Index n = p.fit.center.size();
  MatrixXd all(rows, n + 1);
  rows = 0;
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    all.block(rows, 0, p.A[i].rows(), n) = p.A[i] / sigma[i];
    all.block(rows, n, p.b[i].size(), 1) = p.b[i] / sigma[i];
    rows += p.A[i].rows();
  }
  if (rows > n + 1) all = dense_algebra::triangle(all);
  p.fit.A = all.leftCols(n), p.fit.b = all.col(n);
}

/// Share of a normal deviation's square that min(u², k²) keeps.
double kept_square(double k) {
  const double beyond = std::erfc(k / std::sqrt(2.0)), density = std::exp(-0.5 * k * k) / std::sqrt(2 * std::acos(-1.0));
  return 1 - beyond - 2 * k * density + k * k * beyond;
}

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

std::vector<double> values_of(const Problem& p, const VectorXd& x) {
  std::vector<double> value = p.start;
  for (std::size_t k = 0; k < p.variables.size(); ++k)
    value[static_cast<std::size_t>(p.variables[k])] =
        p.fit.center[static_cast<Eigen::Index>(k)] +
        p.fit.scale[static_cast<Eigen::Index>(k)] * x[static_cast<Eigen::Index>(k)];
  return value;
}

/// What 1 + AᵀA gives, which is positive definite unless it overflows.
MatrixXd of_finite(const std::optional<MatrixXd>& found) {
  if (!found) throw std::overflow_error("identify: the rows' squares overflow");
  return *found;
}

/// The deviations that the fit leaves, with as many freedoms as it took from each torque's rows; `least`: that of first_sigma.
std::vector<double> next_sigma(Problem& p, const std::vector<double>& value, const std::vector<double>& sigma,
                               const std::vector<double>& least) {
  const MatrixXd factor = of_finite(dense_algebra::cholesky(p.fit.hessian()));
  std::vector<double> next;
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    const MatrixXd taken = dense_algebra::solve_lower(factor, p.A[i].transpose());
    const double freedoms = taken.squaredNorm() / (sigma[i] * sigma[i]);
    const double rows = static_cast<double>(p.information.factors()[i].rows);
    const double left = std::sqrt(p.information.squares(static_cast<int>(i), value) / std::max(1.0, rows - freedoms));
    next.push_back(std::max(left, least[i]));
  }
  return next;
}

/// Of good samples where Huber weighted them: σ with Σ min(r², k²σ²) as normal noise has it (Huber's second proposal, 1964).
/// `weighing`: the deviation that makes AᵀWA / σ² the information of the fit, σ² E[ψ²] E[w] / E[ψ′]² (Huber 1981, ch. 7.6).
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

void find_base(Problem& p, const std::vector<double>& weighing, Identification& result) {
  result.base = base_of(p.information.model(), p.variables);
  result.base_value = result.base.values(result.value);
  const auto n = static_cast<Eigen::Index>(result.base.independent.size());
  MatrixXd W(0, n);
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    MatrixXd rows(p.A[i].rows(), n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto x = std::find(p.variables.begin(), p.variables.end(), result.base.independent[static_cast<std::size_t>(k)]) -
                     p.variables.begin();
      rows.col(k) = p.A[i].col(x) / (p.fit.scale[x] * weighing[i]);
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

/// Deviations that are stated: by the options, else by the sensors; 0 where they are to be estimated.
std::vector<double> known_sigma(RowInformation& information, const IdentifyOptions& options) {
  std::vector<double> known = options.sigma;
  if (known.empty())
    for (const RowInformation::Factor& factor : information.factors()) known.push_back(factor.sigma);
  if (known.size() != information.factors().size())
    throw std::invalid_argument("identify: `sigma` needs a number for each torque");
  return known;
}

void check_rows(RowInformation& information) {
  long rows = 0;
  for (const RowInformation::Factor& factor : information.factors()) {
    rows += factor.rows;
    if (factor.rows > 0 && factor.rows <= factor.order())
      throw std::invalid_argument("identify: " + std::to_string(factor.rows) + " samples of a torque that depends on " +
                                  std::to_string(factor.order()) + " parameters");
  }
  if (rows == 0) throw std::invalid_argument("identify: no samples");
}

/// Fits by reweighting until the deviations that are not known stay.
void reweight(Problem& p, const std::vector<double>& known, Identification& result) {
  const std::vector<double> least = first_sigma(p.information);
  for (std::size_t i = 0; i < known.size(); ++i) result.sigma.push_back(known[i] > 0 ? known[i] : least[i]);
  constexpr int reweightings = 20;
  constexpr double roughly = 1e-4, exactly = 1e-9;  // what the barrier may cost: little while the weights still change
  double cost = roughly;
  for (int k = 0; k < reweightings; ++k) {
    weigh(p, result.sigma);
    result.value = values_of(p, p.fit.solve(cost));
    const std::vector<double> next = next_sigma(p, result.value, result.sigma, least);
    double change = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (known[i] > 0 || p.information.factors()[i].rows == 0) continue;
      change = std::max(change, std::fabs(next[i] / result.sigma[i] - 1));
      result.sigma[i] = next[i];
    }
    if (change < 1e-6 && cost == exactly) break;
    if (change < 1e-3 || k > reweightings / 2) cost = exactly;
  }
}

double cost_of(const Problem& p, const std::vector<double>& known, const std::vector<double>& value) {
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

}  // namespace

Identification identify(RowInformation& information, const IdentifyOptions& options) {
  Problem p(information, options);
  Identification result;
  for (const RowInformation::Factor& factor : information.factors()) result.rows += factor.rows;
  const std::vector<double> known = known_sigma(information, options);
  check_rows(information);
  std::vector<double> weighing;
  if (information.pass().huber) {
    huber_sigma(information, known, result.sigma, weighing);
    weigh(p, weighing);
    result.value = values_of(p, p.fit.solve());
  } else {
    reweight(p, known, result);
    weighing = result.sigma;
    weigh(p, weighing);
  }
  result.sd.assign(p.start.size(), 0.0), result.determined.assign(p.start.size(), 0);
  const MatrixXd covariance = of_finite(dense_algebra::inverse_of_positive(p.fit.hessian()));
  for (std::size_t x = 0; x < p.variables.size(); ++x) {
    const auto k = static_cast<std::size_t>(p.variables[x]);
    const double share = std::sqrt(covariance(static_cast<Eigen::Index>(x), static_cast<Eigen::Index>(x)));
    result.sd[k] = share * p.prior[k], result.determined[k] = share < 0.5;
  }
  find_base(p, weighing, result);
  double sum = 0;
  for (std::size_t i = 0; i < p.A.size(); ++i) {
    const double ratio = information.pass().huber ? information.pass().huber->sigma[i] / result.sigma[i] : 1;
    sum += information.pass().huber
               ? information.factors()[i].squares * ratio * ratio / kept_square(information.pass().huber->threshold)
               : information.squares(static_cast<int>(i), result.value) / (result.sigma[i] * result.sigma[i]);
  }
  result.chi_square = sum / static_cast<double>(result.rows - result.rank);
  result.cost = cost_of(p, known, result.value);
  return result;
}

double consistency(const double* ten) {
  const Eigen::Matrix4d P = pseudo_inertia(ten);
  return dense_algebra::symmetric_eigenvalues(P)[0] / P.trace();
}

}  // namespace sparsedyn
