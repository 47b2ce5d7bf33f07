// A step of semi-implicit Euler with its first and second derivatives.
#pragma once

#include <optional>
#include <vector>

#include "forward_curvature.hpp"
#include "joint_step.hpp"
#include "stage_ports.hpp"

namespace sparsedyn {

/// Recorded: x⁺ = S(q, v, a, dt) joint by joint, a = FD(q, v, u).
class SemiImplicitStage {
 public:
  /// `derivatives`: whether any will be asked for. `in` must outlive it.
  SemiImplicitStage(const Model& model, const MinimalFormulation& f, const StageInputs& in, bool derivatives);

  /// x⁺, nq + nv.
  ExprVector next() const;
  /// From now on λ multiplies x⁺'s coordinates (nq + nv), not changes along the tangent at x⁺: in.lambda is by the tangent to
  /// first order, and the curvature of q⁺ ⊕ δ comes beside.
  void multiply_coordinates(const ExprVector& lambda);
  /// ∂x⁺/∂z, 2nv rows. From now on the others take rows of ∂a/∂z from here.
  ExprMatrix jacobian();
  /// λᵀ ∂x⁺/∂z.
  ExprVector gradient() const;
  /// λᵀ ∂²x⁺/∂z², the lower triangle.
  ExprMatrix hessian() const;

 private:
  std::size_t freedoms_of(std::size_t b) const { return steps_[b].v.size(); }
  /// Of a joint: δq, v, a, dt.
  std::size_t variables(std::size_t b) const { return 3 * freedoms_of(b) + 1; }
  bool is_acceleration(std::size_t b, std::size_t k) const { return k >= 2 * freedoms_of(b) && k < 3 * freedoms_of(b); }
  std::size_t direct(std::size_t b, std::size_t k) const;
  std::size_t acceleration(std::size_t b, std::size_t k) const;
  template <class F>
  Expr multiplied(std::size_t b, F&& f) const;
  ExprVector by_acceleration() const;
  ExprVector slopes_of_acceleration(std::size_t k) const;
  void add_by_z(std::size_t b, std::size_t k, const Expr& x, ExprVector& row) const;
  void add_forward(ExprMatrix& H) const;
  void add_own(std::size_t b, ExprMatrix& H, ExprVector& with_dt) const;
  Expr curvature(std::size_t b, std::size_t i, std::size_t k) const;
  /// Whether the joint's freedoms are the first and on the world, as RecordedForward::curvature asks.
  bool at_root(std::size_t b) const {
    return b == 0 && !model_.bodies.empty() && model_.bodies[0].parent < 0 && model_.bodies[0].v == 0;
  }
  ExprMatrix root_curvature() const;
  ExprVector met(std::size_t b, std::size_t i) const;
  void add_product(std::size_t k, const ExprVector& sum, ExprMatrix& H) const;

  const Model& model_;
  const StageInputs& in_;
  std::optional<RecordedForward> forward_;
  std::vector<RecordedForward::Gradient> rows_;  // by acceleration, where all are asked for
  std::vector<JointStep> steps_;                 // by body
  std::vector<ExprMatrix> bends_;                // by body: λᵀ∂²(q⁺ ⊕ δ) ∂change; empty: λ is along the tangent
};

}  // namespace sparsedyn
