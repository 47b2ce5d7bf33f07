// Second derivatives without any derivation of their own, each through the same templates as the dynamics or as its first
// derivatives: what analytic second derivatives are tested and measured against (the comparison of Singh, Russell & Wensing,
// "On second-order derivatives of rigid-body dynamics", IEEE Access 2024, app. A).
#pragma once

#include "reference/reference_derivatives.hpp"

namespace sparsedyn {

/// Evaluations for each of nv² pairs (half of them where a pair commutes), or for each of 2 nv entries; h is the step. Error of
/// a derivative of size 1:
///   bicomplex_step          of the function, one a pair: O(h²), to rounding for any h from 1e-30 to 1e-10
///   chain_rule              dual numbers of dual numbers, one a pair: to rounding; no step
///   function_differences    central, four a pair: O(h²) + 1e-16/h²: 1e-8 near h = 1e-4
///   complex_step            of the analytic first derivatives, one an entry: to rounding for any h below 1e-8
///   derivative_differences  central, of the analytic first derivatives, two an entry: O(h²) + 1e-16/h, near h = 1e-5
enum class SecondReferenceMethod { bicomplex_step, chain_rule, function_differences, complex_step, derivative_differences };

/// Results, row-major nv × nv × nv: [a,b,c] at (a nv + b) nv + c. qq: derivative by q_c of ∂y_a/∂q_b, that is by moving first
/// c, then b, on the tangent space (q ⊕ h e_c) ⊕ h e_b; qv: of y_a by q_b and v_c; vv: by v_b and v_c; qx: by q_b and x_c
/// (∂M_ac/∂q_b for inverse dynamics, ∂M⁻¹_ac/∂q_b for forward dynamics). All other second derivatives are zero.
struct DynamicsSecondDerivatives {
  double *qq, *qv, *vv, *qx;
};

class ReferenceSecondDerivatives {
 public:
  /// Allocates for one model, which must outlive it.
  ReferenceSecondDerivatives(const Model& model, Dynamics dynamics);
  ~ReferenceSecondDerivatives();

  /// q (nq, unit quaternions), v, x (nv; x: a or τ); fx: wrenches on the bodies, constant in their frames, or null; step > 0
  /// (not used by chain_rule). No heap. At a singular state of forward dynamics results are not finite or of no use.
  void evaluate(SecondReferenceMethod method, const double* q, const double* v, const double* x, const Force<double>* fx,
                double step, const DynamicsSecondDerivatives& out) noexcept;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sparsedyn
