// Evaluation s takes a_s at (q_s, v_s), q_s = q ⊕ θ_s, θ_s = c_s h θ'_{s−1}, v_s = v + c_s h a_{s−1}, θ'_s = θ'(θ_s, v_s);
// x⁺ = (q ⊕ h Σ w_s θ'_s, v + h Σ w_s a_s). With multipliers of these equations, κ_s of q_s, ξ_s of θ_s, ν_s of v_s, ρ_s of
// θ'_s and α_s of a_s, ξ of the step's own θ, from the last evaluation to the first
//   α_s = h α'_s,   α'_s = w_s λ_v + c_{s+1} ν_{s+1},     κ_s = (∂a_s/∂q)ᵀ α_s,
//   ρ_s = h ρ'_s,   ρ'_s = w_s ξ + c_{s+1} ξ_{s+1},       ν_s = (∂θ'_s/∂v)ᵀ ρ_s + (∂a_s/∂v)ᵀ α_s,
//   ξ_s = (∂θ'_s/∂θ)ᵀ ρ_s + (∂q_s/∂θ)ᵀ κ_s,               ξ = (∂q⁺/∂θ)ᵀ λ_q,
// the second derivative of λᵀx⁺ is that of the sum of all equations times multipliers: with Y_s = ∂(q_s, v_s, u)/∂z
//   Σ Y_sᵀ (α_sᵀ ∂²a_s) Y_s,   of dt with all others   Σ ρ'_sᵀ ∂θ'_s/∂z + α'_sᵀ ∂a_s/∂z,
// and the Hessians κ_sᵀ ∂²q_s, ρ_sᵀ ∂²θ'_s and λ_qᵀ ∂²q⁺ of each joint's own moves by (δq, θ_s) and (θ_s, v_s), which are
// zero where coordinates are additive.
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

/// The rows of a joint.
ExprMatrix rows_of(const Body& body, const ExprMatrix& all, std::size_t count) {
  const auto begin = all.begin() + body.v;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

ExprMatrix stacked(ExprMatrix a, const ExprMatrix& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// What the results of one joint, functions of two of its vectors x and y, add to H at multipliers of them; multipliers of x
/// and y grow by those of the results times slopes.
struct JointFunction {
  const Body& body;
  const std::vector<LocalJet>& results;

  void pull_back(const ExprVector& multipliers, ExprVector& of_x, ExprVector& of_y) const {
    const std::size_t n = results.size(), v = place(body.v);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < n; ++k) {
        add(multipliers[v + r], results[r].slope(k), of_x, v + k);
        add(multipliers[v + r], results[r].slope(n + k), of_y, v + k);
      }
  }
  /// x, y: their derivatives by z.
  void add_curvature(const ExprVector& multipliers, const ExprMatrix& x, const ExprMatrix& y, ExprMatrix& H) const {
    const std::size_t n = results.size(), v = place(body.v);
    ExprMatrix C(2 * n, ExprVector(2 * n));
    for (std::size_t i = 0; i < 2 * n; ++i)
      for (std::size_t k = 0; k <= i; ++k)
        for (std::size_t r = 0; r < n; ++r) {
          const Expr bent = results[r].curvature(i, k);
          if (!is_zero(bent)) C[i][k] += multipliers[v + r] * bent;
        }
    add_congruent(stacked(rows_of(body, x, n), rows_of(body, y, n)), C, H);
  }

 private:
  static void add(const Expr& x, const Expr& slope, ExprVector& to, std::size_t at) {
    if (!is_zero(x) && !is_zero(slope)) to[at] += x * slope;
  }
};

/// The sweep from the last evaluation to the first.
class MultiplierSweep {
 public:
  MultiplierSweep(const Model& model, const StageInputs& in)
      : model_(model), in_(in), H_(in.size(), ExprVector(in.size())), with_dt_(in.size()), start_(in.n(), with_dt_) {
    for (std::size_t k = 0; k < in.n(); ++k) start_[k][k] = Expr(1.0);
  }

  ExprMatrix operator()(const RungeKuttaStage& stage) {
    const std::size_t n = in_.n(), count = stage.evaluations.size();
    const ExprVector of_q(in_.lambda.begin(), in_.lambda.begin() + static_cast<std::ptrdiff_t>(n)),
        of_theta = moved(stage.last, of_q);
    ExprVector xi(n), nu(n);  // of the evaluation behind
    for (std::size_t s = count; s-- > 0;) {
      const RungeKuttaStage::Evaluation& at = stage.evaluations[s];
      const Expr weight(RungeKuttaStage::weight[s]), reach(s + 1 < count ? RungeKuttaStage::reach[s + 1] : 0.0);
      ExprVector rho(n), alpha(n);
      for (std::size_t k = 0; k < n; ++k) {
        const Expr by_rate = weight * of_theta[k] + reach * xi[k], by_a = weight * in_.lambda[n + k] + reach * nu[k];
        rho[k] = in_.dt * by_rate, alpha[k] = in_.dt * by_a;
        add(by_rate, at.rate[k], with_dt_), add(by_a, at.a[k], with_dt_);
      }
      add_congruent(slopes_of_arguments(in_, at), at.forward->curvature(alpha, {}), H_);
      if (s == 0) break;
      const RecordedForward::Gradient slope = at.forward->gradient(alpha);
      nu = slope.v, xi = moved(at.move, slope.q);
      for (std::size_t b = 0; b < at.rates.size(); ++b) {
        const JointFunction rate{model_.bodies[b], at.rates[b]};
        rate.pull_back(rho, xi, nu);
        rate.add_curvature(rho, at.move.theta, at.v, H_);
      }
    }
    // Rows by dt twice: what it does through the evaluations, and together with them.
    for (std::size_t c = 0; c + 1 < in_.size(); ++c) H_.back()[c] += with_dt_[c];
    H_.back().back() += with_dt_.back() + with_dt_.back();
    return H_;
  }

 private:
  /// Multipliers of θ from those of q ⊕ θ, whose own curvature goes into H.
  ExprVector moved(const RungeKuttaStage::Move& move, const ExprVector& multipliers) {
    ExprVector of_start(in_.n()), of_theta(in_.n());
    for (std::size_t b = 0; b < move.joints.size(); ++b) {
      const JointFunction change{model_.bodies[b], move.joints[b].change};
      change.pull_back(multipliers, of_start, of_theta);
      change.add_curvature(multipliers, start_, move.theta, H_);
    }
    return of_theta;
  }

  const Model& model_;
  const StageInputs& in_;
  ExprMatrix H_;
  ExprVector with_dt_;
  ExprMatrix start_;  // ∂δq/∂z
};

}  // namespace

ExprMatrix runge_kutta_hessian(const Model& model, const StageInputs& in, const RungeKuttaStage& stage) {
  return MultiplierSweep(model, in)(stage);
}

}  // namespace sparsedyn
