// ẋ = (v, q̈): the upper rows of A are (0, 1), and λᵀ∂²f = λᵥᵀ∂²q̈.
#include "rate_stage.hpp"

#include <algorithm>

#include "stage_ports.hpp"

namespace sparsedyn {
namespace {

/// ∂ẋ/∂z, 2nv rows; a last column, by dt, is zero.
ExprMatrix slopes_of_rate(const StageInputs& in, const RecordedForward& forward) {
  ExprMatrix J(in.n(), ExprVector(in.size()));
  for (std::size_t k = 0; k < in.n(); ++k) J[k][in.n() + k] = Expr(1.0);
  for (const RecordedForward::Gradient& row : forward.rows()) J.push_back(by_z(in, row));
  return J;
}

}  // namespace

void record_rate(Recorder& recorder, const Model& model, const MinimalFormulation& f, const std::vector<std::string>& asked) {
  const auto asks = [&](const char* name) { return std::find(asked.begin(), asked.end(), name) != asked.end(); };
  const bool jacobian = asks("A") || asks("B"), multipliers = asks("g") || asks("H");
  const StageInputs in(recorder, model, multipliers ? Multipliers::tangent : Multipliers::none, false);
  if (!jacobian && !multipliers)
    return output_rate(recorder, model, in, forward_dynamics(model, f, in.q, in.v, in.tau, WrenchInputs()));
  const RecordedForward forward(model, f, in.q, in.v, in.tau);
  if (asks("xdot")) output_rate(recorder, model, in, forward.acceleration());
  if (jacobian) output_jacobians(recorder, model, in, asked, slopes_of_rate(in, forward));
  if (!multipliers) return;
  const auto middle = in.lambda.begin() + static_cast<std::ptrdiff_t>(in.n());
  const ExprVector of_rates(in.lambda.begin(), middle), of_accelerations(middle, in.lambda.end());
  if (asks("g")) {
    ExprVector g = by_z(in, forward.gradient(of_accelerations));
    g.pop_back();
    for (std::size_t k = 0; k < in.n(); ++k) g[in.n() + k] += of_rates[k];
    output_gradient(recorder, g);
  }
  if (asks("H")) output_hessian(recorder, by_z(in, forward.curvature(of_accelerations, {})));
}

}  // namespace sparsedyn
