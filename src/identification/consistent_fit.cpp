#include "consistent_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dense/orthogonal.hpp"
#include "dense/symmetric.hpp"
#include "pseudo_inertia.hpp"

namespace sparsedyn {
namespace {

using Slopes = Eigen::Matrix<double, 16, 10>;

/// How far a bound is, along two variables, or one (then the other is -1).
struct Wall {
  int of[2];
  double slope[2];
};

/// −Σ log det P_b − Σ log of what is left to each bound; infinite outside.
class Barrier {
 public:
  explicit Barrier(const ConsistentFit& fit) : fit_(fit) {}

  /// How much the barrier may cost at weight 1, at its minimum: 4 for each body, 1 for each bound (its parameter ν).
  double degree() const {
    double sum = 4.0 * static_cast<double>(fit_.bodies.size());
    for (const ConsistentFit::Bounded& each : fit_.bounded) sum += std::isfinite(each.most) ? 2 : 1;
    return sum;
  }

  double value(const Eigen::VectorXd& x) const {
    double sum = 0;
    for (const ConsistentFit::Body& body : fit_.bodies) {
      const Eigen::LLT<Eigen::Matrix4d> factor(at(body, x));
      if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
      for (int k = 0; k < 4; ++k) sum -= 2 * std::log(factor.matrixL()(k, k));
    }
    for (const ConsistentFit::Bounded& each : fit_.bounded) {
      const double p = held(each, x);
      if (!(p > each.least) || !(p < each.most)) return std::numeric_limits<double>::infinity();
      sum -= std::log(p - each.least);
      if (std::isfinite(each.most)) sum -= std::log(each.most - p);
    }
    return sum;
  }

  /// The columns J = vec(L⁻¹ ∂P L⁻ᵀ) of a body, P = L Lᵀ: −log det P has the gradient −Jᵀ vec(1) and the Hessian JᵀJ. Unlike
  /// P⁻¹ they keep their digits at the edge of the cone, and of bodies as light or heavy as numbers go.
  Slopes slopes(const ConsistentFit::Body& body, const Eigen::VectorXd& x) const {
    const Eigen::Matrix4d inverse = at(body, x).llt().matrixL().solve(Eigen::Matrix4d::Identity());
    Slopes J;
    for (std::size_t k = 0; k < 10; ++k) {
      if (body.variable[k] < 0) {
        J.col(static_cast<Eigen::Index>(k)).setZero();
        continue;
      }
      const Eigen::Matrix4d change = inverse * (fit_.scale[body.variable[k]] * pseudo_inertia_basis()[k]) * inverse.transpose();
      J.col(static_cast<Eigen::Index>(k)) = Eigen::Map<const Eigen::Matrix<double, 16, 1>>(change.data());
    }
    return J;
  }
  /// The same of each bound: a row with two entries, whose squares are the second derivatives.
  std::vector<Wall> walls(const Eigen::VectorXd& x) const {
    std::vector<Wall> found;
    for (const ConsistentFit::Bounded& each : fit_.bounded) {
      const double p = held(each, x), by = fit_.scale[each.variable], minus = each.minus < 0 ? 0 : -fit_.scale[each.minus];
      for (double inverse : {1 / (p - each.least), -1 / (each.most - p)})
        if (inverse != 0) found.push_back({{each.variable, each.minus}, {by * inverse, minus * inverse}});
    }
    return found;
  }

 private:
  double parameter(int k, const Eigen::VectorXd& x) const { return fit_.center[k] + fit_.scale[k] * x[k]; }
  double held(const ConsistentFit::Bounded& of, const Eigen::VectorXd& x) const {
    return parameter(of.variable, x) - (of.minus < 0 ? 0 : parameter(of.minus, x));
  }
  Eigen::Matrix4d at(const ConsistentFit::Body& body, const Eigen::VectorXd& x) const {
    std::array<double, 10> ten;
    for (std::size_t k = 0; k < 10; ++k) ten[k] = body.variable[k] < 0 ? body.fixed[k] : parameter(body.variable[k], x);
    return pseudo_inertia(ten.data());
  }
  const ConsistentFit& fit_;
};

/// The nearest bodies, more or less, whose pseudo-inertia, lengths over the body's size, has no eigenvalue below 1e-3 of its
/// mass. Where some of the ten are fixed, the body as it is.
Eigen::VectorXd inside(const ConsistentFit& fit) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(fit.center.size());
  for (const ConsistentFit::Body& body : fit.bodies) {
    if (!body.whole()) continue;
    std::array<double, 10> ten;
    for (std::size_t k = 0; k < 10; ++k) ten[k] = fit.center[body.variable[k]];
    const Eigen::Matrix4d P = pseudo_inertia(ten.data());
    const Eigen::Vector4d unit(1 / body.size, 1 / body.size, 1 / body.size, 1);
    const dense_algebra::SymmetricEigen eigen = dense_algebra::symmetric_eigen(unit.asDiagonal() * P * unit.asDiagonal());
    const Eigen::Vector4d lifted = eigen.values.cwiseMax(1e-3 * P(3, 3));
    const Eigen::Matrix4d axes = unit.cwiseInverse().asDiagonal() * Eigen::Matrix4d(eigen.vectors);
    const Eigen::Matrix<double, 10, 1> numbers = ten_of(axes * lifted.asDiagonal() * axes.transpose());
    for (std::size_t k = 0; k < 10; ++k) {
      const int v = body.variable[k];
      x[v] = (numbers[static_cast<Eigen::Index>(k)] - fit.center[v]) / fit.scale[v];
    }
  }
  for (const ConsistentFit::Bounded& each : fit.bounded) {
    const double center = fit.center[each.variable], scale = fit.scale[each.variable];
    const double margin = std::min(1e-3 * scale, 0.25 * (each.most - each.least));
    const double beside = each.minus < 0 ? 0 : fit.center[each.minus] + fit.scale[each.minus] * x[each.minus];
    x[each.variable] = (std::clamp(center, beside + each.least + margin, beside + each.most - margin) - center) / scale;
  }
  return x;
}

/// Where to go, and what Newton's decrement says it gains, twice.
struct Direction {
  Eigen::VectorXd step;
  double decrement;
};

/// Newton's method on ½ |A x − b|² + ½ |x|² + weight · barrier.
class Descent {
 public:
  explicit Descent(const ConsistentFit& fit)
      : fit_(fit), barrier_(fit), squares_(Eigen::MatrixXd::Identity(fit.A.cols(), fit.A.cols())) {
    squares_.noalias() += fit.A.transpose() * fit.A;
  }

  const Barrier& barrier() const { return barrier_; }
  double squares(const Eigen::VectorXd& x) const { return 0.5 * ((fit_.A * x - fit_.b).squaredNorm() + x.squaredNorm()); }

  /// Steps until one would gain no more than `enough`; the decrement of the last one.
  double minimise(Eigen::VectorXd& x, double weight, double enough) const {
    Direction next{x, std::numeric_limits<double>::quiet_NaN()};
    for (int step = 0; step < 100; ++step) {
      next = by_squares(x, weight);
      if (next.decrement <= enough) break;
      if (advance(x, next, weight)) continue;
      next = by_rows(x, weight);
      if (next.decrement <= enough || !advance(x, next, weight)) break;
    }
    return next.decrement;
  }

 private:
  /// By residuals: A x − b cancels, and AᵀA x − Aᵀb would keep none of the digits that are left.
  Eigen::VectorXd slope_of_squares(const Eigen::VectorXd& x) const { return fit_.A.transpose() * (fit_.A * x - fit_.b) + x; }

  /// From the Hessian. NaN where rounding has left it indefinite.
  Direction by_squares(const Eigen::VectorXd& x, double weight) const {
    Eigen::VectorXd gradient = slope_of_squares(x);
    Eigen::MatrixXd hessian = squares_;
    for (const ConsistentFit::Body& body : fit_.bodies) {
      const Slopes J = barrier_.slopes(body, x);
      const Eigen::Matrix<double, 10, 10> curvature = weight * (J.transpose() * J);
      for (int k = 0; k < 10; ++k) {
        const int row = body.variable[static_cast<std::size_t>(k)];
        if (row < 0) continue;
        gradient[row] -= weight * Eigen::Map<const Eigen::Matrix4d>(J.col(k).data()).trace();
        for (int l = 0; l < 10; ++l)
          if (const int column = body.variable[static_cast<std::size_t>(l)]; column >= 0)
            hessian(row, column) += curvature(k, l);
      }
    }
    for (const Wall& wall : barrier_.walls(x))
      for (int r = 0; r < 2 && wall.of[r] >= 0; ++r) {
        gradient[wall.of[r]] -= weight * wall.slope[r];
        for (int c = 0; c < 2 && wall.of[c] >= 0; ++c)
          hessian(wall.of[r], wall.of[c]) += weight * wall.slope[r] * wall.slope[c];
      }
    const auto step = dense_algebra::solve_positive(hessian, gradient);
    if (!step) return {x, std::numeric_limits<double>::quiet_NaN()};
    return {-*step, gradient.dot(*step)};
  }

  /// The same step as least squares of the rows [A; 1; √weight J], whose squares would lose half of the digits.
  Direction by_rows(const Eigen::VectorXd& x, double weight) const {
    const Eigen::Index n = x.size(), first = fit_.A.rows() + n;
    const std::vector<Wall> walls = barrier_.walls(x);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(first + static_cast<Eigen::Index>(16 * fit_.bodies.size() + walls.size()), n);
    Eigen::VectorXd left = Eigen::VectorXd::Zero(rows.rows());
    const double root = std::sqrt(weight);
    rows.topRows(first) << fit_.A, Eigen::MatrixXd::Identity(n, n);
    left.head(first) << fit_.A * x - fit_.b, x;
    Eigen::Index row = first;
    for (const ConsistentFit::Body& body : fit_.bodies) {
      const Slopes J = root * barrier_.slopes(body, x);
      for (int k = 0; k < 10; ++k)
        if (const int column = body.variable[static_cast<std::size_t>(k)]; column >= 0)
          rows.col(column).segment(row, 16) = J.col(k);
      for (int k = 0; k < 4; ++k) left[row + 5 * k] = -root;
      row += 16;
    }
    for (const Wall& wall : walls) {
      for (int r = 0; r < 2 && wall.of[r] >= 0; ++r) rows(row, wall.of[r]) = root * wall.slope[r];
      left[row++] = -root;
    }
    if (!rows.allFinite() || !left.allFinite()) return {x, std::numeric_limits<double>::quiet_NaN()};
    const Eigen::VectorXd step = dense_algebra::solve(dense_algebra::PivotedQR(rows), left);
    return {-step, (rows * step).squaredNorm()};
  }

  /// Along it as far as the sum falls. False where it does not: then rounding hides what there is to gain, or the direction.
  bool advance(Eigen::VectorXd& x, const Direction& along, double weight) const {
    const double before = squares(x) + weight * barrier_.value(x);
    const auto improves = [&](double length) {
      const Eigen::VectorXd at = x + length * along.step;
      return squares(at) + weight * barrier_.value(at) <= before - 0.1 * length * along.decrement;
    };
    double length = 1;
    while (length > 1e-12 && !improves(length)) length *= 0.5;
    if (length <= 1e-12) return false;
    x += length * along.step;
    return true;
  }

  const ConsistentFit& fit_;
  Barrier barrier_;
  Eigen::MatrixXd squares_;  // AᵀA + 1
};

}  // namespace

Eigen::MatrixXd ConsistentFit::factor() const {
  Eigen::MatrixXd rows(A.rows() + A.cols(), A.cols());
  rows << A, Eigen::MatrixXd::Identity(A.cols(), A.cols());
  return dense_algebra::triangle(rows).transpose();
}

Eigen::MatrixXd ConsistentFit::inverse_factor() const {
  return dense_algebra::solve_lower(factor(), Eigen::MatrixXd::Identity(A.cols(), A.cols()));
}

namespace {

/// From where the barrier weighs so much down to where it costs next to nothing, a factor at a time; what the last step would
/// still gain, twice. `way`: the first point at which the barrier weighs no more than 1: further down, near the
/// edge, another fit would need more steps from there than from the beginning.
double follow(const Descent& descent, Eigen::VectorXd& x, double weight, double cost, ConsistentFit::Way& way) {
  const double last = cost / std::max(1.0, descent.barrier().degree());
  bool passed = false;
  for (weight = std::max(weight, last);; weight = std::max(last, 0.1 * weight)) {
    // On the way it is enough to be where Newton's steps converge. At the end rounding hides what is gained beyond this.
    const double left = descent.minimise(x, weight, weight > last ? 0.01 * weight : 1e-3 * cost);
    if (!passed && (weight <= 1 || weight <= last)) way = {x, weight}, passed = true;
    if (weight <= last) return left;
  }
}

}  // namespace

Eigen::VectorXd ConsistentFit::solve(double cost) const {
  std::optional<Way> way;
  return solve(cost, way);
}

Eigen::VectorXd ConsistentFit::solve(double cost, std::optional<Way>& way) const {
  const Descent descent(*this);
  const auto settled = [&](double left, const Eigen::VectorXd& x) {
    return left <= std::max(1e-4, 1e-15 * descent.squares(x));
  };
  if (way) {
    Eigen::VectorXd x = way->x;
    if (settled(follow(descent, x, way->weight, cost, *way), x)) return x;
  }
  Eigen::VectorXd x = inside(*this);
  const double begin = descent.squares(x);
  if (!std::isfinite(begin)) throw std::overflow_error("identify: the rows' squares overflow");
  way.emplace();
  if (settled(follow(descent, x, std::max(1.0, begin), cost, *way), x)) return x;
  throw std::runtime_error("identify: Newton's steps do not settle: rows and prior are more decades apart than doubles hold");
}

}  // namespace sparsedyn
