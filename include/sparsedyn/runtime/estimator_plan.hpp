// What an Estimator replays, and how it comes out of storage. Searching for one is planning/plan_estimator.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/sparse/detail/augmented.hpp"
#include "sparsedyn/sparse/detail/samples.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// The order for samples whose gaps leave something open. Exact rows are eliminated first, by unknowns of their own; what is
/// left is YᵀW²Y + diag(p) on the others' null space, which is positive definite, whatever is missing, once nothing is open.
struct GapOrder {
  Augmented augmented;  // the plan's, with a place for a precision on each unknown that gaps may leave open
  Plan plan;            // of that
};

/// What a sample determines in which some noisy rows are missing (GapCloser).
struct GapClosing {
  std::vector<double>
      precision;  // of each unknown: its prior's, and 1 on some that the rest leaves open, which closes the system
  std::vector<char> undetermined;  // of each unknown
  int redundancy = 0;              // expected chi-square, each missing row yet to be taken off
};

/// What is fixed about estimating with one sensor set, or with one of its subsets. Made offline (planning/plan_estimator.hpp).
struct EstimatorPlan {
  /// From the augmented system and a plan of it; the rest is filled in by who makes it.
  EstimatorPlan(Augmented a, Plan p) : augmented(std::move(a)), plan(std::move(p)) {}
  Augmented augmented;               // the least-squares problem as a square system
  Plan plan;                         // of the augmented system
  std::optional<Plan> missing_data;  // an order in which each noisy row is its residual's: it loses no pivot with a measurement
  std::optional<GapOrder> open_gaps;  // for gaps with which the rest leaves something open
  std::vector<char> left_out;         // rows of the system that this plan does without
  std::vector<double> precision;      // 1/s² of each unknown's prior
  std::vector<char> undetermined;     // unknowns that the rows leave open (a unit precision on some of them closes the system)
  int redundancy = 0;                 // noisy rows beyond those needed: the expected chi-square
};

/// What a stored plan has to fit. The fingerprint covers the system's structure, which rows are exact, and which unknowns have
/// priors; sigmas and the numbers of priors may change.
struct EstimatorShape {
  Augmented augmented;      // as in EstimatorPlan
  UnitEntries unit;         // of its pattern
  std::string fingerprint;  // as above
  Augmented open_gaps;      // as in GapOrder: what a stored plan's third order is for
};
/// Of all rows and priors of the system's set.
EstimatorShape estimator_shape(const System& system);
/// The plan for all rows with orders known beforehand, without any search: those of `stored`, which is a plan of the shape's
/// augmented system whose fallback order, if it has one, is for samples with gaps, and whose third for gaps that leave
/// something open.
std::shared_ptr<const EstimatorPlan> plan_estimator(const System& system, Plan stored);
/// What a file keeps of an estimator's plan: `stored` above.
Plan stored_plan(const EstimatorPlan& plan);

/// The augmented matrices and right-hand sides that an Estimator solves, at `random` random states and all special ones. System
/// and plan must outlive it.
Samples augmented_samples(const System& system, const EstimatorPlan& plan, int random);

}  // namespace sparsedyn
