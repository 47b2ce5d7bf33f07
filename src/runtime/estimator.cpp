#include "sparsedyn/runtime/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "arguments.hpp"
#include "chi_square.hpp"
#include "runtime/derivatives/estimator_derivatives.hpp"
#include "status_words.hpp"
#include "system/assemble.hpp"

namespace sparsedyn {
namespace {

/// ‖A⁻¹ r‖ ‖A‖ / ‖r‖ above this: the sample's matrix is singular to working precision.
constexpr double largest_condition = 1e13;
/// Of the unknowns, by one more refinement, beside max(1, |x|).
constexpr double at_rest = 1e-11;
constexpr int most_refinements = 3;

double largest(const double* x, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i) m = std::max(m, std::abs(x[i]));
  return m;
}

}  // namespace

Estimator::PlannedOrder::PlannedOrder(std::shared_ptr<const EstimatorPlan> p, const Augmented& of, const Plan& order)
    : plan(std::move(p)), augmented(of), lu(order), moved(order.pattern.entries()), moved_right_side(order.pattern.rows) {}

Estimator::PlannedOrder::~PlannedOrder() = default;

Estimator::Sample::Sample(const System& system, const Augmented& augmented, std::size_t outputs)
    : work(system),
      q(system.model().nq),
      v(system.model().nv),
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
      main_(std::make_unique<PlannedOrder>(there(plan, "plan"), plan->augmented, plan->plan)),
      own_(*system_, plan->augmented, outputs_.columns().size()),
      sample_(&own_) {
  if (plan->missing_data) missing_data_ = std::make_unique<PlannedOrder>(plan, plan->augmented, *plan->missing_data);
  if (plan->open_gaps) open_gaps_ = std::make_unique<PlannedOrder>(plan, plan->open_gaps->augmented, plan->open_gaps->plan);
  const int m = system_->pattern().rows, n = system_->pattern().columns;
  if (main_->plan->augmented.equations() != m || main_->plan->augmented.unknowns() != n)
    throw std::invalid_argument("the plan is not one for this system");
  if (options.in_batches) prepared_ = std::make_unique<Prepared>(*system_, *plan, outputs_.columns().size());
  for (const PlannedGaps& gaps : plan->gaps)
    gap_plans_.push_back(
        {gaps.missing, nullptr, std::make_unique<PlannedOrder>(gaps.plan, gaps.plan->augmented, gaps.plan->plan)});
  weight_.resize(m), sigma_.resize(m), inverse_sigma_.resize(m), share_.assign(m, 1.0), sure_share_.resize(m),
      predicted_share_.resize(m);
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
  const bool state_deviates = options.standard_deviations && !system_->position_sigma().empty();
  if (options.derivatives || state_deviates) derivatives_ = made_derivatives(*system_, outputs_, options);
  for (PlannedOrder* order : {main_.get(), missing_data_.get(), open_gaps_.get()}) take_blocks(order);
  for (const GapPlan& gaps : gap_plans_) take_blocks(gaps.order.get());
}

void Estimator::take_blocks(PlannedOrder* order) const {
  if (order && derivatives_) order->block = std::make_unique<BlockSolve>(order->lu.plan());
}

/// Notes the gaps and assembles the equations with zeros in them.
void Estimator::read(Sample& sample, const double* q, const double* v, const double* y) noexcept {
  std::copy_n(q, sample.q.size(), sample.q.data());
  std::copy_n(v, sample.v.size(), sample.v.data());
  for (std::size_t k = 0; k < sample.y.size(); ++k) sample.y[k] = std::isnan(y[k]) ? 0.0 : y[k];
  std::fill(sample.missing.begin(), sample.missing.end(), char(0));
  sample.gaps = 0, sample.exact_row_missing = sample.state_entered = false;
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

void Estimator::begin_sample(Sample& sample) noexcept {
  sample_ = &sample;
  refinements_ = 1;
  answered_ = false;
  count_all_fully();
}

/// Whether that order solves the sample, whose gaps leave nothing open under it.
bool Estimator::serves(PlannedOrder& order, EstimateStatus& status) noexcept {
  status = attempt(order);
  return status.ok() && (sample_->gaps == 0 || !singular(order));
}

/// The order that solves a sample with gaps, or nullptr.
Estimator::PlannedOrder* Estimator::serve_gaps(EstimateStatus& status) noexcept {
  const GapPlan* known = gap_plan();
  if (!sample_->exact_row_missing && !known) {
    if (missing_data_ && serves(*missing_data_, status)) return missing_data_.get();
    if (serves(*main_, status)) return main_.get();
    known = close_gaps();
  }
  if (known && known->closing) {
    open_gaps_->closing = known->closing.get();
    if (serves(*open_gaps_, status)) return open_gaps_.get();
  }
  PlannedOrder* const own = replan();
  if (!own || !serves(*own, status)) status.state = status.ok() || !own ? LUState::zero_pivot : status.state;
  return status.ok() ? own : nullptr;
}

EstimateStatus Estimator::answer(Sample& sample, double* out) noexcept {
  begin_sample(sample);
  EstimateStatus status;
  PlannedOrder* replayed = main_.get();
  if (sample.gaps > 0)
    replayed = serve_gaps(status);
  else
    status = attempt(*main_);
  factored_ = true;
  if (status.ok()) {
    last_ = replayed;
    judge(*replayed, status);
    remedy_outliers(status);
  }
  status.missing = sample.gaps;
  if (!status.ok()) {
    ++counts_.failed;
    return status;
  }
  answered_ = true;
  find_spread();
  add_state_deviations();
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
  weigh(*replayed.plan);
  replayed.augmented.fill(sample_->values.data(), sample_->right_side.data(), weight_.data(), replayed.precision().data(),
                          replayed.lu.values(), replayed.lu.right_side());
}

EstimateStatus Estimator::attempt(PlannedOrder& replayed) noexcept {
  const Augmented& augmented = replayed.augmented;
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
  const bool good = &replayed == main_.get() ? accurate(status) : settles(lu, status);
  if (!good) status.state = LUState::inaccurate;
  if (status.ok() && system_->formulation().joint_space) {
    const int lost = lu.unknown_without_digits(solution);  // where M(q) is summed, as in Solver
    if (lost >= 0) status.state = LUState::inaccurate, status.unknown = lost < n ? lost : -1;
  }
  if (!status.ok() || !lu.doubtful(left.norm)) return status;
  if (const int vanishing = vanishing_pivot(replayed); vanishing >= 0) {
    status.state = LUState::zero_pivot;
    status.unknown = vanishing < n ? vanishing : -1;
  }
  return status;
}

/// Of an order that multiplies Y with itself: refines until no unknown moves beside max(1, |x|). Backward errors do not tell
/// that: without redundancy all residuals are rounding, and so are all terms of the equations that they alone enter.
bool Estimator::settles(ZeroFillLU<double>& lu, EstimateStatus& status) noexcept {
  if (!(status.backward_error <= options_.tolerance)) return false;
  std::vector<double>& x = sample_->solution;
  double moved = 1;
  for (int k = 0; k < most_refinements && moved > at_rest; ++k) {
    response_ = x;
    if (!lu.refine(x.data()).ok()) return false;
    moved = 0;
    for (std::size_t j = 0; j < zero_.size(); ++j)
      moved = std::max(moved, std::abs(x[j] - response_[j]) / std::max(1.0, std::abs(x[j])));
    if (!std::isfinite(moved)) return false;
  }
  status.componentwise_error = std::min(status.componentwise_error, moved);
  return moved <= at_rest;
}

/// As ZeroFillLU::vanishing_pivot, beside the same sample's system at a state moved by a hair.
int Estimator::vanishing_pivot(PlannedOrder& replayed) noexcept {
  replayed.augmented.fill(probe_.values(sample_->q.data(), sample_->y.data()), sample_->right_side.data(), weight_.data(),
                          replayed.precision().data(), replayed.moved.data(), replayed.moved_right_side.data());
  return replayed.lu.vanishing_pivot(replayed.moved.data());
}

bool Estimator::accurate(const EstimateStatus& status) const noexcept {
  return status.backward_error <= options_.tolerance && status.componentwise_error <= options_.tolerance;
}

/// By a right-hand side of no structure, which only a singular matrix answers with 1/ε. For an order that multiplies Y with
/// itself, by how much a refinement moves that answer tells how many of them deviations need.
bool Estimator::singular(PlannedOrder& replayed) noexcept {
  const int size = static_cast<int>(unit_.size());
  for (int i = 0; i < size; ++i) unit_[i] = 0.5 + 0.5 * std::sin(1.0 + 7.0 * i);
  if (!replayed.lu.solve(unit_.data(), response_.data()).ok()) return true;
  const double matrix = largest(replayed.lu.values(), replayed.augmented.pattern().entries());
  const double response = largest(response_.data(), size);
  if (!(response * matrix < largest_condition)) return true;
  if (&replayed == main_.get()) return false;
  unit_ = response_;
  if (!replayed.lu.refine(response_.data()).ok()) return true;
  for (int i = 0; i < size; ++i) unit_[i] -= response_[i];
  const double left = largest(unit_.data(), size) / response;
  refinements_ = left < 1e-6 ? 1 : left < 1e-4 ? 2 : most_refinements;  // each leaves that share of the error before it
  return !(left < 1e-3);
}

Estimator::GapPlan* Estimator::gap_plan() noexcept {
  for (GapPlan& known : gap_plans_)
    if (known.missing == sample_->missing) return &known;
  return nullptr;
}

/// For the sample's gaps.
Estimator::GapPlan& Estimator::new_gap_plan() {
  constexpr std::size_t most = 4096;
  if (gap_plans_.size() >= most) {
    if (last_ == gap_plans_.front().order.get()) last_ = nullptr;
    gap_plans_.erase(gap_plans_.begin());
  }
  gap_plans_.push_back({sample_->missing, nullptr, nullptr});
  return gap_plans_.back();
}

Estimator::GapPlan* Estimator::close_gaps() noexcept {
  if (!options_.close_gaps || !open_gaps_) return nullptr;
  try {
    auto closing = std::make_unique<const GapClosing>(options_.close_gaps(sample_->missing));
    GapPlan& made = new_gap_plan();
    made.closing = std::move(closing);
    return &made;
  } catch (const std::exception&) {
    return nullptr;
  }
}

Estimator::PlannedOrder* Estimator::replan() noexcept {
  GapPlan* known = gap_plan();
  if (known && known->order) return known->order.get();
  if (!options_.replan) return nullptr;
  try {
    const std::shared_ptr<const EstimatorPlan> plan = options_.replan(sample_->missing);
    if (!plan) return nullptr;
    auto order = std::make_unique<PlannedOrder>(plan, plan->augmented, plan->plan);
    take_blocks(order.get());
    if (!known) known = &new_gap_plan();
    known->order = std::move(order);
    ++replanned_;
    return known->order.get();
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
      if (replayed.undetermined()[u]) determined_[c] = 0;
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
  for (int r = 0; r < m; ++r) unit_[r] = (last_->augmented.exact(r) ? 1.0 : weight_[r]) * e[r];
  if (!last_lu().solve(unit_.data(), response_.data()).ok()) std::fill(response_.begin(), response_.end(), 0.0);
  std::copy_n(response_.data() + n, m, residual);
}

std::string Estimator::describe(const EstimateStatus& status) const {
  return status_words(*system_, status, "the measurements do not determine " + unknown_of(*system_, status) + " at this state",
                      "of the estimate", "");
}

}  // namespace sparsedyn
