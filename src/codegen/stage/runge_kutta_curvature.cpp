// Evaluation s takes a_s at (q_s, v_s), q_s = q + c_s h v_{s−1}, v_s = v + c_s h a_{s−1}; x⁺ = (q + h Σ w_s v_s, v + h Σ w_s
// a_s). With multipliers of these equations, κ_s of q_s, ν_s of v_s and α_s of a_s, from the last evaluation to the first
//   α_s = h α'_s,   α'_s = w_s λ_v + c_{s+1} ν_{s+1},     κ_s = (∂a_s/∂q)ᵀ α_s,
//   ν_s = h ν'_s + (∂a_s/∂v)ᵀ α_s,   ν'_s = w_s λ_q + c_{s+1} κ_{s+1},
// the second derivative of λᵀx⁺ is that of the sum of all equations times multipliers: with Y_s = ∂(q_s, v_s, u)/∂z
//   Σ Y_sᵀ (α_sᵀ ∂²a_s) Y_s,   and of dt with all others   Σ ν'_sᵀ ∂v_s/∂z + α'_sᵀ ∂a_s/∂z.
#include "runge_kutta_stage.hpp"

namespace sparsedyn {
namespace {

/// to += x row, without the terms that are zero.
void add(const Expr& x, const ExprVector& row, ExprVector& to) {
  if (is_zero(x)) return;
  for (std::size_t c = 0; c < row.size(); ++c)
    if (!is_zero(row[c])) to[c] += x * row[c];
}

/// Y_s: 3nv rows, of them those of torques that no free base has.
ExprMatrix slopes_of_arguments(const StageInputs& in, const RungeKuttaStage::Evaluation& at) {
  ExprMatrix Y = at.q;
  Y.insert(Y.end(), at.v.begin(), at.v.end());
  Y.resize(3 * in.n(), ExprVector(in.size()));
  for (std::size_t c = 0; c < in.controls; ++c) Y[3 * in.n() - in.controls + c][2 * in.n() + c] = Expr(1.0);
  return Y;
}

/// H += Yᵀ C Y of a lower triangle C, into the lower triangle.
void add_congruent(const ExprMatrix& Y, const ExprMatrix& C, ExprMatrix& H) {
  const std::size_t size = H.size();
  for (std::size_t i = 0; i < Y.size(); ++i) {
    ExprVector half(size);  // of row i of C + its own entry: C is the sum of both triangles
    for (std::size_t k = 0; k < i; ++k) add(C[i][k], Y[k], half);
    add(Expr(0.5) * C[i][i], Y[i], half);
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c <= r; ++c) {
        if (!is_zero(Y[i][r]) && !is_zero(half[c])) H[r][c] += Y[i][r] * half[c];
        if (!is_zero(half[r]) && !is_zero(Y[i][c])) H[r][c] += half[r] * Y[i][c];
      }
  }
}

}  // namespace

ExprMatrix runge_kutta_hessian(const StageInputs& in, const RungeKuttaStage& stage) {
  const std::size_t n = in.n(), count = stage.evaluations.size();
  ExprMatrix H(in.size(), ExprVector(in.size()));
  ExprVector kappa(n), nu(n), with_dt(in.size());  // of the evaluation behind
  for (std::size_t s = count; s-- > 0;) {
    const RungeKuttaStage::Evaluation& at = stage.evaluations[s];
    const Expr weight(RungeKuttaStage::weight[s]), reach(s + 1 < count ? RungeKuttaStage::reach[s + 1] : 0.0);
    ExprVector by_v(n), by_a(n), alpha(n);
    for (std::size_t k = 0; k < n; ++k) {
      by_v[k] = weight * in.lambda[k] + reach * kappa[k];
      by_a[k] = weight * in.lambda[n + k] + reach * nu[k];
      alpha[k] = in.dt * by_a[k];
      add(by_v[k], at.v[k], with_dt), add(by_a[k], at.a[k], with_dt);
    }
    add_congruent(slopes_of_arguments(in, at), at.forward->curvature(alpha, {}), H);
    const RecordedForward::Gradient slope = at.forward->gradient(alpha);
    for (std::size_t k = 0; k < n; ++k) kappa[k] = slope.q[k], nu[k] = in.dt * by_v[k] + slope.v[k];
  }
  // Rows by dt twice: what it does through the evaluations, and together with them.
  for (std::size_t c = 0; c + 1 < in.size(); ++c) H.back()[c] += with_dt[c];
  H.back().back() += with_dt.back() + with_dt.back();
  return H;
}

}  // namespace sparsedyn
