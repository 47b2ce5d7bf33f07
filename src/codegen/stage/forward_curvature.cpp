// With μ = −M⁻¹ λ and X = (∂(M μ)/∂q)ᵀ M⁻¹, aba_contraction's equations (sparsedyn/dynamics/second_derivatives.hpp) are
//   λᵀ∂²q̈/∂q∂q = μᵀ∂²ID/∂q∂q − X ∂ID/∂q − (X ∂ID/∂q)ᵀ,  λᵀ∂²q̈/∂q∂v = μᵀ∂²ID/∂q∂v − X ∂ID/∂v,
//   λᵀ∂²q̈/∂v∂v = μᵀ∂²ID/∂v∂v,                           λᵀ∂²q̈/∂q∂τ = X:
// ∂ID/∂q and ∂ID/∂v have the zeros of the tree, which ∂q̈/∂q and ∂q̈/∂v have not.
#include "forward_curvature.hpp"

#include "sparsedyn/dynamics/second_derivatives.hpp"

namespace sparsedyn {
namespace {

ExprMatrix square(const ExprVector& x, std::size_t n) {
  ExprMatrix rows;
  for (std::size_t i = 0; i < n; ++i)
    rows.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(i * n), x.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
  return rows;
}

/// −M⁻¹ X, column by column.
ExprMatrix minus_solved(const BranchFactors<Expr>& factors, const ExprMatrix& X) {
  ExprMatrix made(X.size(), ExprVector(X.size()));
  for (std::size_t c = 0; c < X.size(); ++c) {
    ExprVector column;
    for (const ExprVector& row : X) column.push_back(-row[c]);
    column = branch_solve(factors, column);
    for (std::size_t r = 0; r < X.size(); ++r) made[r][c] = column[r];
  }
  return made;
}

/// xᵀ Y.
ExprVector times(const ExprVector& x, const ExprMatrix& Y) {
  ExprVector sum(Y.size());
  for (std::size_t e = 0; e < Y.size(); ++e)
    for (std::size_t c = 0; c < Y.size(); ++c) sum[c] += x[e] * Y[e][c];
  return sum;
}

ExprVector negative(ExprVector x) {
  for (Expr& entry : x) entry = -entry;
  return x;
}

}  // namespace

RecordedForward::RecordedForward(const Model& model, const MinimalFormulation& f, const ExprVector& q, const ExprVector& v,
                                 const ExprVector& tau)
    : model_(model), q_(q), v_(v), factors_(branch_factors(joint_space_matrix(model, f, q))) {
  const WrenchInputs no_wrenches;
  ExprVector rest = inverse_dynamics(model, f, q, v, nullptr, no_wrenches);
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = tau[k] - rest[k];
  a_ = branch_solve(factors_, rest);
  inverse_ = inverse_dynamics_derivatives(model, f, q, v, a_, no_wrenches);
}

RecordedForward::Gradient RecordedForward::gradient(const ExprVector& lambda) const {
  const ExprVector w = branch_solve(factors_, lambda);
  return {negative(times(w, inverse_.dtau_dq)), negative(times(w, inverse_.dtau_dv)), w};
}

std::vector<RecordedForward::Gradient> RecordedForward::rows() const {
  const ExprMatrix q = minus_solved(factors_, inverse_.dtau_dq), v = minus_solved(factors_, inverse_.dtau_dv),
                   tau = branch_inverse(factors_);
  std::vector<Gradient> all;
  for (std::size_t k = 0; k < a_.size(); ++k) all.push_back({q[k], v[k], tau[k]});
  return all;
}

RecordedForward::Curvature RecordedForward::curvature(const ExprVector& lambda) const {
  const std::size_t n = lambda.size();
  const ExprVector mu = negative(branch_solve(factors_, lambda));
  ExprVector qq(n * n), qv(qq), vv(qq), Mq(qq);
  ContractionWorkspace<Expr> work(model_);
  rnea_contraction(model_, work, q_.data(), v_.data(), a_.data(), static_cast<const Force<Expr>*>(nullptr), mu.data(),
                   Contraction<Expr>{qq.data(), qv.data(), vv.data(), Mq.data()});
  Curvature made{square(qq, n), square(qv, n), square(vv, n), {}};
  const ExprMatrix mass = square(Mq, n), once = made.qq;
  ExprMatrix moved;
  for (std::size_t b = 0; b < n; ++b) {
    ExprVector column;
    for (std::size_t e = 0; e < n; ++e) column.push_back(mass[e][b]);
    made.qtau.push_back(branch_solve(factors_, column));
    moved.push_back(negative(times(made.qtau[b], inverse_.dtau_dq)));
    const ExprVector by_v = negative(times(made.qtau[b], inverse_.dtau_dv));
    for (std::size_t c = 0; c < n; ++c) made.qv[b][c] += by_v[c];
  }
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t c = 0; c < n; ++c) {
      const Expr own = once[b][c].ref() == once[c][b].ref() ? once[b][c] : Expr(0.5) * (once[b][c] + once[c][b]);
      made.qq[b][c] = own + moved[b][c] + moved[c][b];
    }
  return made;
}

}  // namespace sparsedyn
