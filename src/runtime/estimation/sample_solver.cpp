#include "runtime/estimation/sample_solver.hpp"

#include <algorithm>
#include <utility>

namespace sparsedyn {

SampleSolver::SampleSolver(const System& system, std::shared_ptr<const EstimatorPlan> plan, double tolerance,
                           OrderCache::Sources sources, ReadingWeights& weights, long& refined, const OrderUses& uses)
    : unknowns_(system.pattern().columns),
      weights_(weights),
      refined_(refined),
      replay_(system, tolerance),
      main_(std::make_unique<PlannedOrder>(OrderKind::plain, system, plan, plan->augmented, plan->plan, uses)),
      cache_(system, *plan, std::move(sources), uses),
      unit_(system.pattern().rows + system.pattern().columns),
      response_(unit_.size()),
      units_(uses.compares ? unit_.size() : 0, Batch(0.0)),
      responses_(units_.size(), Batch(0.0)) {
  const auto spare = [&](const Augmented& augmented, const Plan& order) {
    return std::make_unique<PlannedOrder>(OrderKind::for_gaps, system, plan, augmented, order, uses);
  };
  if (plan->missing_data) missing_data_ = spare(plan->augmented, *plan->missing_data);
  if (plan->open_gaps) open_gaps_ = spare(plan->open_gaps->augmented, plan->open_gaps->plan);
}

void SampleSolver::begin(EstimatorSample& sample) noexcept {
  sample_ = &sample;
  replay_.forget_refinements();
  weights_.count_all_fully();
}

SolverStatus SampleSolver::solve_by(PlannedOrder& order) noexcept {
  block_loaded_ = nullptr;
  sample_->sweep_lost_digits = sample_->outputs_found = sample_->rows_found = sample_->pairs_found = sample_->in_lane = false;
  return replay_.solve(order, *sample_, weights_, refined_);
}

/// Whether that order solves the sample, whose gaps leave nothing open under it.
bool SampleSolver::serves(PlannedOrder& order, SolverStatus& status) noexcept {
  status = solve_by(order);
  return status.ok() && (sample_->gaps == 0 || !replay_.singular(order));
}

/// The order that solves a sample with gaps, or nullptr.
PlannedOrder* SampleSolver::serve_gaps(SolverStatus& status) noexcept {
  const OrderCache::Entry* known = cache_.find(sample_->missing);
  std::shared_ptr<const Regularisation> closing = known ? known->closing : nullptr;
  if (!sample_->exact_row_missing && !known) {
    if (missing_data_ && serves(*missing_data_, status)) return missing_data_.get();
    if (serves(*main_, status)) return main_.get();
    if (open_gaps_) closing = cache_.close(sample_->missing, last_);
  }
  // That order's pivots are regular wherever the readings left determine the unknowns, also if nobody closes what is open.
  if (open_gaps_ && (closing || (!known && !sample_->exact_row_missing))) {
    open_gaps_->closing = std::move(closing);
    if (serves(*open_gaps_, status)) return open_gaps_.get();
  }
  PlannedOrder* const own = cache_.replan(sample_->missing, last_);
  if (!own || !serves(*own, status)) status.state = status.ok() || !own ? LUState::zero_pivot : status.state;
  return status.ok() ? own : nullptr;
}

/// The order that solves a sample without gaps at a state at which the first order loses a pivot: the plan's for such states,
/// or the one that is proof against gaps. The first one where neither does.
PlannedOrder* SampleSolver::serve_without(SolverStatus& status) noexcept {
  const OrderCache::Entry* const known = cache_.find(sample_->missing);
  for (PlannedOrder* other : {known ? known->order.get() : nullptr, missing_data_.get()})
    if (other) {
      const SolverStatus found = solve_by(*other);
      if (!found.ok()) continue;
      status = found;
      return other;
    }
  return main_.get();
}

SolverStatus SampleSolver::solve() noexcept {
  SolverStatus status;
  PlannedOrder* order = main_.get();
  if (sample_->gaps > 0)
    order = serve_gaps(status);
  else
    status = solve_by(*main_);
  if (sample_->gaps == 0 && !status.ok() && status.state != LUState::not_finite_input) order = serve_without(status);
  factored_ = true;
  if (status.ok()) last_ = order;
  return status;
}

void SampleSolver::adopt() noexcept {
  last_ = main_.get(), factored_ = false, block_loaded_ = nullptr;
  weights_.weigh(sample_->missing, plan().left_out, plan().augmented);
}

SolverStatus SampleSolver::solve_again() noexcept {
  factored_ = true;
  if (last_ == main_.get() && missing_data_) {
    const SolverStatus status = solve_by(*missing_data_);
    if (status.ok()) {
      last_ = missing_data_.get();
      return status;
    }
  }
  return solve_by(*last_);
}

void SampleSolver::return_to(PlannedOrder& order) noexcept {
  last_ = &order;
  solve_by(order);
}

ZeroFillLU<double>& SampleSolver::lu() noexcept {
  if (!factored_) replay_.fill(*last_, *sample_, weights_), last_->lu.factor();
  factored_ = true;
  return last_->lu;
}

const double* SampleSolver::response() noexcept {
  return lu().solve(unit_.data(), response_.data()).ok() ? response_.data() : nullptr;
}

const Batch* SampleSolver::responses_to(const int* rows, int count) noexcept {
  if (units_.empty()) return nullptr;
  BlockSolve& block = *last_->block;
  if (block_loaded_ != last_) block.load(lu());
  block_loaded_ = last_;
  for (int k = 0; k < count; ++k) units_[rows[k]].lane[k] = 1.0;
  block.solve(units_.data(), responses_.data());
  for (int k = 0; k < count; ++k) units_[rows[k]].lane[k] = 0.0;
  return responses_.data();
}

const double* SampleSolver::response_to(int row) noexcept {
  std::fill(unit_.begin(), unit_.end(), 0.0);
  unit_[row] = 1.0;
  return response();
}

}  // namespace sparsedyn
