#include "solver_derivatives.hpp"

namespace sparsedyn {

SolverDerivatives::SolverDerivatives(const System& system, const Outputs& outputs, const Plan& plan, const Plan* fallback,
                                     const SolverOptions& options)
    : q(system.model().nq),
      v(system.model().nv),
      y(system.inputs().size()),
      engine(system, outputs, plan.pattern.rows),
      block(plan),
      planned(plan.pattern.rows, options.tolerance),
      dense(plan.pattern.rows) {
  if (fallback) fallback_block.emplace(*fallback);
}

void DeleteSolverDerivatives::operator()(SolverDerivatives* derivatives) const noexcept { delete derivatives; }

std::unique_ptr<SolverDerivatives, DeleteSolverDerivatives> made_derivatives(const System& system, const Outputs& outputs,
                                                                             const Plan& plan, const Plan* fallback,
                                                                             const SolverOptions& options) {
  return std::unique_ptr<SolverDerivatives, DeleteSolverDerivatives>(
      new SolverDerivatives(system, outputs, plan, fallback, options));
}

/// Where nothing is solved there is nothing to differentiate.
bool Solver::prepare_derivatives() noexcept {
  if (!derivatives_ || factors_ == Factors::none) return false;
  SolverDerivatives& d = *derivatives_;
  d.equations = &d.planned;
  if (factors_ == Factors::dense) {
    d.dense.use(*dense_);
    d.equations = &d.dense;
  } else {
    const bool fallback = factors_ == Factors::fallback;
    BlockSolve& block = fallback ? *d.fallback_block : d.block;
    block.load(fallback ? *fallback_lu_ : lu_);
    d.planned.use(block);
  }
  d.engine.at(d.q.data(), d.v.data(), d.y.data(), x_.data());
  return true;
}

SolverStatus Solver::derivatives(const DerivativeArrays& into, DerivativeMode mode) noexcept {
  SolverStatus status;
  const ChangedResidual changed{system_->pattern().rows, nullptr, nullptr};
  if (!prepare_derivatives())
    status.state = LUState::no_sample;
  else if (!derivatives_->engine.find(*derivatives_->equations, changed, into, mode))
    status.state = LUState::inaccurate;
  return status;
}

SolverStatus Solver::gradient(const double* weight, const DerivativeArrays& into) noexcept {
  SolverStatus status;
  const ChangedResidual changed{system_->pattern().rows, nullptr, nullptr};
  if (!prepare_derivatives())
    status.state = LUState::no_sample;
  else if (!derivatives_->engine.combine(*derivatives_->equations, changed, weight, into))
    status.state = LUState::inaccurate;
  return status;
}

}  // namespace sparsedyn
