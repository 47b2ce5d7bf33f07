// M = Lᵀ D L has its factors along the branches of the tree. With R = L⁻ᵀ [∂ID/∂q | ∂ID/∂v | −1], whose columns have the zeros
// of the tree, ∂q̈/∂(q, v, τ) = −L⁻¹ D⁻¹ R has none. Products therefore stop half way. With μ = −M⁻¹ λ and P = L⁻ᵀ ∂(M μ)/∂q,
// aba_contraction's equations (sparsedyn/dynamics/second_derivatives.hpp) are
//   λᵀ∂²q̈ = μᵀ∂²ID − Pᵀ D⁻¹ R − Rᵀ D⁻¹ P,
// P being zero but for columns by q. Entry (b, c) sums over freedoms on a branch with both: where b and c are on different
// branches, over those that carry both. Where the tree has few zeros, [∂ID/∂q | ∂ID/∂v | −1] and M⁻¹ ∂(M μ)/∂q
// in full take fewer operations than R and D⁻¹ P. What the integrator adds, Σ K_ij ∂q̈_i ∂q̈_j of the root's joint, is
// Rᵀ Gᵀ K G R with G = L⁻¹ D⁻¹ of that joint, products of the same rows of R, so both are one sum.
#include "forward_curvature.hpp"

#include "codegen/programs/coordinate_tangent.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "torque_gradient.hpp"

namespace sparsedyn {
namespace {

ExprVector column(const ExprVector& rows, std::size_t n, std::size_t c) {
  ExprVector made;
  for (std::size_t r = 0; r < n; ++r) made.push_back(rows[r * n + c]);
  return made;
}

ExprVector column(const ExprMatrix& X, std::size_t c) {
  ExprVector made;
  for (const ExprVector& row : X) made.push_back(row[c]);
  return made;
}

/// −L⁻¹ D⁻¹ x.
ExprVector minus_expanded(const BranchFactors<Expr>& F, ExprVector x) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = -(x[k] * F.inverse[k]);
    for (int i = F.parent[k]; i >= 0; i = F.parent[static_cast<std::size_t>(i)])
      x[k] = x[k] - F.L[k][static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
  }
  return x;
}

ExprVector negative(ExprVector x) {
  for (Expr& entry : x) entry = -entry;
  return x;
}

/// Σ_k x_k y_k without the terms that are zero.
Expr dot(const ExprVector& x, const ExprVector& y) {
  Expr sum;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!is_zero(x[k]) && !is_zero(y[k])) sum += x[k] * y[k];
  return sum;
}

/// X y of a symmetric X, smaller than y perhaps.
ExprVector product(const ExprMatrix& X, const ExprVector& y) {
  ExprVector made(X.size());
  for (std::size_t i = 0; i < X.size(); ++i)
    for (std::size_t k = 0; k < X.size(); ++k) made[i] += X[i][k] * y[k];
  return made;
}

/// Whether products with M⁻¹ in full take fewer operations than those that stop half way, counted by the zeros of the tree. A
/// free base's integration reads what half way is at hand.
bool full_is_less(const Model& model, const std::vector<int>& parent) {
  if (!has_additive_coordinates(model)) return false;
  const std::size_t n = parent.size();
  std::vector<long> above(n), below(n, 1);
  for (std::size_t k = 0; k < n; ++k)
    for (int i = parent[k]; i >= 0; i = parent[static_cast<std::size_t>(i)]) ++above[k], ++below[static_cast<std::size_t>(i)];
  long factors = 0, entries = 0, half = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const long related = above[k] + below[k];
    factors += above[k], entries += related;
    half += 2 * related * above[k] + 2 * related * related + related * below[k];  // R, then its products by q, v and τ
  }
  return static_cast<long>(n) * (factors + 2 * entries) < half;
}

/// Xᵀ K X.
ExprMatrix congruent(const ExprMatrix& X, const ExprMatrix& K) {
  ExprMatrix made(K.size(), ExprVector(K.size()));
  for (std::size_t c = 0; c < K.size(); ++c) {
    const ExprVector y = product(K, column(X, c));
    for (std::size_t r = 0; r <= c; ++r) made[r][c] = made[c][r] = dot(column(X, r), y);
  }
  return made;
}

}  // namespace

RecordedForward::RecordedForward(const Model& model, const MinimalFormulation& f, const ExprVector& q, const ExprVector& v,
                                 const ExprVector& tau)
    : model_(model),
      f_(f),
      q_(q),
      v_(v),
      factors_(branch_factors(joint_space_matrix(model, f, q))),
      full_(full_is_less(model, factors_.parent)) {
  const WrenchInputs no_wrenches;
  ExprVector rest = inverse_dynamics(model, f, q, v, nullptr, no_wrenches);
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = tau[k] - rest[k];
  a_ = branch_solve(factors_, rest);
}

/// L⁻ᵀ x, or x itself.
ExprVector RecordedForward::right(const ExprVector& x) const { return full_ ? x : branch_reduced(factors_, x); }

/// What a product with right() makes an inner product by M⁻¹: D⁻¹ L⁻ᵀ x, or M⁻¹ x.
ExprVector RecordedForward::left(const ExprVector& x) const {
  if (full_) return branch_solve(factors_, x);
  ExprVector made = branch_reduced(factors_, x);
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = made[k] * factors_.inverse[k];
  return made;
}

/// R by columns, 3nv.
const ExprMatrix& RecordedForward::slopes() const {
  if (!reduced_.empty()) return reduced_;
  const RecordedDerivatives inverse = inverse_dynamics_derivatives(model_, f_, q_, v_, a_, WrenchInputs());
  for (const ExprMatrix* X : {&inverse.dtau_dq, &inverse.dtau_dv})
    for (std::size_t c = 0; c < a_.size(); ++c) reduced_.push_back(right(column(*X, c)));
  for (std::size_t c = 0; c < a_.size(); ++c) {
    ExprVector unit(a_.size());
    unit[c] = Expr(-1.0);
    reduced_.push_back(right(unit));
  }
  return reduced_;
}

RecordedForward::Gradient RecordedForward::gradient(const ExprVector& lambda) const {
  if (!reduced_.empty()) return products(lambda);
  const ExprVector w = branch_solve(factors_, lambda);
  const TorqueGradient of_torques = torque_gradient(model_, f_, q_, v_, a_, w);
  return {negative(of_torques.q), negative(of_torques.v), w};
}

/// −(D⁻¹ L⁻ᵀ λ)ᵀ R.
RecordedForward::Gradient RecordedForward::products(const ExprVector& lambda) const {
  const ExprVector x = negative(left(lambda));
  ExprVector all;
  for (const ExprVector& column : slopes()) all.push_back(dot(x, column));
  const auto at = [&](std::size_t part) { return all.begin() + static_cast<std::ptrdiff_t>(part * x.size()); };
  return {{at(0), at(1)}, {at(1), at(2)}, {at(2), at(3)}};
}

/// The first rows of L⁻¹ D⁻¹.
ExprMatrix RecordedForward::expansion(std::size_t rows) const {
  ExprMatrix G(rows, ExprVector(a_.size()));
  for (std::size_t c = 0; c < rows; ++c) {
    ExprVector unit(a_.size());
    unit[c] = Expr(-1.0);
    const ExprVector x = minus_expanded(factors_, unit);
    for (std::size_t r = 0; r < rows; ++r) G[r][c] = x[r];
  }
  return G;
}

std::vector<RecordedForward::Gradient> RecordedForward::rows() const {
  const std::size_t n = a_.size();
  std::vector<Gradient> all(n, {ExprVector(n), ExprVector(n), ExprVector(n)});
  for (std::size_t c = 0; c < 3 * n; ++c) {
    const ExprVector R = full_ ? branch_reduced(factors_, slopes()[c]) : slopes()[c], x = minus_expanded(factors_, R);
    for (std::size_t k = 0; k < n; ++k) (c < n ? all[k].q[c] : c < 2 * n ? all[k].v[c - n] : all[k].tau[c - 2 * n]) = x[k];
  }
  return all;
}

ExprMatrix RecordedForward::curvature(const ExprVector& lambda, const ExprMatrix& K) const {
  const std::size_t n = lambda.size(), root = K.size();
  const ExprVector mu = negative(branch_solve(factors_, lambda));
  ExprVector qq(n * n), qv(qq), vv(qq), Mq(qq);
  ContractionWorkspace<Expr> work(model_);
  rnea_contraction(model_, work, q_.data(), v_.data(), a_.data(), static_cast<const Force<Expr>*>(nullptr), mu.data(),
                   Contraction<Expr>{qq.data(), qv.data(), vv.data(), Mq.data()});
  const ExprMatrix& R = slopes();
  const ExprMatrix at_root = congruent(expansion(root), K);
  ExprMatrix P, bent;  // D⁻¹ P and, of the root's joint, Gᵀ K G R − D⁻¹ P, by columns
  for (std::size_t c = 0; c < 3 * n; ++c) {
    P.push_back(c < n ? left(column(Mq, n, c)) : ExprVector(n));
    bent.push_back(negative(P[c]));
    const ExprVector by_K = product(at_root, R[c]);
    for (std::size_t k = 0; k < root; ++k) bent[c][k] += by_K[k];
  }
  ExprMatrix H(3 * n, ExprVector(3 * n));
  for (std::size_t b = 0; b < 3 * n; ++b)
    for (std::size_t c = 0; c <= b; ++c) H[b][c] = dot(R[b], bent[c]) - dot(P[b], R[c]);
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t c = 0; c < n; ++c) {
      H[n + c][b] += qv[b * n + c];
      if (c > b) continue;
      const Expr &bc = qq[b * n + c], &cb = qq[c * n + b];
      H[b][c] += bc.ref() == cb.ref() ? bc : Expr(0.5) * (bc + cb);
      H[n + b][n + c] += vv[b * n + c];
    }
  return H;
}

}  // namespace sparsedyn
