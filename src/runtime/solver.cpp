#include "sparsedyn/runtime/solver.hpp"

#include <algorithm>
#include <cstdio>

#include "arguments.hpp"
#include "sparse/lu_health.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

SolverStatus to_solver_status(const LUStatus& status) {
  SolverStatus found;
  found.state = status.state, found.unknown = status.column, found.equation = status.row;
  return found;
}

void note(const SolutionErrors& errors, SolverStatus& status) {
  status.backward_error = errors.backward, status.componentwise_error = errors.componentwise;
}

}  // namespace

Solver::Solver(std::shared_ptr<const System> system, std::shared_ptr<const Plan> plan, const SolverOptions& options)
    : system_(there(std::move(system), "system")),
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
    rest_.resize(pattern.columns), step_.resize(pattern.columns), first_step_.resize(pattern.columns),
        noise_.resize(pattern.columns);
  }
}

SolverStatus Solver::solve(const double* q, const double* v, const double* y, double* out) noexcept {
  system_->assemble(q, v, y, lu_.values(), lu_.right_side(), work_);
  SolverStatus status = attempt(lu_, q, y);
  if (!status.ok() && status.state != LUState::not_finite_input && fallback_lu_) {
    std::copy_n(lu_.values(), plan_->pattern.entries(), fallback_lu_->values());
    std::copy_n(lu_.right_side(), plan_->pattern.rows, fallback_lu_->right_side());
    ++counts_.fallback_order;
    status = attempt(*fallback_lu_, q, y);
  }
  if (!status.ok() && status.state != LUState::not_finite_input && dense_) {
    ++counts_.dense;
    status = attempt_dense(q, y);
  }
  if (status.ok()) {
    system_->unshift(x_.data(), work_);
    outputs_.write(x_.data(), y, work_, out);
    ++counts_.solved;
  } else {
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
  return status;
}

bool Solver::accurate(const SolverStatus& status) const noexcept {
  return status.backward_error <= options_.tolerance && status.componentwise_error <= options_.tolerance;
}

SolverStatus Solver::attempt_dense(const double* q, const double* y) noexcept {
  SolverStatus status;
  if (!dense_->factor(lu_.values()) || (dense_->doubtful() && !dense_->withstands(lu_.values(), probe_.values(q, y)))) {
    status.state = LUState::zero_pivot;
    status.unknown = dense_->singular_column();
    return status;
  }
  dense_->solve(lu_.right_side(), x_.data());
  note(lu_.errors(x_.data()), status);
  for (int k = 0; k < 3 && !accurate(status); ++k) {
    refine_dense();
    if (k == 0) first_step_ = step_;
    note(lu_.errors(x_.data()), status);
    if (!(status.componentwise_error > options_.tolerance)) continue;
    lu_health::unknowns_noise(*plan_, lu_.values(), lu_.right_side(), x_.data(), noise_.data());
    status.componentwise_error = lu_health::error_beside_rounding(plan_->pattern, lu_.values(), lu_.right_side(), x_.data(),
                                                                  first_step_.data(), noise_.data());
  }
  if (!accurate(status)) status.state = LUState::inaccurate;
  return status;
}

void Solver::refine_dense() noexcept {
  const Pattern& pattern = plan_->pattern;
  for (int r = 0; r < pattern.rows; ++r) {
    rest_[r] = lu_.right_side()[r];
    for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) rest_[r] -= lu_.values()[e] * x_[pattern.column[e]];
  }
  dense_->solve(rest_.data(), step_.data());
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += step_[j];
  ++counts_.refined;
}

std::string Solver::describe(const SolverStatus& status) const {
  const std::string unknown = name_of(system_->unknown_names(), status.unknown, "an unknown");
  switch (status.state) {
    case LUState::ok: return "solved";
    case LUState::zero_pivot: return "the system is singular at this state: nothing determines " + unknown;
    case LUState::not_finite_input:
      return "the equation " + name_of(system_->equation_names(), status.equation, "of some row") +
             " holds a number that is not finite";
    case LUState::overflow: return unknown + " overflows";
    case LUState::no_sample: return "no such sample was prepared";
    case LUState::inaccurate: break;
  }
  char text[120];
  std::snprintf(text, sizeof text, "backward error %.1e (componentwise %.1e) is above the tolerance, or a pivot is rounding",
                status.backward_error, status.componentwise_error);
  return text;
}

}  // namespace sparsedyn
