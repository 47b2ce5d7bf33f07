#include "runtime/estimation/augmented_replay.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/system/detail/one_of.hpp"

namespace sparsedyn {
namespace {

/// ‖A⁻¹ r‖ ‖A‖ / ‖r‖ above this, in the robot's own units: the sample's matrix is singular to working precision.
constexpr double largest_condition = 1e13;
/// Of the unknowns, by one more refinement, beside |x| or one_of.
constexpr double at_rest = 1e-11;
constexpr int most_refinements = 3;

/// Of x beside its units.
double largest(const std::vector<double>& x, const std::vector<double>& unit) {
  double m = 0;
  for (std::size_t i = 0; i < x.size(); ++i) m = std::max(m, std::abs(x[i]) / unit[i]);
  return m;
}

/// A column of the augmented matrix is an unknown, or the residual of an equation.
void name_column(int column, int unknowns, SolverStatus& status) {
  if (column < 0) return;
  (column < unknowns ? status.unknown : status.equation) = column < unknowns ? column : column - unknowns;
}

}  // namespace

AugmentedReplay::AugmentedReplay(const System& system, double tolerance)
    : system_(system),
      tolerance_(tolerance),
      probe_(system),
      question_(system.pattern().rows + system.pattern().columns),
      response_(question_.size()) {
  if (system.sums_inertias()) negligible_ = std::make_unique<NegligibleSizes>(system, system.equations().size());
}

void AugmentedReplay::fill(PlannedOrder& order, const EstimatorSample& sample, ReadingWeights& weights) const noexcept {
  weights.weigh(sample.missing, order.plan->left_out, order.plan->augmented);
  order.augmented.fill(sample.values.data(), sample.right_side.data(), weights.weights().data(),
                       order.regularisation().precision.data(), order.lu.values(), order.lu.right_side());
}

SolverStatus AugmentedReplay::solve(PlannedOrder& order, EstimatorSample& sample, ReadingWeights& weights,
                                    long& refined) noexcept {
  const Augmented& augmented = order.augmented;
  ZeroFillLU<double>& lu = order.lu;
  double* solution = sample.solution.data();
  fill(order, sample, weights);
  LUStatus lu_status = lu.factor();
  if (lu_status.ok()) lu_status = lu.solve(solution);
  SolverStatus status;
  const int n = augmented.unknowns();
  status.state = lu_status.state;
  status.equation = lu_status.row < augmented.equations() ? lu_status.row : -1;
  name_column(lu_status.column, n, status);
  if (!status.ok()) return status;
  status.growth = lu.growth();
  const SolutionErrors first = lu.errors(solution);
  sample.doubtful =
      order.kind != OrderKind::plain || !weights.as_stated() || sweeps_doubtfully(first.componentwise, status.growth);
  const SolutionErrors left = lu.improve(solution, first, tolerance_, refined);
  status.backward_error = left.backward, status.componentwise_error = left.componentwise;
  const bool good = order.kind == OrderKind::plain ? accurate(status) : settles(lu, sample.solution, status);
  if (!good) status.state = LUState::inaccurate;
  if (status.ok() && negligible_) {
    const int lost = lu.unknown_without_digits(solution, negligible_->beside(solution));  // as in Solver
    if (lost >= 0) status.state = LUState::inaccurate, name_column(lost, n, status);
  }
  if (!status.ok() || !lu.doubtful(left.norm)) return status;
  if (const int vanishing = vanishing_pivot(order, sample, weights); vanishing >= 0) {
    status.state = LUState::zero_pivot;
    name_column(vanishing, n, status);
  }
  return status;
}

bool AugmentedReplay::accurate(const SolverStatus& status) const noexcept {
  return status.backward_error <= tolerance_ && status.componentwise_error <= tolerance_;
}

/// Of an order that multiplies Y with itself: refines until no unknown moves beside |x|, or what is of order one of its kind.
/// Backward errors do not tell that: without redundancy all residuals are rounding, and so are all terms of the equations that
/// they alone enter.
bool AugmentedReplay::settles(ZeroFillLU<double>& lu, std::vector<double>& x, SolverStatus& status) noexcept {
  if (!(status.backward_error <= tolerance_)) return false;
  const auto unknowns = static_cast<std::size_t>(system_.pattern().columns);
  const NaturalUnits units = natural_units(system_.model());
  double moved = 1;
  for (int k = 0; k < most_refinements && moved > at_rest; ++k) {
    response_ = x;
    if (!lu.refine(x.data()).ok()) return false;
    moved = 0;
    for (std::size_t j = 0; j < unknowns; ++j)
      moved = std::max(moved,
                       std::abs(x[j] - response_[j]) / std::max(one_of(system_, units, static_cast<int>(j)), std::abs(x[j])));
    if (!std::isfinite(moved)) return false;
  }
  status.componentwise_error = std::min(status.componentwise_error, moved);
  return moved <= at_rest;
}

/// As ZeroFillLU::vanishing_pivot, beside the same sample's system at a state that differs by roundings.
int AugmentedReplay::vanishing_pivot(PlannedOrder& order, const EstimatorSample& sample,
                                     const ReadingWeights& weights) noexcept {
  order.augmented.fill(probe_.values(sample.q.data(), sample.y.data()), sample.right_side.data(), weights.weights().data(),
                       order.regularisation().precision.data(), order.moved.data(), order.moved_right_side.data());
  return order.lu.vanishing_pivot(order.moved.data());
}

/// By a right-hand side of no structure, which only a singular matrix answers with 1/ε. For an order that multiplies Y with
/// itself, by how much a refinement moves that answer tells how many of them deviations need.
bool AugmentedReplay::singular(PlannedOrder& order) noexcept {
  AugmentedUnits& units = order.units;
  const double* const matrix = order.lu.values();
  units.read(matrix);
  for (std::size_t i = 0; i < question_.size(); ++i)
    question_[i] = units.rows()[i] * (0.5 + 0.5 * std::sin(1.0 + 7.0 * static_cast<double>(i)));
  if (!order.lu.solve(question_.data(), response_.data()).ok()) return true;
  const double response = largest(response_, units.columns());
  if (!(response * units.largest(matrix) < largest_condition)) return true;
  if (order.kind == OrderKind::plain) return false;
  question_ = response_;
  if (!order.lu.refine(response_.data()).ok()) return true;
  for (std::size_t i = 0; i < question_.size(); ++i) question_[i] -= response_[i];
  const double left = largest(question_, units.columns()) / response;
  refinements_ = left < 1e-6 ? 1 : left < 1e-4 ? 2 : most_refinements;  // each leaves that share of the error before it
  return !(left < 1e-3);
}

}  // namespace sparsedyn
