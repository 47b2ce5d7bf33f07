#include "sparsedyn/runtime/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "arguments.hpp"
#include "sparsedyn/runtime/chi_square.hpp"
#include "system/assemble.hpp"

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

Estimator::PlannedOrder::PlannedOrder(std::shared_ptr<const EstimatorPlan> p, const Plan& order)
    : plan(std::move(p)), lu(order), moved(order.pattern.entries()), moved_right_side(order.pattern.rows) {}

Estimator::Sample::Sample(const System& system, const Augmented& augmented, std::size_t outputs)
    : work(system),
      q(system.model().nq),
      y(system.inputs().size()),
      values(system.pattern().entries()),
      right_side(system.pattern().rows),
      missing(system.pattern().rows),
      solution(augmented.pattern().columns),
      deviations(outputs),
      innovations(system.pattern().rows),
      follows_open_offset(outputs) {}

Estimator::Estimator(std::shared_ptr<const System> system, std::shared_ptr<const EstimatorPlan> plan,
                     const EstimatorOptions& options)
    : system_(there(std::move(system), "system")),
      options_(options),
      outputs_(*system_, options.outputs),
      probe_(*system_),
      main_(std::make_unique<PlannedOrder>(plan, there(plan, "plan")->plan)),
      own_(*system_, plan->augmented, outputs_.columns().size()),
      sample_(&own_) {
  if (plan->missing_data) missing_data_ = std::make_unique<PlannedOrder>(plan, *plan->missing_data);
  const int m = system_->pattern().rows, n = system_->pattern().columns;
  if (main_->plan->augmented.equations() != m || main_->plan->augmented.unknowns() != n)
    throw std::invalid_argument("the plan is not one for this system");
  if (options.in_batches) prepared_ = std::make_unique<Prepared>(*system_, *plan, outputs_.columns().size());
  weight_.resize(m), sigma_.resize(m), inverse_sigma_.resize(m), share_.assign(m, 1.0);
  suspects_.reserve(most_suspects);
  for (int k = 0; k <= plan->redundancy; ++k) quantile_.push_back(chi_square_quantile(options.false_alarm, k));
  unit_.resize(m + n), response_.resize(m + n), zero_.resize(n), gradient_.resize(n);
  determined_.assign(outputs_.columns().size(), 1);
  for (int r = 0; r < m; ++r) {
    const Equation& equation = system_->equations()[r];
    if (equation.measurement < 0) continue;
    const Measurement& measurement = system_->measurements()[equation.measurement];
    sigma_[r] = measurement.sigma[r - measurement.first_row];
    inverse_sigma_[r] = 1.0 / sigma_[r];
  }
}

/// Notes the gaps and assembles the equations with zeros in them.
void Estimator::read(Sample& sample, const double* q, const double* v, const double* y) noexcept {
  std::copy_n(q, sample.q.size(), sample.q.data());
  for (std::size_t k = 0; k < sample.y.size(); ++k) sample.y[k] = std::isnan(y[k]) ? 0.0 : y[k];
  std::fill(sample.missing.begin(), sample.missing.end(), char(0));
  sample.gaps = 0, sample.exact_row_missing = false;
  for (const Measurement& measurement : system_->measurements())
    for (int k = 0; k < measurement.rows(); ++k)
      if (measurement.inputs[k] >= 0 && std::isnan(y[measurement.inputs[k]])) {
        const int row = measurement.first_row + k;
        sample.missing[row] = 1;
        sample.exact_row_missing = sample.exact_row_missing || main_->plan->augmented.exact(row);
        ++sample.gaps;
      }
  system_->assemble(q, v, sample.y.data(), sample.values.data(), sample.right_side.data(), sample.work);
  for (std::size_t k = 0; k < offsets_.rows.size(); ++k) sample.right_side[offsets_.rows[k]] -= offsets_.value[k];
}

EstimateStatus Estimator::estimate(const double* q, const double* v, const double* y, double* out) noexcept {
  read(own_, q, v, y);
  return answer(own_, out);
}

EstimateStatus Estimator::answer(Sample& sample, double* out) noexcept {
  sample_ = &sample;
  count_all_fully();
  EstimateStatus status;
  PlannedOrder* replayed = main_.get();
  const auto serves = [&](PlannedOrder& order) {
    replayed = &order;
    status = attempt(order);
    return status.ok() && (sample.gaps == 0 || !singular(order));
  };
  bool served = false;
  if (sample.gaps == 0)
    served = serves(*main_);
  else if (!sample.exact_row_missing && !gap_plan())
    served = (missing_data_ && serves(*missing_data_)) || serves(*main_);
  if (!served && sample.gaps > 0) {
    replayed = replan();
    if (replayed) status = attempt(*replayed);
    if (!replayed) status.state = LUState::zero_pivot;
  }
  factored_ = true;
  if (status.ok()) {
    last_ = replayed;
    judge(*replayed->plan, status);
    remedy_outliers(status);
  }
  status.missing = sample.gaps;
  if (!status.ok()) {
    ++counts_.failed;
    return status;
  }
  find_spread();
  finish(*last_, out);
  return status;
}

/// share/σ of the noisy rows that are there and that the plan reads.
void Estimator::weigh(const EstimatorPlan& plan) noexcept {
  for (std::size_t r = 0; r < weight_.size(); ++r) {
    const bool idle = sample_->missing[r] || plan.left_out[r] || plan.augmented.exact(static_cast<int>(r));
    weight_[r] = idle ? 0.0 : share_[r] * inverse_sigma_[r];
  }
}

void Estimator::fill(PlannedOrder& replayed) noexcept {
  const EstimatorPlan& plan = *replayed.plan;
  weigh(plan);
  plan.augmented.fill(sample_->values.data(), sample_->right_side.data(), weight_.data(), plan.precision.data(),
                      replayed.lu.values(), replayed.lu.right_side());
}

EstimateStatus Estimator::attempt(PlannedOrder& replayed) noexcept {
  const Augmented& augmented = replayed.plan->augmented;
  ZeroFillLU<double>& lu = replayed.lu;
  double* solution = sample_->solution.data();
  fill(replayed);
  LUStatus lu_status = lu.factor();
  if (lu_status.ok()) lu_status = lu.solve(solution);
  EstimateStatus status;
  const int n = augmented.unknowns();
  status.state = lu_status.state;
  status.unknown = lu_status.column >= 0 && lu_status.column < n ? lu_status.column : -1;
  status.equation = lu_status.row < augmented.equations() ? lu_status.row : -1;
  if (!status.ok()) return status;
  status.growth = lu.growth();
  const SolutionErrors left = lu.improve(solution, lu.errors(solution), options_.tolerance, counts_.refined);
  status.backward_error = left.backward, status.componentwise_error = left.componentwise;
  if (!accurate(status)) status.state = LUState::inaccurate;
  if (!status.ok() || !lu.doubtful(left.norm)) return status;
  if (const int vanishing = vanishing_pivot(replayed); vanishing >= 0) {
    status.state = LUState::zero_pivot;
    status.unknown = vanishing < n ? vanishing : -1;
  }
  return status;
}

/// As ZeroFillLU::vanishing_pivot, beside the same sample's system at a state moved by a hair.
int Estimator::vanishing_pivot(PlannedOrder& replayed) noexcept {
  const EstimatorPlan& plan = *replayed.plan;
  plan.augmented.fill(probe_.values(sample_->q.data(), sample_->y.data()), sample_->right_side.data(), weight_.data(),
                      plan.precision.data(), replayed.moved.data(), replayed.moved_right_side.data());
  return replayed.lu.vanishing_pivot(replayed.moved.data());
}

bool Estimator::accurate(const EstimateStatus& status) const noexcept {
  return status.backward_error <= options_.tolerance && status.componentwise_error <= options_.tolerance;
}

/// One solve with a right-hand side of no structure: only a singular matrix answers it with 1/ε.
bool Estimator::singular(PlannedOrder& replayed) noexcept {
  const int size = static_cast<int>(unit_.size());
  for (int i = 0; i < size; ++i) unit_[i] = 0.5 + 0.5 * std::sin(1.0 + 7.0 * i);
  if (!replayed.lu.solve(unit_.data(), response_.data()).ok()) return true;
  const double matrix = largest(replayed.lu.values(), replayed.plan->augmented.pattern().entries());
  return !(largest(response_.data(), size) * matrix < largest_condition);
}

const Estimator::GapPlan* Estimator::gap_plan() const noexcept {
  for (const GapPlan& known : gap_plans_)
    if (known.missing == sample_->missing) return &known;
  return nullptr;
}

Estimator::PlannedOrder* Estimator::replan() noexcept {
  constexpr std::size_t most = 4096;
  if (!options_.replan) return nullptr;
  if (const GapPlan* known = gap_plan()) return known->order.get();
  try {
    if (gap_plans_.size() >= most) {
      if (last_ == gap_plans_.front().order.get()) last_ = nullptr;
      gap_plans_.erase(gap_plans_.begin());
    }
    const std::shared_ptr<const EstimatorPlan> plan = options_.replan(sample_->missing);
    if (!plan) return nullptr;
    gap_plans_.push_back({sample_->missing, std::make_unique<PlannedOrder>(plan, plan->plan)});
    ++replanned_;
    return gap_plans_.back().order.get();
  } catch (const std::exception&) {  // no plan for what is left: the sample fails
    return nullptr;
  }
}

void Estimator::finish(const PlannedOrder& replayed, double* out) noexcept {
  ++counts_.solved;
  outputs_.write(sample_->solution.data(), sample_->y.data(), sample_->work, out);
  for (std::size_t c = 0; c < determined_.size(); ++c) {
    determined_[c] = !(wants_spread() && sample_->follows_open_offset[c]);
    for (int u : outputs_.unknowns_of(static_cast<int>(c)))
      if (replayed.plan->undetermined[u]) determined_[c] = 0;
    if (!determined_[c]) out[c] = sample_->deviations[c] = std::numeric_limits<double>::quiet_NaN();
  }
}

/// The LU of the last sample, factored anew where it was computed together with others.
ZeroFillLU<double>& Estimator::last_lu() noexcept {
  if (!factored_) fill(*last_), last_->lu.factor();
  factored_ = true;
  return last_->lu;
}

void Estimator::project(const double* e, double* residual) noexcept {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(weight_.size());
  if (!last_) {
    std::fill_n(residual, m, 0.0);
    return;
  }
  std::fill(unit_.begin(), unit_.end(), 0.0);
  for (int r = 0; r < m; ++r) unit_[r] = (last_->plan->augmented.exact(r) ? 1.0 : weight_[r]) * e[r];
  if (!last_lu().solve(unit_.data(), response_.data()).ok()) std::fill(response_.begin(), response_.end(), 0.0);
  std::copy_n(response_.data() + n, m, residual);
}

std::string Estimator::describe(const EstimateStatus& status) const {
  const std::string unknown = name_of(system_->unknown_names(), status.unknown, "an unknown");
  switch (status.state) {
    case LUState::ok: return "solved";
    case LUState::zero_pivot: return "the measurements do not determine " + unknown + " at this state";
    case LUState::not_finite_input:
      return "the equation " + name_of(system_->equation_names(), status.equation, "of the estimate") +
             " holds a number that is not finite";
    case LUState::overflow: return unknown + " overflows";
    case LUState::no_sample: return "no such sample was prepared";
    case LUState::inaccurate: break;
  }
  char text[120];
  std::snprintf(text, sizeof text, "backward error %.1e (componentwise %.1e) is above the tolerance", status.backward_error,
                status.componentwise_error);
  return text;
}

}  // namespace sparsedyn
