// Forward dynamics at a recorded state with their derivatives, the second ones times multipliers.
#pragma once

#include <vector>

#include "codegen/programs/expr_vector.hpp"
#include "codegen/programs/recorded_dynamics.hpp"

namespace sparsedyn {

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
  /// Of λᵀq̈: by a reverse sweep over inverse dynamics, a few times the operations of f, whatever nv is; where second
  /// derivatives were asked for, or each entry's first ones, from what these have.
  Gradient gradient(const ExprVector& lambda) const;
  /// Of each entry of q̈: column by column, which is less than a gradient for each.
  std::vector<Gradient> rows() const;

  /// λᵀ∂²q̈ + Σ K_ij ∂q̈_i ∂q̈_j by (q, v, τ): the lower triangle, 3nv rows; half of the sum of both orders of differentiation
  /// within a joint. K: symmetric, of the first freedoms, which belong to one joint at the root; it may be empty.
  ExprMatrix curvature(const ExprVector& lambda, const ExprMatrix& K) const;

 private:
  const ExprMatrix& slopes() const;
  ExprVector right(const ExprVector& x) const;
  ExprVector left(const ExprVector& x) const;
  Gradient products(const ExprVector& lambda) const;
  ExprMatrix expansion(std::size_t rows) const;

  const Model& model_;
  const MinimalFormulation& f_;
  ExprVector q_, v_, a_;
  BranchFactors<Expr> factors_;
  bool full_;                   // what right() and left() give
  mutable ExprMatrix reduced_;  // slopes(), once they were asked for
};

}  // namespace sparsedyn
