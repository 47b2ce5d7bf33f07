// A plan: the part of solving one system that does not depend on numbers. It is made offline and executed at runtime.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sparsedyn/sparse/lu_program.hpp"

namespace sparsedyn {

/// The accuracy of an order without pivot search, sampled at many states.
struct Health {
  double worst_backward_error = 0;       // ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞)
  double worst_growth = 0;               // max |u| / max |a|, each row of A scaled to a largest entry of 1
  double worst_componentwise_error = 0;  // after refinement: SolutionErrors; not stored in files
  int states = 0;                        // sampled; 0: not sampled
  std::vector<double> worst_state;       // q at the worst backward error
  /// The backward error is at most 1e-12 at every state sampled.
  bool healthy() const { return states > 0 && worst_backward_error <= 1e-12; }
  /// Whether small unknowns are as accurate as large ones.
  bool accurate() const { return worst_componentwise_error <= 1e-12; }
};

/// An order of an estimator for samples in which exactly these rows are missing.
struct GapOrder {
  std::vector<int> missing;  // rows of the system, ascending
  Order order;               // of the remaining augmented system
};

/// Made by make_plan, read by ZeroFillLU; never changes, threads share it.
struct Plan {
  Pattern pattern;                 // square, worst case
  Order order;                     // of elimination
  UnitEntries unit;                // of the pattern
  Elimination elimination;         // where L and U can be nonzero
  LUProgram program;               // the schedule of factorisation and solve
  std::string formulation;         // how the system is written down (formulation_name); empty: newton-euler
  std::string strategy;            // who proposed the order
  std::string fingerprint;         // of the robot and sensor set it was made for
  std::string numbers;             // fingerprint of their numbers, at which its health was sampled
  Health health;                   // of `order`
  std::optional<Order> fallback;   // a second order, for states at which the first has large errors
  std::string fallback_strategy;   // who proposed it
  std::optional<Order> open_gaps;  // of an estimator, for gaps that leave unknowns undetermined
  std::vector<GapOrder> gaps;      // of an estimator, for gaps for which its other orders are not accurate

  /// Of one factorisation.
  Flops factor_flops() const { return program.factor.flops; }
  /// Of one solve.
  Flops solve_flops() const { return program.solve.flops; }
  /// Of both.
  Flops flops() const { return factor_flops() + solve_flops(); }
};

/// No order has pivots that can all be nonzero: the system is singular at every state.
struct SingularSystem : std::domain_error {
  /// `of_column`: an unknown of the system, or -1.
  SingularSystem(const std::string& what, int of_column) : std::domain_error(what), column(of_column) {}
  int column;  // an undetermined unknown, or -1
};

/// A valid plan that was made for another robot or sensor set.
struct PlanMismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Builds the static part of a plan. `unit` (entries that are ±1 at every state) and `outputs` (the unknowns wanted) may be
/// empty. Values that a symmetric pattern (Pattern::partner) makes equal are computed once: half of the factorisation, in an
/// order that keeps the matrix symmetric. Throws std::invalid_argument where order or sizes are wrong, ZeroPivot where a pivot
/// is structurally zero. Cost: time and memory proportional to the flops of the plan.
Plan make_plan(const Pattern& pattern, const Order& order, const UnitEntries& unit = {}, const std::vector<int>& outputs = {});

}  // namespace sparsedyn
