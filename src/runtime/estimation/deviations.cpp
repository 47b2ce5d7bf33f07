#include "runtime/estimation/deviations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/chi_square.hpp"

namespace sparsedyn {
namespace {

/// By which the variance of a residual, which is at most 1, may always move.
constexpr double steady_residual = 1e-13;

/// The entries of the inverse, from a factorisation.
void run_sweep(const Plan& of, const SpreadPlan& plan, double* cells) {
  if (plan.inverse().needs_complete) run(of.program.complete, cells);
  run(plan.inverse().sweep, cells);
}

/// The factored system of one sample.
struct Alone {
  ZeroFillLU<double>& lu;
  std::vector<double>& response;
  int refinements;  // an order for gaps multiplies Y with itself, which loses digits that these give back
  bool ok = false;

  int samples() const { return 1; }
  void set(int, int row, double x) { lu.right_side()[row] = x; }
  double right_side(int, int row) { return lu.right_side()[row]; }
  void solve() {
    ok = lu.solve(response.data()).ok();
    for (int k = 0; k < refinements && ok; ++k) ok = lu.refine(response.data()).ok();
  }
  double answer(int, int column) const { return ok ? response[column] : std::numeric_limits<double>::quiet_NaN(); }
  bool is_of(const EstimatorSample&) const { return true; }
};

/// The factored systems of a batch. Answers of doubtful samples are refined.
struct Together {
  LUInLanes& lu;
  std::array<bool, Batch::lanes> doubtful{};

  int samples() const { return Batch::lanes; }
  bool is_of(const EstimatorSample& sample) const { return sample.in_lane; }
  void set(int k, int row, double x) { lu.right_side()[row].lane[k] = x; }
  double right_side(int k, int row) { return lu.right_side()[row].lane[k]; }
  void solve() {
    lu.solve();
    if (std::find(doubtful.begin(), doubtful.end(), true) != doubtful.end()) lu.refine(doubtful);
  }
  double answer(int k, int column) const {
    return lu.ok(k) ? lu.solution()[column].lane[k] : std::numeric_limits<double>::quiet_NaN();
  }
};

/// swept: by which the deviations were found, or null.
void note_found(EstimatorSample& sample, Spread wanted, const SpreadPlan* swept) {
  if (swept) sample.pairs_found = sample.pairs_found || !swept->pairs().empty();
  if (wanted.of_outputs) sample.outputs_found = true, sample.state_entered = false;
  if (wanted.of_rows) sample.rows_found = true;
}

}  // namespace

double variance_of_residual(double v, double share, const ReadingOffsets& offsets) noexcept {
  const double square = share * share;
  return v * (v + (1 - v) / square) - offsets.variance() / square;
}

bool is_checked(const RowSpread& row) noexcept { return row.response > no_redundancy && row.variance > no_redundancy; }

AgainstOthers against_others(const RowSpread& row, double residual, double share) noexcept {
  if (!is_checked(row)) return {0, std::numeric_limits<double>::infinity()};
  return {residual / (share * row.response), std::sqrt(row.variance) / row.response};
}

void write_innovations(EstimatorSample& sample, const ReadingWeights& weights) noexcept {
  const std::size_t n = sample.solution.size() - sample.rows.size();
  for (std::size_t r = 0; r < sample.rows.size(); ++r) {
    const RowSpread& row = sample.rows[r];
    sample.innovations[r] = is_checked(row) ? sample.solution[n + r] / (weights.shares()[r] * std::sqrt(row.variance)) : 0.0;
  }
}

Deviations::Deviations(const Outputs& outputs, int unknowns, int rows, int samples)
    : outputs_(outputs),
      samples_(samples),
      zero_(unknowns),
      gradient_(unknowns),
      second_(unknowns),
      response_(unknowns + rows) {}

void Deviations::reserve(std::size_t offsets) { of_offsets_.assign(offsets * response_.size() * samples_, 0.0); }

double Deviations::answer_of_offset(std::size_t offset, int sample, int column) const noexcept {
  return of_offsets_[(offset * samples_ + sample) * response_.size() + column];
}

/// What all systems answer to a unit in each offset's row, which by symmetry is what the offset's residual answers to units in
/// all rows.
template <class Systems>
void Deviations::answer_offsets(Systems& systems, const ReadingOffsets& offsets) noexcept {
  for (std::size_t o = 0; o < offsets.count(); ++o) {
    for (int k = 0; k < systems.samples(); ++k) systems.set(k, offsets.row(o), 1.0);
    systems.solve();
    for (int k = 0; k < systems.samples(); ++k) {
      double* into = of_offsets_.data() + (o * samples_ + k) * response_.size();
      for (std::size_t j = 0; j < response_.size(); ++j) into[j] = systems.answer(k, static_cast<int>(j));
      systems.set(k, offsets.row(o), 0.0);
    }
  }
}

/// sd² = cᵀ C c for the gradient c of an output, where the stationarity rows answer to c with x = −C c, and the residuals with
/// W Y C c: by W times that the output follows the readings, and their offsets, whose uncertainty adds to it.
template <class Systems>
void Deviations::of_outputs(Systems& systems, EstimatorSample* samples, const SpreadPlan* swept, const ReadingWeights& weights,
                            ReadingOffsets& offsets) noexcept {
  const int n = static_cast<int>(zero_.size()), m = weights.rows();
  for (int c = 0; c < static_cast<int>(outputs_.columns().size()); ++c) {
    const std::vector<int>& unknowns = outputs_.unknowns_of(c);
    const bool by_sweep = swept && swept->sweeps_output(c);
    if (!by_sweep) {
      for (int k = 0; k < systems.samples(); ++k) {
        outputs_.gradient(c, samples[k].y.data(), samples[k].work, zero_.data(), gradient_.data());
        for (int u : unknowns) systems.set(k, m + u, gradient_[u]);
      }
      systems.solve();
    }
    for (int k = 0; k < systems.samples(); ++k) {
      double variance = by_sweep ? samples[k].variances[c] : 0;
      if (!by_sweep) {
        for (int u : unknowns) variance -= systems.right_side(k, m + u) * systems.answer(k, u);
        offsets.follow(weights, [&](std::size_t o) { return systems.answer(k, n + offsets.row(o)); });
      } else if (offsets.count() > 0) {
        outputs_.gradient(c, samples[k].y.data(), samples[k].work, zero_.data(), gradient_.data());
        offsets.follow(weights, [&](std::size_t o) {
          double sum = 0;
          for (int u : unknowns) sum += gradient_[u] * answer_of_offset(o, k, u);
          return sum;
        });
      }
      samples[k].follows_open_offset[c] = offsets.leave_open(std::sqrt(std::max(variance, 0.0)));
      samples[k].deviations[c] = std::sqrt(std::max(variance, 0.0) + offsets.variance());
      if (!by_sweep)
        for (int u : unknowns) systems.set(k, m + u, 0.0);
    }
  }
}

template <class Systems>
void Deviations::of_rows(Systems& systems, EstimatorSample* samples, const SpreadPlan* swept, const ReadingWeights& weights,
                         ReadingOffsets& offsets) noexcept {
  const int n = static_cast<int>(zero_.size());
  const std::size_t outputs = outputs_.columns().size();
  for (int r = 0; r < weights.rows(); ++r) {
    for (int k = 0; k < systems.samples(); ++k)
      if (systems.is_of(samples[k])) samples[k].rows[r] = {};
    if (weights[r] == 0) continue;
    const bool by_sweep = swept && swept->sweeps_row(r);
    if (!by_sweep) {
      for (int k = 0; k < systems.samples(); ++k) systems.set(k, r, 1.0);
      systems.solve();
    }
    const double share = weights.shares()[r];
    for (int k = 0; k < systems.samples(); ++k) {
      if (!by_sweep) systems.set(k, r, 0.0);
      if (!systems.is_of(samples[k])) continue;
      offsets.follow(weights, [&](std::size_t o) {
        return by_sweep ? answer_of_offset(o, k, n + r) : systems.answer(k, n + offsets.row(o));
      });
      const double v = by_sweep ? samples[k].variances[outputs + r] : systems.answer(k, n + r);
      samples[k].rows[r] = {v, variance_of_residual(v, share, offsets)};
    }
  }
}

/// An output's gradient, its unknowns in those units (MovedEntries) or, for null, as they are.
void Deviations::read_gradient(int c, const EstimatorSample& sample, int rows, const double* unit,
                               std::vector<double>& into) noexcept {
  outputs_.gradient(c, sample.y.data(), sample.work, zero_.data(), into.data());
  for (int u : outputs_.unknowns_of(c)) into[u] *= unit ? unit[rows + u] : 1.0;
}

/// Calls found(index in EstimatorSample::variances, variance, whether it may be rounding alone) for all that is swept. unit: in
/// which the cells are (MovedEntries), or null.
template <class Cell, class Found>
void Deviations::for_variances(const SpreadPlan& plan, EstimatorSample& sample, const ReadingWeights& weights,
                               const double* unit, Cell cell, Found found) noexcept {
  const int outputs = static_cast<int>(outputs_.columns().size());
  for (int c = 0; c < outputs; ++c) {
    if (!plan.sweeps_output(c)) continue;
    read_gradient(c, sample, weights.rows(), unit, gradient_);
    found(c, plan.variance_of_output<double>(c, gradient_.data(), cell), plan.is_held(c));
  }
  for (int r = 0; r < weights.rows(); ++r)
    if (plan.sweeps_row(r) && weights[r] != 0) {
      const double v = plan.variance_of_row<double>(r, cell);
      found(outputs + r, unit ? v * unit[r] * unit[r] : v, false);
    }
  for (std::size_t k = 0; k < plan.pairs().size(); ++k) {
    const auto& [a, b] = plan.pairs()[k];
    const int pair = static_cast<int>(k);
    if (!plan.sweeps_pair(pair)) continue;
    read_gradient(a, sample, weights.rows(), unit, gradient_), read_gradient(b, sample, weights.rows(), unit, second_);
    found(outputs + weights.rows() + pair, plan.covariance_of_pair<double>(pair, gradient_.data(), second_.data(), cell),
          plan.is_held(a) || plan.is_held(b));
  }
}

/// moved(k, by): by what the k-th variance moves beside itself in the cells of the moved matrix; infinite where it is negative.
template <class Cell, class Moved>
void Deviations::for_movements(const SpreadPlan& plan, EstimatorSample& sample, const ReadingWeights& weights,
                               const MovedEntries& moves, Cell cell, Moved moved) noexcept {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const int outputs = static_cast<int>(outputs_.columns().size()), covariances = outputs + weights.rows();
  for_variances(plan, sample, weights, moves.unit.data(), cell, [&](int k, double variance, bool rounding) {
    const double own = sample.variances[k];
    double size = std::abs(own), least = k < outputs ? 0.0 : -steady_residual;
    if (k >= covariances) {
      const auto& [a, b] = plan.pairs()[static_cast<std::size_t>(k - covariances)];
      size = std::sqrt(std::max(0.0, sample.variances[a]) * std::max(0.0, sample.variances[b]));
      least = -2 * size;
    }
    const double by = std::abs(variance - own) - (k < outputs || k >= covariances ? 0.0 : steady_residual);
    moved(k, rounding || (own >= least && by <= 0) ? 0.0 : own >= least && size > 0 && by < infinite ? by / size : infinite);
  });
}

/// Whether the variances stay where they are in the cells of the moved matrix.
template <class Cell>
bool Deviations::agrees(const SpreadPlan& plan, EstimatorSample& sample, const ReadingWeights& weights,
                        const MovedEntries& moves, Cell cell) noexcept {
  bool good = true;
  for_movements(plan, sample, weights, moves, cell, [&](int, double by) { good = good && by <= steady; });
  return good;
}

/// The sample's variances.
void Deviations::sweep(EstimatorSample& sample, PlannedOrder& order, const SpreadPlan& plan,
                       const ReadingWeights& weights) noexcept {
  double* const cells = order.lu.values();
  run_sweep(order.lu.plan(), plan, cells);
  for_variances(
      plan, sample, weights, nullptr, [&](int at) { return cells[at]; },
      [&](int k, double variance, bool) { sample.variances[k] = variance; });
}

/// The sweep of the matrix moved by roundings, in other units. look(moves, cell) returns whether to go on.
template <class Look>
void Deviations::sweep_again(PlannedOrder& order, const SpreadPlan& plan, Look look) noexcept {
  const Plan& of = order.lu.plan();
  double* const moved = order.moved_cells.data();
  std::copy_n(order.lu.values(), of.pattern.entries(), moved);
  for (const MovedEntries& moves : plan.moves()) {
    for (std::size_t e = 0; e < moves.factor.size(); ++e) moved[e] *= moves.factor[e];
    run(of.program.factor, moved);
    run_sweep(of, plan, moved);
    if (!look(moves, [moved](int at) { return moved[at]; })) return;
  }
}

/// Whether the sample's variances, which were swept, have kept their digits.
bool Deviations::keeps_digits(EstimatorSample& sample, PlannedOrder& order, const SpreadPlan& plan,
                              const ReadingWeights& weights) noexcept {
  bool good = true;
  ++counts_.checked;
  sweep_again(order, plan,
              [&](const MovedEntries& moves, auto cell) { return good = agrees(plan, sample, weights, moves, cell); });
  return good;
}

/// Null where solves for the offsets cost as much as those that the sweep saves.
const SpreadPlan* Deviations::worth_sweeping(const SpreadPlan* plan, const ReadingOffsets& offsets) const noexcept {
  return plan && static_cast<std::size_t>(plan->swept()) > offsets.count() ? plan : nullptr;
}

void Deviations::note_movements(EstimatorSample& sample, PlannedOrder& order, const ReadingWeights& weights, Spread wanted,
                                std::vector<double>& moved) noexcept {
  std::fill_n(order.lu.right_side(), sample.solution.size(), 0.0);
  const SpreadPlan& plan = *order.sweep_for(wanted).plan;
  sweep(sample, order, plan, weights);
  sweep_again(order, plan, [&](const MovedEntries& moves, auto cell) {
    for_movements(plan, sample, weights, moves, cell, [&](int k, double by) { moved[k] = std::max(moved[k], by); });
    return true;
  });
}

void Deviations::find(EstimatorSample& sample, PlannedOrder& order, int refinements, const ReadingWeights& weights,
                      ReadingOffsets& offsets, Spread wanted) noexcept {
  std::fill_n(order.lu.right_side(), sample.solution.size(), 0.0);
  const PlannedSweep& planned = order.sweep_for(wanted);
  const SpreadPlan* swept = worth_sweeping(planned.plan.get(), offsets);
  bool refines = sample.doubtful;
  if (swept) {
    bool good = !sample.sweep_lost_digits;
    if (good) {
      sweep(sample, order, *swept, weights);
      good = (planned.certified && !sample.doubtful) || keeps_digits(sample, order, *swept, weights);
    }
    ++(good ? counts_.swept : counts_.solved);
    if (!good) swept = nullptr, sample.pairs_found = false, refines = true;
  }
  Alone alone{order.lu, response_, std::max(refinements, refines ? 1 : 0)};
  if (swept) answer_offsets(alone, offsets);
  if (wanted.of_outputs) of_outputs(alone, &sample, swept, weights, offsets);
  if (wanted.of_rows) of_rows(alone, &sample, swept, weights, offsets);
  note_found(sample, wanted, swept);
}

bool Deviations::find(EstimatorSample* samples, LUInLanes& lu, const PlannedSweep& planned, const ReadingWeights& weights,
                      ReadingOffsets& offsets, Spread wanted) noexcept {
  const SpreadPlan* swept = worth_sweeping(planned.plan.get(), offsets);
  Together together{lu, {}};
  for (int k = 0; k < Batch::lanes; ++k) together.doubtful[k] = samples[k].doubtful;
  std::fill_n(lu.right_side(), samples->solution.size(), Batch(0.0));
  const auto replay = [&] {
    if (swept->inverse().needs_complete) lu.replay(lu.plan().program.complete);
    lu.replay(swept->inverse().sweep);
  };
  const auto in_lane = [&](int k) { return [&lu, k](int at) { return lu.values()[at].lane[k]; }; };
  if (swept) {
    replay();
    for (int k = 0; k < Batch::lanes; ++k)
      for_variances(*swept, samples[k], weights, nullptr, in_lane(k),
                    [&](int j, double variance, bool) { samples[k].variances[j] = variance; });
    answer_offsets(together, offsets);
  }
  if (wanted.of_outputs) of_outputs(together, samples, swept, weights, offsets);
  if (wanted.of_rows) of_rows(together, samples, swept, weights, offsets);
  std::array<bool, Batch::lanes> doubted{};
  for (int k = 0; k < Batch::lanes; ++k) {
    if (!samples[k].in_lane) continue;
    note_found(samples[k], wanted, swept);
    doubted[k] = swept && (!planned.certified || samples[k].doubtful);
  }
  const auto looked_at = static_cast<long>(std::count(doubted.begin(), doubted.end(), true));
  counts_.checked += looked_at;
  if (looked_at == 0) return true;
  for (const MovedEntries& moves : swept->moves()) {
    for (std::size_t e = 0; e < moves.factor.size(); ++e) lu.values()[e] = lu.values()[e] * Batch(moves.factor[e]);
    lu.factor();
    replay();
    for (int k = 0; k < Batch::lanes; ++k)
      if (doubted[k] && !agrees(*swept, samples[k], weights, moves, in_lane(k))) {
        samples[k].sweep_lost_digits = true, samples[k].pairs_found = false;
        samples[k].outputs_found = samples[k].outputs_found && !wanted.of_outputs;
        samples[k].rows_found = samples[k].rows_found && !wanted.of_rows;
      }
  }
  return false;
}

}  // namespace sparsedyn
