// Forces on links as generalised forces, recorded.
#pragma once

#include <string>
#include <vector>

#include "codegen/programs/expr_vector.hpp"
#include "sparsedyn/codegen/program.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// τ(q, f) = Σ Jᵢᵀ fᵢ for forces on the origins of links, in the world's axes, three numbers a link. The links must exist.
/// Derivatives by q are along the tangent.
class LinkForces {
 public:
  LinkForces(const Model& model, const std::vector<std::string>& links, const ExprVector& q, const ExprVector& f);

  std::size_t count() const { return f_.size(); }
  /// τ, nv.
  const ExprVector& generalised() const { return tau_; }
  /// ∂τ/∂(δq, f): nv rows.
  const ExprMatrix& slopes() const;
  /// wᵀ∂²τ by (δq, f), the lower triangle.
  ExprMatrix curvature(const ExprVector& w) const;

 private:
  ExprMatrix changes(const ExprVector& w, bool of_power) const;

  ExprVector q_, f_, tau_;
  Program gradient_, change_;
  mutable ExprMatrix slopes_;
};

}  // namespace sparsedyn
