#include "inverse_weights.hpp"

#include <cmath>

#include "dense/symmetric.hpp"
#include "inertia_factor.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/kinematics.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int other_postures = 5;

/// M⁻¹ at a posture; of a singular M a generalised inverse, and the directions that move no mass.
struct Inverse {
  std::vector<double> q;
  Matrix inverse;        // nv × nv
  Eigen::MatrixXd idle;  // nv × directions, columns of length one
};

std::vector<double> posture(const Model& model, int k) {
  std::vector<double> q(static_cast<std::size_t>(model.nq));
  neutral(model, q.data());
  const std::vector<double> step(static_cast<std::size_t>(model.nv), 0.5 * k);
  if (k > 0) integrate(model, q.data(), step.data(), q.data());
  return q;
}

Matrix inertia_matrix(const Model& model, const std::vector<double>& q) {
  Workspace<double> ws(model);
  Matrix M(model.nv, model.nv);
  crba(model, ws, q.data(), M.data());
  return M;
}

bool is_regular(const Model& model, Matrix M) { return InertiaFactor(model, {}).factor(M.data()) < 0; }

/// M = S⁻¹ V d Vᵀ S⁻¹ with S M S of unit diagonal: the generalised inverse S V d⁺ Vᵀ S. Of all of them it does not matter
/// which: C M⁻ Cᵀ is the same for every C that no idle direction moves.
Inverse of_singular(std::vector<double> q, const Matrix& M) {
  constexpr double rounding = 1e-13;
  const Eigen::Index n = M.rows();
  Eigen::VectorXd S(n);
  for (Eigen::Index i = 0; i < n; ++i) S[i] = M(i, i) > 0 ? 1 / std::sqrt(M(i, i)) : 0;
  const dense_algebra::SymmetricEigen of = dense_algebra::symmetric_eigen(S.asDiagonal() * Eigen::MatrixXd(M) * S.asDiagonal());
  Inverse found{std::move(q), Matrix::Zero(n, n), Eigen::MatrixXd(n, n)};
  Eigen::Index idle = 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::VectorXd direction = S.asDiagonal() * of.vectors.col(k);
    if (of.values[k] > rounding)
      found.inverse += direction * direction.transpose() / of.values[k];
    else
      for (Eigen::Index i = 0; i < n; ++i) direction[i] = S[i] == 0 ? of.vectors(i, k) : direction[i];
    if (!(of.values[k] > rounding)) found.idle.col(idle++) = direction.normalized();
  }
  found.idle.conservativeResize(n, idle);
  return found;
}

/// At the zero posture, unless fewer directions are idle at another one.
Inverse best_inverse(const Model& model) {
  std::vector<Inverse> singular;
  for (int k = 0; k <= other_postures; ++k) {
    std::vector<double> q = posture(model, k);
    const Matrix M = inertia_matrix(model, q);
    std::optional<Eigen::MatrixXd> inverse;
    if (is_regular(model, M)) inverse = dense_algebra::inverse_of_positive(M);
    if (inverse) return {std::move(q), *inverse, Eigen::MatrixXd(model.nv, 0)};
    singular.push_back(of_singular(std::move(q), M));
    if (singular.back().idle.cols() < singular.front().idle.cols()) std::swap(singular.front(), singular.back());
  }
  return singular.front();
}

/// The freedom that has most part in the idle directions that the rows of C see, or -1.
int idle_freedom(const Inverse& of, const Matrix& C) {
  constexpr double rounding = 1e-9;
  const double size = C.cwiseAbs().maxCoeff();
  int found = -1;
  double most = 0;
  for (Eigen::Index k = 0; k < of.idle.cols(); ++k) {
    const double seen = (C * of.idle.col(k)).cwiseAbs().maxCoeff();
    if (!(seen > rounding * size)) continue;
    for (Eigen::Index i = 0; i < C.cols(); ++i) {
      const double part = seen * C.col(i).cwiseAbs().maxCoeff() * std::abs(of.idle(i, k));
      if (part > most) most = part, found = static_cast<int>(i);
    }
  }
  return found;
}

double weight(const Inverse& of, const Matrix& C) { return (C * of.inverse * C.transpose()).trace() / 3; }

/// Velocities of the body's centre of mass, angular ones above linear ones, in the axes of the link that leads it.
Matrix at_centre_of_mass(const Model& model, const Workspace<double>& ws, int body) {
  const int link = model.leading_link(body);
  Matrix J(6, model.nv);
  link_jacobian(model, ws, link, Axes::link, J.data());
  const Pose<double>& in_body = model.links[link].pose;
  const Inertia<double>& I = model.bodies[body].inertia;
  const Vec3<double> com = I.m == 0 ? in_body.d : (1 / I.m) * I.h;
  const Vec3<double> c = transposed_times(in_body.R, com - in_body.d);  // from the link's origin, in its axes
  Eigen::Matrix3d across;
  across << 0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0;
  J.bottomRows<3>() -= across * J.topRows<3>();
  return J;
}

}  // namespace

InverseWeights inverse_weights(const Model& model) {
  InverseWeights weights;
  weights.body.resize(model.bodies.size());
  if (model.nv == 0) return weights;
  const Inverse of = best_inverse(model);
  for (int k = 0; k < model.tree().nv; ++k) {  // those of followers by their multipliers
    const CoordinateMap::Entry at = entry_of(model, k);
    weights.freedom.push_back(at.multiplier * at.multiplier * of.inverse(at.index, at.index));
    Matrix own = Matrix::Zero(1, model.nv);
    own(0, at.index) = 1;
    weights.idle.push_back(idle_freedom(of, own));
  }
  Workspace<double> ws(model);
  forward_kinematics<double>(model, ws, of.q.data(), nullptr, nullptr);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int link = model.leading_link(static_cast<int>(b));
    if (link < 0 || model.links[link].body != static_cast<int>(b)) continue;  // inside a joint of several axes
    const Matrix J = at_centre_of_mass(model, ws, static_cast<int>(b));
    weights.body[b] = {weight(of, J.bottomRows<3>()), weight(of, J.topRows<3>()), idle_freedom(of, J)};
  }
  return weights;
}

}  // namespace sparsedyn
