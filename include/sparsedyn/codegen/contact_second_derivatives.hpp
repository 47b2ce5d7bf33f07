// Second derivatives of forward dynamics under contacts, loops, couplings, stops and dry friction, times multipliers λ:
//   λᵀ ∂²a = μᵀ ∂²F along (θ, ∂a/∂θ θ),     F(θ, a) = ID(q, v, a) − τ − Σ Jᵀ f = 0,     μ = −(∂F/∂a)⁻ᵀ λ,     θ = (q, v, τ)
// (the implicit function theorem, applied twice), and of λᵀ a + ηᵀ f, with multipliers of the constraints' forces. What
// generated code of these derivatives computes, evaluated without a compiler: the same straight lines, recorded by the
// constructor, and the same law of how forces bend.
#pragma once

#include <memory>

#include "sparsedyn/constraints/constrained_dynamics.hpp"

namespace sparsedyn {

/// One object a thread. All memory is taken by the constructor, which records: milliseconds for an arm, a second for a
/// humanoid.
class ContactSecondDerivatives {
 public:
  /// Throws as ConstrainedDynamics does, and std::invalid_argument for contacts between links, whose finders give first
  /// derivatives alone. The model must outlive it.
  ContactSecondDerivatives(const Model& model, const ConstraintSet& set, const ConstraintOptions& options = {});
  ~ContactSecondDerivatives();
  ContactSecondDerivatives(ContactSecondDerivatives&&) noexcept;             // as of ConstrainedDynamics
  ContactSecondDerivatives& operator=(ContactSecondDerivatives&&) noexcept;  // likewise

  /// What ConstrainedDynamics::derivatives writes, at the same arguments, and with multipliers λ (nv) also H (3nv × 3nv,
  /// symmetric): λᵀ ∂²a by (q along its tangent, v, τ) at δ = 0, a(q ⊕ δ, v, τ). Contacts keep their states, as in first
  /// derivatives; at a kink of solimp H is that of one side, and a soft loop whose power is 1 has no slope within 1e-9 of its
  /// width. By a limited torque H is zero. Where solimp's power is between 1 and 2, H of a closed loop may be infinite:
  /// no_derivatives, of no constraint. force_multipliers: η (force_columns()), or nullptr; with them H is λᵀ ∂²a + ηᵀ ∂²f, f
  /// what `lambda` of `first` holds, and states are refused as if ∂f/∂q were asked for. Where rows are redundant, as of a plane
  /// linkage on a floating base, H is, as first derivatives are, that along motions which keep the loops closed: an entry along
  /// which a loop opens tells nothing.
  ConstraintStatus evaluate(const double* q, const double* v, const double* tau, const Force<double>* fx,
                            const double* multipliers, const ConstraintDerivatives& first, double* H,
                            const double* force_multipliers = nullptr) noexcept;

  /// Names of columns and constraints; describes what evaluate() returns.
  const ConstrainedDynamics& dynamics() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsedyn
