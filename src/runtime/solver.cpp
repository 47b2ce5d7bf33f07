#include "sparsedyn/runtime/solver.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "runtime/derivatives/solver_derivatives.hpp"
#include "sparse/refinement.hpp"
#include "status_words.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

SolverStatus to_solver_status(const LUStatus& status) {
  SolverStatus found;
  found.state = status.state, found.unknown = status.column, found.equation = status.row;
  return found;
}

void note_lost(int unknown, SolverStatus& status) {
  if (unknown < 0) return;
  status.state = LUState::inaccurate, status.unknown = unknown;
}

void note(const SolutionErrors& errors, SolverStatus& status) {
  status.backward_error = errors.backward, status.componentwise_error = errors.componentwise;
}

}  // namespace

Solver::Solver(std::shared_ptr<const System> system, std::shared_ptr<const Plan> plan, const SolverOptions& options)
    : system_(of_robot(std::move(system))),
      plan_(there(std::move(plan), "plan")),
      options_(options),
      outputs_(*system_, options.outputs),
      work_(*system_),
      probe_(*system_),
      lu_(*plan_),
      x_(plan_->pattern.columns) {
  const Pattern& pattern = system_->pattern();
  if (pattern.row_start != plan_->pattern.row_start || pattern.column != plan_->pattern.column)
    throw std::invalid_argument("the plan is not one for this system");
  if (plan_->fallback) {
    fallback_plan_ = std::make_unique<const Plan>(make_plan(pattern, *plan_->fallback, plan_->unit));
    fallback_lu_ = std::make_unique<ZeroFillLU<double>>(*fallback_plan_);
  }
  if (pattern.columns <= options_.dense_limit) {
    dense_ = std::make_unique<DenseLU>(pattern);
    moved_.resize(pattern.entries());
    refinement_ = RefinementMemory<double>(*plan_);
  }
  if (system_->sums_inertias()) negligible_ = std::make_unique<NegligibleSizes>(*system_);
  if (options.derivatives) derivatives_ = made_derivatives(*system_, outputs_, *plan_, fallback_plan_.get(), options);
}

SolverStatus Solver::solve(const double* q, const double* v, const double* y, double* out) noexcept {
  system_->assemble(q, v, y, lu_.values(), lu_.right_side(), work_);
  factors_ = Factors::plan;
  SolverStatus status = attempt(lu_, q, y);
  if (!status.ok() && status.state != LUState::not_finite_input && fallback_lu_) {
    std::copy_n(lu_.values(), plan_->pattern.entries(), fallback_lu_->values());
    std::copy_n(lu_.right_side(), plan_->pattern.rows, fallback_lu_->right_side());
    ++counts_.fallback_order;
    factors_ = Factors::fallback;
    status = attempt(*fallback_lu_, q, y);
  }
  if (!status.ok() && status.state != LUState::not_finite_input && dense_) {
    ++counts_.dense;
    factors_ = Factors::dense;
    status = attempt_dense(q, y);
  }
  if (status.ok()) {
    system_->unshift(x_.data(), work_);
    outputs_.write(x_.data(), y, work_, out);
    if (derivatives_) derivatives_->keep(q, v, y);
    ++counts_.solved;
  } else {
    factors_ = Factors::none;
    ++counts_.failed;
  }
  return status;
}

SolverStatus Solver::attempt(ZeroFillLU<double>& lu, const double* q, const double* y) noexcept {
  LUStatus lu_status = lu.factor();
  if (lu_status.ok()) lu_status = lu.solve(x_.data());
  SolverStatus status = to_solver_status(lu_status);
  if (!status.ok()) return status;
  status.growth = lu.growth();
  const SolutionErrors errors = lu.errors(x_.data());
  note(lu.improve(x_.data(), errors, options_.tolerance, counts_.refined), status);
  if (!accurate(status) || (lu.doubtful(errors.norm) && lu.vanishing_pivot(probe_.values(q, y)) >= 0))
    status.state = LUState::inaccurate;
  if (status.ok() && negligible_) note_lost(lu.unknown_without_digits(x_.data(), negligible_->beside(x_.data())), status);
  return status;
}

bool Solver::accurate(const SolverStatus& status) const noexcept {
  return status.backward_error <= options_.tolerance && status.componentwise_error <= options_.tolerance;
}

const double* Solver::moved_by_rounding(const double* q, const double* y) noexcept {
  lu_health::move_by_rounding(plan_->unit, probe_.values(q, y), moved_.data(), plan_->pattern.entries());
  return moved_.data();
}

SolverStatus Solver::attempt_dense(const double* q, const double* y) noexcept {
  SolverStatus status;
  if (!dense_->factor(lu_.values()) || (dense_->doubtful() && !dense_->withstands(lu_.values(), moved_by_rounding(q, y)))) {
    status.state = LUState::zero_pivot;
    status.unknown = dense_->singular_column();
    return status;
  }
  dense_->solve(lu_.right_side(), x_.data());
  const Refinement<double> solution{plan_->pattern, lu_.values(), lu_.right_side(), x_.data(), refinement_};
  const auto solve = [&](const double* b, double* x) { return dense_->solve(b, x), true; };
  note(improve(solution, lu_.errors(x_.data()), options_.tolerance, counts_.refined, solve), status);
  if (!accurate(status)) status.state = LUState::inaccurate;
  if (status.ok() && negligible_) note_lost(unknown_without_digits_dense(), status);
  return status;
}

/// As ZeroFillLU::unknown_without_digits.
int Solver::unknown_without_digits_dense() noexcept {
  detail::find_noise(plan_->pattern, lu_.values(), lu_.right_side(), x_.data(), refinement_,
                     [&](const double* b, double* z) { return dense_->solve(b, z), true; });
  return lu_health::unknown_lost(*plan_, lu_.values(), lu_.right_side(), x_.data(), refinement_.noise.data(),
                                 negligible_->beside(x_.data()));
}

std::string Solver::describe(const SolverStatus& status) const {
  return status_words(*system_, status,
                      "the system is singular at this state: nothing determines " + unknown_of(*system_, status), "of some row",
                      ", or a pivot is rounding");
}

}  // namespace sparsedyn
