// Steps of joints that turn: what steps of several integrators have in common.
#pragma once

#include <vector>

#include "turn_in_step.hpp"

namespace sparsedyn {

/// A turn by the rotation vector φ from the quaternion u, and how a change δ of u and one of φ change what is behind it.
struct JointTurn {
  JointTurn(const Expr* u, const JetVector& delta, const JetVector& phi);
  JetQuaternion e, before;  // exp(φ/2), and its value
  std::vector<Expr> after;  // u exp(φ/2)
  JetVector change;         // along the tangent there; its value is zero
};

/// Of a body that shifts by h R c from a pose that changes by (turn, shift): δp + ½ δθ × δp + h (exp(δθ) c − c₀), in the axes
/// before the step, to second order.
JetVector shifted(const JetVector& turn, const JetVector& shift, const LocalJet& h, const JetVector& c);

/// A turn in the plane by φ.
struct PlaneTurn {
  explicit PlaneTurn(const LocalJet& phi);
  /// x in the axes that the turn leads to.
  JetVector back(const JetVector& x) const { return {cosine * x[0] + sine * x[1], cosine * x[1] - sine * x[0], LocalJet()}; }
  LocalJet cosine, sine;
};

}  // namespace sparsedyn
