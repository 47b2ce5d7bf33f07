// Multipliers η of the constraints' forces in second derivatives of λᵀa + ηᵀf, and the adjoints that they change.
#pragma once

#include <array>
#include <vector>

#include "constraints/derivatives/constraint_answer.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class ForceMultipliers {
 public:
  ForceMultipliers(std::size_t nv, const std::vector<RowBlock>& blocks);

  /// At an answer; of_written: of the forces as they are written, or nullptr, which is zeros.
  void take(const ConstraintAnswer& at, const double* of_written) noexcept;

  bool any() const noexcept { return any_; }
  /// By row of the constraints; zero of those that count for nothing.
  const std::vector<double>& by_row() const noexcept { return by_row_; }
  /// Of a block's force as it is written.
  const double* written(const RowBlock& b) const noexcept { return of_written_ + b.first_force; }
  /// Of a contact that counts, by direction.
  std::array<double, 6> along(const ConstraintAnswer& at, std::size_t block) const noexcept;
  /// (∂f/∂τ)ᵀ η, nv.
  const std::vector<double>& moved() const noexcept { return moved_; }
  /// What ν of a loop's row has beside (∂f/∂τ) λ, ν of (contact_curvature.hpp) being the derivative of λᵀa + ηᵀf by what the
  /// row misses. With u = (∂f/∂τ)ᵀ η it is −D (η + J u) of a soft row. Of a hard one it is −S⁻¹ η less what the others' forces
  /// change by, S⁻¹ = ∂f/∂τ (M + Jᵀ h J) (∂f/∂τ)ᵀ: −∂f/∂τ (M u + Σ Jᵀ h (η + J u)), u of the hard rows and Σ over the others.
  double adjoint(const ConstraintAnswer& at, std::size_t block, int row) const noexcept;

 private:
  void push_by_hard_rows(const ConstraintAnswer& at) noexcept;

  std::size_t n_;
  bool any_ = false;
  const double* of_written_ = nullptr;
  std::vector<double> by_row_, moved_, hard_, pushed_;  // rows; nv: u of all rows, u of the hard ones, M u + Σ …
};

}  // namespace sparsedyn
