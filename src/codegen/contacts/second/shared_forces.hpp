// Second derivatives of forces of redundant hard rows, which are the least ones, f = E J y (hard_row_factor.hpp). Where the
// share of such rows in the Lagrangian is (η − w)ᵀ E J y + σᵀ Jᵀ E m, w = J μ, and ν = E J σ, its second derivative along
// motions that keep the loops closed is that of rows which are not redundant, and, with g = E (η − w),
//   gᵀ (J″ y + J′ y′ + y′ᵀ J′ᵀ).
// μ and σ being stationary, g is what of E η moves nothing, Jᵀ g = 0: of rows which are not redundant zero.
#pragma once

#include <vector>

#include "codegen/contacts/loops/loop_rows.hpp"
#include "constraints/derivatives/constraint_answer.hpp"
#include "evaluated_stage.hpp"

namespace sparsedyn {

/// All memory is taken by the constructor.
class SharedForces {
 public:
  SharedForces(std::size_t nv, const std::vector<RowBlock>& blocks);

  /// Adds to G (by x and x) and W (by x and θ) of curved_answer.hpp, with 3 nv numbers a row. After the stages have been
  /// evaluated at the answer; their inputs are others then. With redundant rows alone. False if something is not finite.
  bool add(const ConstraintAnswer& at, const std::vector<double>& eta, EvaluatedStage& curvature, EvaluatedStage& turns,
           EvaluatedStage* moments, double* G, double* W) noexcept;

 private:
  void read_turns(const ConstraintAnswer& at, EvaluatedStage& turns, std::vector<double>& to) const noexcept;
  void take_moments(const ConstraintAnswer& at, EvaluatedStage& moments) noexcept;
  void take_column(const std::vector<double>& of_rows, std::size_t i) noexcept;
  void turn_forces(const ConstraintAnswer& at, double* W) noexcept;
  bool pair_with_rows(const ConstraintAnswer& at, EvaluatedStage& turns) noexcept;
  void share_changes(const ConstraintAnswer& at, double* W) noexcept;
  bool bend(const ConstraintAnswer& at, EvaluatedStage& curvature, double* G) const noexcept;

  std::size_t n_;
  std::vector<double> g_, column_, forces_;        // rows
  std::vector<double> y_, change_;                 // nv
  std::vector<double> tested_, turned_, by_unit_;  // rows × nv: ∂(w − η)/∂q, ∂(J y)/∂q, ∂(J x)/∂q of a freedom's x
  std::vector<double> C_;                          // nv × nv: ∂(gᵀ J)/∂q
};

}  // namespace sparsedyn
