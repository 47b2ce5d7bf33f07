// Forward dynamics at a recorded state with their derivatives, the second ones times multipliers.
#pragma once

#include <vector>

#include "codegen/programs/recorded_dynamics.hpp"

namespace sparsedyn {

using ExprVector = std::vector<Expr>;
using ExprMatrix = std::vector<ExprVector>;  // by rows

/// M q̈ = τ − bias at (q, v, τ), and how it is differentiated. All by the tangent of q.
class RecordedForward {
 public:
  RecordedForward(const Model& model, const MinimalFormulation& f, const ExprVector& q, const ExprVector& v,
                  const ExprVector& tau);

  const ExprVector& acceleration() const { return a_; }
  /// Of a number: its derivatives by q, v and τ, nv each.
  struct Gradient {
    ExprVector q, v, tau;
  };
  /// Of λᵀq̈; for few λ.
  Gradient gradient(const ExprVector& lambda) const;
  /// Of each entry of q̈: column by column, which is less than a gradient for each.
  std::vector<Gradient> rows() const;

  /// λᵀ times the second derivatives, qq symmetric: half of the sum of both orders of differentiation within a joint.
  struct Curvature {
    ExprMatrix qq, qv, vv, qtau;
  };
  Curvature curvature(const ExprVector& lambda) const;

 private:
  const Model& model_;
  ExprVector q_, v_, a_;
  BranchFactors<Expr> factors_;
  RecordedDerivatives inverse_;
};

}  // namespace sparsedyn
