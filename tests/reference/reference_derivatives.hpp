// First derivatives without any derivation, each through the same templates as the dynamics itself: what the analytic ones are
// tested and measured against.
#pragma once

#include <memory>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// y = τ from x = a (inverse dynamics), or y = a from x = τ (forward dynamics).
enum class Dynamics { inverse, forward };

/// Error of a derivative of size 1, h being the step:
///   forward_differences  O(h) + 1e-16/h     best near h = 1e-8
///   central_differences  O(h²) + 1e-16/h    best near h = 1e-5
///   complex_step         O(h²): to rounding for any h below 1e-8 (Squire & Trapp, SIAM Review 1998)
///   dual_numbers         to rounding; no step
enum class ReferenceMethod { forward_differences, central_differences, complex_step, dual_numbers };

/// Results, row-major, in the order of v; columns with respect to q on the tangent space: (y(q ⊕ h e_k) − y(q)) / h.
struct DynamicsDerivatives {
  double* y;      // nv
  double* dy_dq;  // nv × nv
  double* dy_dv;  // nv × nv
  double* dy_dx;  // nv × nv
};

class ReferenceDerivatives {
 public:
  /// Allocates for one model, which must outlive it.
  ReferenceDerivatives(const Model& model, Dynamics dynamics);
  ~ReferenceDerivatives();

  /// q (nq, unit quaternions), v, x (nv); fx: wrenches on the bodies, constant in their frames, or null. 3 nv + 1 evaluations
  /// of the dynamics (6 nv + 1 by central differences). At a singular state of forward dynamics results are not finite.
  void evaluate(ReferenceMethod method, const double* q, const double* v, const double* x, const Force<double>* fx, double step,
                const DynamicsDerivatives& out) noexcept;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sparsedyn
