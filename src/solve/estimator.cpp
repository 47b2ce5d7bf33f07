#include "sparsedyn/solve/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sparsedyn/system/assemble.hpp"

namespace sparsedyn {
namespace {

/// ‖A⁻¹ r‖ ‖A‖ / ‖r‖ above this: the sample's matrix is singular to working precision.
constexpr double largest_condition = 1e13;

double largest(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

}  // namespace

Estimator::Replayed::Replayed(std::shared_ptr<const EstimatorPlan> p, const Plan& order) : plan(std::move(p)), lu(order) {}

Estimator::Estimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                     const EstimatorOptions& options)
    : system_(std::move(system)),
      options_(options),
      outputs_(*system_, options.outputs),
      work_(*system_),
      main_(std::make_unique<Replayed>(plan, plan->plan)) {
  if (plan->gated) gated_ = std::make_unique<Replayed>(plan, *plan->gated);
  const int m = system_->pattern().rows, n = system_->pattern().columns;
  if (main_->plan->augmented.equations() != m || main_->plan->augmented.unknowns() != n)
    throw std::invalid_argument("the plan is not one for this system");
  const std::size_t columns = outputs_.columns().size();
  missing_.resize(m), weight_.resize(m), sigma_.resize(m), right_side_.resize(m), innovation_.resize(m);
  values_.resize(system_->pattern().entries());
  y_.resize(system_->inputs().size());
  unit_.resize(m + n), response_.resize(m + n), solution_.resize(m + n), zero_.resize(n), gradient_.resize(n);
  out_at_zero_.resize(columns), out_at_unit_.resize(columns), sd_.resize(columns), determined_.assign(columns, 1);
  for (int r = 0; r < m; ++r) {
    const Equation& equation = system_->equations()[r];
    if (equation.measurement >= 0)
      set_sigma(
          r, system_->measurements()[equation.measurement].sigma[r - system_->measurements()[equation.measurement].first_row]);
  }
}

void Estimator::set_sigma(int row, double sigma) { sigma_[row] = sigma; }

int Estimator::mark_missing(const double* y) noexcept {
  for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = std::isnan(y[k]) ? 0.0 : y[k];
  std::fill(missing_.begin(), missing_.end(), char(0));
  int count = 0;
  for (const Measurement& measurement : system_->measurements())
    for (int k = 0; k < measurement.rows(); ++k)
      if (measurement.inputs[k] >= 0 && std::isnan(y[measurement.inputs[k]])) {
        missing_[measurement.first_row + k] = 1;
        ++count;
      }
  return count;
}

EstimateStatus Estimator::estimate(const double* q, const double* v, const double* y, double* out) noexcept {
  const int missing = mark_missing(y);
  system_->assemble(q, v, y_.data(), values_.data(), right_side_.data(), work_);
  bool exact_row_missing = false;
  for (std::size_t r = 0; r < missing_.size(); ++r)
    exact_row_missing = exact_row_missing || (missing_[r] && main_->plan->augmented.exact(static_cast<int>(r)));

  EstimateStatus status;
  Replayed* replayed = missing > 0 && gated_ ? gated_.get() : main_.get();
  if (!exact_row_missing) status = attempt(*replayed);
  if (exact_row_missing || (missing > 0 && (!status.ok() || singular(*replayed)))) {
    replayed = replan();
    if (replayed) status = attempt(*replayed);
    if (!replayed) status.state = LUState::zero_pivot;
  }
  status.missing = missing;
  if (status.ok())
    finish(*replayed, status, out), ++counts_.solved;
  else
    ++counts_.failed;
  return status;
}

EstimateStatus Estimator::attempt(Replayed& replayed) noexcept {
  const EstimatorPlan& plan = *replayed.plan;
  for (std::size_t r = 0; r < weight_.size(); ++r)
    weight_[r] = missing_[r] || plan.left_out[r] || plan.augmented.exact(static_cast<int>(r)) ? 0.0 : 1.0 / sigma_[r];
  ZeroFillLU<double>& lu = replayed.lu;
  plan.augmented.fill(values_.data(), right_side_.data(), weight_.data(), plan.precision.data(), lu.values(), lu.right_side());
  LUStatus lu_status = lu.factor();
  if (lu_status.ok()) lu_status = lu.solve(solution_.data());
  EstimateStatus status;
  const int n = plan.augmented.unknowns();
  status.state = lu_status.state;
  status.unknown = lu_status.column >= 0 && lu_status.column < n ? lu_status.column : -1;
  status.equation = lu_status.row < plan.augmented.equations() ? lu_status.row : -1;
  if (!status.ok()) return status;
  status.growth = lu.growth();
  status.backward_error = lu.backward_error(solution_.data());
  for (int k = 0; k < 3 && status.backward_error > options_.tolerance && lu.refine(solution_.data()).ok(); ++k) {
    ++counts_.refined;
    status.backward_error = lu.backward_error(solution_.data());
  }
  if (!(status.backward_error <= options_.tolerance)) status.state = LUState::inaccurate;
  return status;
}

/// One solve with a right-hand side of no structure: only a singular matrix answers it with 1/ε.
bool Estimator::singular(Replayed& replayed) noexcept {
  const int size = static_cast<int>(unit_.size());
  for (int i = 0; i < size; ++i) unit_[i] = 0.5 + 0.5 * std::sin(1.0 + 7.0 * i);
  if (!replayed.lu.solve(unit_.data(), response_.data()).ok()) return true;
  const double matrix = largest(replayed.lu.values(), replayed.plan->augmented.pattern().entries());
  return !(largest(response_.data(), size) * matrix < largest_condition);
}

Estimator::Replayed* Estimator::replan() noexcept {
  if (!options_.replan) return nullptr;
  if (other_ && other_missing_ == missing_) return other_.get();
  try {
    std::shared_ptr<const EstimatorPlan> plan = options_.replan(missing_);
    if (!plan) return nullptr;
    other_ = std::make_unique<Replayed>(plan, plan->plan);
    other_missing_ = missing_;
    ++replanned_;
    return other_.get();
  } catch (const std::exception&) {  // no plan for what is left: the sample fails
    return nullptr;
  }
}

void Estimator::finish(const Replayed& replayed, EstimateStatus& status, double* out) noexcept {
  last_ = const_cast<Replayed*>(&replayed);
  const EstimatorPlan& plan = *replayed.plan;
  const int n = plan.augmented.unknowns(), m = plan.augmented.equations();
  status.redundancy = plan.redundancy;
  for (int r = 0; r < m; ++r) {
    if (plan.augmented.exact(r)) continue;
    status.chi_square += weight_[r] == 0 ? 0 : solution_[n + r] * solution_[n + r];
    if (missing_[r] && !plan.left_out[r]) --status.redundancy;
  }
  outputs_.write(solution_.data(), y_.data(), work_, out);
  if (options_.standard_deviations) find_standard_deviations();
  if (options_.innovations) find_innovations();
  for (std::size_t c = 0; c < determined_.size(); ++c) {
    determined_[c] = 1;
    for (int u : outputs_.unknowns_of(static_cast<int>(c)))
      if (plan.undetermined[u]) determined_[c] = 0;
    if (!determined_[c]) out[c] = sd_[c] = std::numeric_limits<double>::quiet_NaN();
  }
}

/// sd² = cᵀ C c for the gradient c of an output, where the stationarity rows answer to c with x = −C c.
void Estimator::find_standard_deviations() noexcept {
  const int m = static_cast<int>(missing_.size());
  for (std::size_t c = 0; c < sd_.size(); ++c) {
    const std::vector<int>& unknowns = outputs_.unknowns_of(static_cast<int>(c));
    std::fill(unit_.begin(), unit_.end(), 0.0);
    outputs_.gradient(static_cast<int>(c), y_.data(), work_, zero_.data(), gradient_.data());
    for (int u : unknowns) unit_[m + u] = gradient_[u];
    double variance = std::numeric_limits<double>::quiet_NaN();
    if (last_->lu.solve(unit_.data(), response_.data()).ok()) {
      variance = 0;
      for (int u : unknowns) variance -= gradient_[u] * response_[u];
    }
    sd_[c] = std::sqrt(std::max(variance, 0.0));
  }
}

/// A noisy row's residual ν has the variance (1 − H)_ii, H = W Y C Yᵀ W: its own response to a unit measurement.
void Estimator::find_innovations() noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(missing_.size());
  for (int r = 0; r < m; ++r) {
    innovation_[r] = 0;
    if (last_->plan->augmented.exact(r) || weight_[r] == 0) continue;
    std::fill(unit_.begin(), unit_.end(), 0.0);
    unit_[r] = 1.0;
    if (!last_->lu.solve(unit_.data(), response_.data()).ok()) continue;
    const double variance = response_[n + r];
    if (variance > 1e-9) innovation_[r] = solution_[n + r] / std::sqrt(variance);
  }
}

void Estimator::project(const double* e, double* residual) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(missing_.size());
  std::fill(unit_.begin(), unit_.end(), 0.0);
  for (int r = 0; r < m; ++r) unit_[r] = (last_->plan->augmented.exact(r) ? 1.0 : weight_[r]) * e[r];
  if (!last_->lu.solve(unit_.data(), response_.data()).ok()) std::fill(response_.begin(), response_.end(), 0.0);
  std::copy_n(response_.data() + n, m, residual);
}

std::string Estimator::describe(const EstimateStatus& status) const {
  const std::string unknown = status.unknown >= 0 ? system_->unknown_names()[status.unknown] : "an unknown";
  switch (status.state) {
    case LUState::ok: return "solved";
    case LUState::zero_pivot: return "the measurements do not determine " + unknown + " at this state";
    case LUState::not_finite_input:
      return "the equation " +
             (status.equation >= 0 ? system_->equation_names()[status.equation] : std::string("of the estimate")) +
             " holds a number that is not finite";
    case LUState::overflow: return unknown + " overflows";
    case LUState::inaccurate: break;
  }
  return "backward error " + std::to_string(status.backward_error) + " is above the tolerance";
}

}  // namespace sparsedyn
