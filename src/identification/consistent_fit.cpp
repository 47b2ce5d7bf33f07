#include "consistent_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dense/symmetric.hpp"
#include "pseudo_inertia.hpp"

namespace sparsedyn {
namespace {

/// −Σ log det P_b − Σ log p_k with its gradient and Hessian in x; infinite outside.
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
    for (const std::vector<int>& body : fit_.bodies) {
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

  void add_derivatives(const Eigen::VectorXd& x, double weight, Eigen::VectorXd& gradient, Eigen::MatrixXd& hessian) const {
    const auto& basis = pseudo_inertia_basis();
    for (const std::vector<int>& body : fit_.bodies) {
      const Eigen::Matrix4d inverse = at(body, x).inverse();
      std::array<Eigen::Matrix4d, 10> change;  // P⁻¹ ∂P
      for (std::size_t k = 0; k < 10; ++k) change[k] = fit_.scale[body[k]] * (inverse * basis[k]);
      for (std::size_t k = 0; k < 10; ++k) {
        gradient[body[k]] -= weight * change[k].trace();
        for (std::size_t l = 0; l < 10; ++l)
          hessian(body[k], body[l]) += weight * (change[k].transpose().cwiseProduct(change[l])).sum();
      }
    }
    for (const ConsistentFit::Bounded& each : fit_.bounded) {
      const double p = held(each, x), below = 1 / (p - each.least), above = 1 / (each.most - p);
      const int of[2] = {each.variable, each.minus};
      const double by[2] = {fit_.scale[of[0]], of[1] < 0 ? 0 : -fit_.scale[of[1]]};
      for (int r = 0; r < 2 && of[r] >= 0; ++r) {
        gradient[of[r]] -= weight * by[r] * (below - above);
        for (int c = 0; c < 2 && of[c] >= 0; ++c)
          hessian(of[r], of[c]) += weight * by[r] * by[c] * (below * below + above * above);
      }
    }
  }

 private:
  double parameter(int k, const Eigen::VectorXd& x) const { return fit_.center[k] + fit_.scale[k] * x[k]; }
  double held(const ConsistentFit::Bounded& of, const Eigen::VectorXd& x) const {
    return parameter(of.variable, x) - (of.minus < 0 ? 0 : parameter(of.minus, x));
  }
  Eigen::Matrix4d at(const std::vector<int>& body, const Eigen::VectorXd& x) const {
    std::array<double, 10> ten;
    for (std::size_t k = 0; k < 10; ++k) ten[k] = parameter(body[k], x);
    return pseudo_inertia(ten.data());
  }
  const ConsistentFit& fit_;
};

/// The nearest bodies, more or less, whose pseudo-inertia has no eigenvalue below 1e-3 of its trace.
Eigen::VectorXd inside(const ConsistentFit& fit) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(fit.center.size());
  for (const std::vector<int>& body : fit.bodies) {
    std::array<double, 10> ten;
    for (std::size_t k = 0; k < 10; ++k) ten[k] = fit.center[body[k]];
    // lengths in units in which Σ is as large as m, so that one bound serves both
    const Eigen::Matrix4d P = pseudo_inertia(ten.data());
    const double length = std::sqrt(std::max(P.topLeftCorner<3, 3>().trace(), 1e-12 * P(3, 3)) / P(3, 3));
    const Eigen::Vector4d unit(1 / length, 1 / length, 1 / length, 1);
    const dense_algebra::SymmetricEigen eigen = dense_algebra::symmetric_eigen(unit.asDiagonal() * P * unit.asDiagonal());
    const Eigen::Vector4d lifted = eigen.values.cwiseMax(1e-3 * P(3, 3));
    const Eigen::Matrix4d axes = unit.cwiseInverse().asDiagonal() * Eigen::Matrix4d(eigen.vectors);
    const Eigen::Matrix4d moved = axes * lifted.asDiagonal() * axes.transpose();
    const double trace = moved.topLeftCorner<3, 3>().trace();
    const double numbers[10] = {moved(3, 3),  moved(0, 3),         moved(1, 3),  moved(2, 3),  trace - moved(0, 0),
                                -moved(0, 1), trace - moved(1, 1), -moved(0, 2), -moved(1, 2), trace - moved(2, 2)};
    for (std::size_t k = 0; k < 10; ++k) x[body[k]] = (numbers[k] - fit.center[body[k]]) / fit.scale[body[k]];
  }
  for (const ConsistentFit::Bounded& each : fit.bounded) {
    const double center = fit.center[each.variable], scale = fit.scale[each.variable];
    const double margin = std::min(1e-3 * scale, 0.25 * (each.most - each.least));
    const double beside = each.minus < 0 ? 0 : fit.center[each.minus] + fit.scale[each.minus] * x[each.minus];
    x[each.variable] = (std::clamp(center, beside + each.least + margin, beside + each.most - margin) - center) / scale;
  }
  return x;
}

}  // namespace

Eigen::MatrixXd ConsistentFit::hessian() const {
  Eigen::MatrixXd H = Eigen::MatrixXd::Identity(A.cols(), A.cols());
  H.noalias() += A.transpose() * A;
  return H;
}

namespace {

/// H⁻¹ g of a Hessian that is positive definite but for rounding.
Eigen::VectorXd newton_step(const Eigen::MatrixXd& H, const Eigen::VectorXd& g) {
  if (const auto step = dense_algebra::solve_positive(H, g)) return *step;
  return dense_algebra::solve_symmetric(H, g);
}

}  // namespace

Eigen::VectorXd ConsistentFit::solve(double cost) const {
  const Barrier barrier(*this);
  const Eigen::MatrixXd H = hessian();
  Eigen::VectorXd x = inside(*this);
  const auto squares = [&](const Eigen::VectorXd& at) { return 0.5 * ((A * at - b).squaredNorm() + at.squaredNorm()); };
  // From a barrier as steep as the squares down to one that costs next to nothing, a factor at a time.
  const double last = cost / std::max(1.0, barrier.degree());
  for (double weight = std::max(1.0, squares(x));; weight = std::max(last, 0.1 * weight)) {
    // On the way it is enough to be where Newton's steps converge. At the end rounding hides what is gained beyond this.
    const double enough = weight > last ? 0.01 * weight : 1e-3 * cost;
    for (int step = 0; step < 100; ++step) {
      // by residuals: A x − b cancels, and AᵀA x − Aᵀb would keep none of the digits that are left
      Eigen::VectorXd gradient = A.transpose() * (A * x - b) + x;
      Eigen::MatrixXd curvature = H;
      barrier.add_derivatives(x, weight, gradient, curvature);
      const Eigen::VectorXd direction = -newton_step(curvature, gradient);
      const double decrement = -gradient.dot(direction);
      if (!(decrement > enough)) break;
      const double before = squares(x) + weight * barrier.value(x);
      const auto improves = [&](double length) {
        const Eigen::VectorXd at = x + length * direction;
        return squares(at) + weight * barrier.value(at) <= before - 0.1 * length * decrement;
      };
      double length = 1;
      while (length > 1e-12 && !improves(length)) length *= 0.5;
      if (length <= 1e-12) break;  // rounding: no better point along the direction
      x += length * direction;
    }
    if (weight <= last) return x;
  }
}

}  // namespace sparsedyn
