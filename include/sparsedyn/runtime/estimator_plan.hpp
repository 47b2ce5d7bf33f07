// What an Estimator executes: the augmented system of a sensor set and its orders of elimination. Made offline, by a search
// (planning/optimise.hpp) or from orders that were stored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/determinacy/regularisation.hpp"
#include "sparsedyn/sparse/augmented.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/sparse/samples.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// A least-squares problem as a square system, and a plan of it.
struct AugmentedPlan {
  Augmented augmented;  // the system
  Plan plan;            // of that
};

/// The part of an estimate that is fixed for one sensor set, or for one of its subsets.
struct EstimatorPlan {
  /// From the augmented system and a plan of it; the caller fills in the rest.
  EstimatorPlan(Augmented a, Plan p) : augmented(std::move(a)), plan(std::move(p)) {}
  Augmented augmented;               // the least-squares problem as a square system
  Plan plan;                         // of the augmented system
  std::optional<Plan> missing_data;  // an order in which each noisy row is its residual's: it loses no pivot with a measurement
  /// For gaps with which the rest leaves something open, whatever is missing: its augmented system has a place for a precision
  /// on each unknown that gaps may leave open. Exact rows are eliminated first, by unknowns of their own; what is left is
  /// YᵀW²Y + diag(p) on the others' null space, which is positive definite once nothing is open.
  std::optional<AugmentedPlan> open_gaps;
  /// For gaps that none of these orders serves, as where exact rows are missing: each plan is for samples in which just the
  /// rows that it leaves out are missing. One that leaves out none is for states at which `plan` loses a pivot.
  std::vector<std::shared_ptr<const EstimatorPlan>> gaps;
  std::vector<char> left_out;     // rows of the system that this plan does without
  Regularisation regularisation;  // of the rows that it reads
};

/// What a stored plan has to fit. The fingerprint covers the system's structure, which rows are exact, and which unknowns have
/// priors; sigmas and the numbers of priors may change.
struct EstimatorShape {
  Augmented augmented;      // as in EstimatorPlan
  UnitEntries unit;         // of its pattern
  std::string fingerprint;  // as above
  Augmented open_gaps;      // of EstimatorPlan::open_gaps: what such an order of a stored plan is for
};
/// Of all rows and priors of the system's set.
EstimatorShape estimator_shape(const System& system);
/// The plan for all rows with orders known beforehand, without any search: those of `stored`, which is a plan of the shape's
/// augmented system whose fallback order, if it has one, is for samples with gaps. Throws std::invalid_argument where the
/// orders of stored.gaps are none for this system. Cost: dense rank decisions, O(n³), one for each of stored.gaps too.
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored);
/// The plan for samples in which just some rows are missing, with an order known beforehand. Throws std::invalid_argument where
/// it is none for what is left of the system.
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, const GapOrder& gaps);
/// What a sample of readings (NaN: missing) lacks: a flag for each row of the system.
std::vector<char> missing_rows(const System& system, const double* y);
/// What a file keeps of an estimator's plan: `stored` above.
Plan stored_plan(const EstimatorPlan& plan);

/// The augmented matrices and right-hand sides that an Estimator solves, at `random` random states and all special ones. System
/// and plan must outlive it.
Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random);

}  // namespace sparsedyn
