#include "sparsedyn/codegen/contact_second_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constraints/blocks.hpp"
#include "curved_answer.hpp"

namespace sparsedyn {
namespace {

ConstraintOptions without_limits(ConstraintOptions options) {
  options.effort_limits.clear();
  return options;
}

std::vector<RowBlock> own_blocks(const Model& model, const ConstraintSet& set) {
  std::vector<RowBlock> blocks = resolved(model, set, inverse_weights(model));
  for (const RowBlock& b : blocks)
    if (b.type == ConstraintType::link_contact)
      throw std::invalid_argument("constraint \"" + b.name +
                                  "\": second derivatives of contacts between links, whose finders give first ones alone");
  return blocks;
}

}  // namespace

struct ContactSecondDerivatives::State {
  State(const Model& robot, const ConstraintSet& set, const ConstraintOptions& choice)
      : model(robot),
        limits(choice.effort_limits),
        dynamics(robot, set, without_limits(choice)),
        curved(robot, own_blocks(robot, set)),
        torques(static_cast<std::size_t>(robot.nv)) {
    if (!limits.empty()) ConstrainedDynamics(robot, set, choice);  // judges them
    ConstraintAnswer::keep(dynamics);
  }

  bool cut_off(const double* tau, std::size_t i) const noexcept { return !limits.empty() && std::abs(tau[i]) > limits[i]; }

  /// Nothing changes with a torque beyond its limit.
  void clear(std::size_t i, const ConstraintDerivatives& first, double* H) const noexcept {
    const auto n = static_cast<std::size_t>(model.nv), forces = dynamics.force_columns().size();
    for (std::size_t r = 0; r < n; ++r) first.da_dtau[r * n + i] = 0;
    for (std::size_t r = 0; first.dlambda_dtau && r < forces; ++r) first.dlambda_dtau[r * n + i] = 0;
    for (std::size_t k = 0; k < 3 * n; ++k) H[(2 * n + i) * 3 * n + k] = H[k * 3 * n + 2 * n + i] = 0;
  }

  const Model& model;
  std::vector<double> limits;
  ConstrainedDynamics dynamics;
  CurvedAnswer curved;
  std::vector<double> torques;
};

ContactSecondDerivatives::ContactSecondDerivatives(const Model& model, const ConstraintSet& set,
                                                   const ConstraintOptions& options)
    : state_(std::make_unique<State>(model, set, options)) {}
ContactSecondDerivatives::~ContactSecondDerivatives() = default;
ContactSecondDerivatives::ContactSecondDerivatives(ContactSecondDerivatives&&) noexcept = default;
ContactSecondDerivatives& ContactSecondDerivatives::operator=(ContactSecondDerivatives&&) noexcept = default;

ConstraintStatus ContactSecondDerivatives::evaluate(const double* q, const double* v, const double* tau,
                                                    const Force<double>* fx, const double* multipliers,
                                                    const ConstraintDerivatives& first, double* H) noexcept {
  State& s = *state_;
  const auto n = static_cast<std::size_t>(s.model.nv);
  for (std::size_t i = 0; i < n; ++i) s.torques[i] = s.cut_off(tau, i) ? std::copysign(s.limits[i], tau[i]) : tau[i];
  ConstraintStatus status = s.dynamics.derivatives(q, v, s.torques.data(), fx, first);
  if (!status.ok()) return status;
  if (!s.curved.bend(ConstraintAnswer(s.dynamics), {q, v, fx, multipliers}, first, H))
    status.state = finite(multipliers, s.model.nv) ? ConstraintState::no_derivatives : ConstraintState::not_finite_input;
  for (std::size_t i = 0; i < n; ++i)
    if (s.cut_off(tau, i)) s.clear(i, first, H);
  return status;
}

const ConstrainedDynamics& ContactSecondDerivatives::dynamics() const noexcept { return state_->dynamics; }

}  // namespace sparsedyn
