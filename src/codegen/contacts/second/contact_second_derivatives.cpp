#include "sparsedyn/codegen/contact_second_derivatives.hpp"

#include <stdexcept>

#include "curved_answer.hpp"

namespace sparsedyn {
namespace {

/// Those of the dynamics.
const std::vector<RowBlock>& known_to_bend(const ConstrainedDynamics& dynamics) {
  const std::vector<RowBlock>& blocks = ConstraintAnswer(dynamics).rows.blocks();
  for (const RowBlock& b : blocks)
    if (b.type == ConstraintType::link_contact)
      throw std::invalid_argument("constraint \"" + b.name +
                                  "\": second derivatives of contacts between links, whose finders give first ones alone");
  return blocks;
}

}  // namespace

struct ContactSecondDerivatives::State {
  State(const Model& model, const ConstraintSet& set, const ConstraintOptions& options)
      : nv(model.nv), dynamics(model, set, options), curved(model, known_to_bend(dynamics)) {
    ConstraintAnswer::keep(dynamics);
    forces_by_q.resize(dynamics.force_columns().size() * static_cast<std::size_t>(nv));
  }

  /// Those of open contacts are not looked at again.
  bool finite_forces(const double* multipliers) const noexcept {
    return !multipliers || finite(multipliers, static_cast<int>(dynamics.force_columns().size()));
  }

  /// Nothing changes with a torque beyond its limit.
  void clear(const ConstraintAnswer& at, const double* tau, const ConstraintDerivatives& first, double* H) const noexcept {
    const auto width = 3 * static_cast<std::size_t>(nv);
    for (int i = 0; i < nv; ++i) {
      if (!at.cut_off(tau, i)) continue;
      at.clear_slopes(i, first);
      const std::size_t own = 2 * static_cast<std::size_t>(nv) + static_cast<std::size_t>(i);
      for (std::size_t k = 0; k < width; ++k) H[own * width + k] = H[k * width + own] = 0;
    }
  }

  int nv;
  ConstrainedDynamics dynamics;
  CurvedAnswer curved;
  std::vector<double> forces_by_q;  // ∂f/∂q, where the caller does not take it
};

ContactSecondDerivatives::ContactSecondDerivatives(const Model& model, const ConstraintSet& set,
                                                   const ConstraintOptions& options)
    : state_(std::make_unique<State>(model, set, options)) {}
ContactSecondDerivatives::~ContactSecondDerivatives() = default;
ContactSecondDerivatives::ContactSecondDerivatives(ContactSecondDerivatives&&) noexcept = default;
ContactSecondDerivatives& ContactSecondDerivatives::operator=(ContactSecondDerivatives&&) noexcept = default;

ConstraintStatus ContactSecondDerivatives::evaluate(const double* q, const double* v, const double* tau,
                                                    const Force<double>* fx, const double* multipliers,
                                                    const ConstraintDerivatives& first, double* H,
                                                    const double* force_multipliers) noexcept {
  State& s = *state_;
  ConstraintDerivatives asked = first;
  if (force_multipliers && !asked.dlambda_dq) asked.dlambda_dq = s.forces_by_q.data();
  ConstraintStatus status = ConstraintAnswer::derive(s.dynamics, q, v, tau, fx, asked);
  if (status.ok() && !s.finite_forces(force_multipliers)) status.state = ConstraintState::not_finite_input;
  if (!status.ok()) return status;
  const ConstraintAnswer at(s.dynamics);
  if (!s.curved.bend(at, {q, v, fx, multipliers, force_multipliers}, first, H))
    status.state = finite(multipliers, s.nv) ? ConstraintState::no_derivatives : ConstraintState::not_finite_input;
  s.clear(at, tau, first, H);
  return status;
}

const ConstrainedDynamics& ContactSecondDerivatives::dynamics() const noexcept { return state_->dynamics; }

}  // namespace sparsedyn
