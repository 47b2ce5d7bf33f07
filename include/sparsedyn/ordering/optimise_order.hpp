// The offline search for an order: strategies propose, exact cost and pivot health decide.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/sparse/detail/health.hpp"
#include "sparsedyn/sparse/order_memory.hpp"

namespace sparsedyn {

/// What a strategy proposes.
using Candidate = NamedOrder;

/// A square system as the strategies see it.
struct OrderingProblem {
  Pattern pattern;               // of the matrix
  UnitEntries unit;              // may be empty
  std::vector<char> exact;       // of a symmetric pattern: rows of exact equations, whose diagonal is zero; else empty
  std::vector<int> outputs;      // the unknowns that count; empty: all
  std::vector<Candidate> known;  // orders known beforehand (the recursive ones)
  Samples samples;               // states at which health is sampled
};

/// How far the search goes.
struct OptimiseOptions {
  int umfpack_states = 5;      // random states at which UMFPACK is asked
  int health_states = 0;       // most states at which an order's health is sampled; 0: all
  double budget = 0;           // seconds of local search from the best order; 0: none
  long search_steps = 200000;  // most trials of the local search; if they end before the budget, the seed determines the result
  unsigned seed = 1;
  std::vector<std::string> outputs;  // as Outputs takes them: cost is what these need (empty: every unknown)
  /// Where a search for an estimator's plan of all rows keeps its orders. Those that an earlier search kept for the same
  /// structure and equal numbers are taken again: the plan's own are judged anew at all states, and where cost or health is not
  /// what it was, the search is done. The same holds where the robot is the same, the order was healthy, and the deviations
  /// have changed by factors of which none is more than ten times another: such a plan may cost more than one that is searched,
  /// and the other orders are listed as they were judged (StrategyResult::judged_earlier). All are judged anew where the
  /// plan's own is no longer healthy, or has come to take so many steps of refinement that another may cost less. Those of
  /// other numbers, if they were healthy, are compared with what is found for these: the plan is then one of a set of orders,
  /// and depends on what was searched before. Null, or with a budget: none are taken or kept.
  std::shared_ptr<const OrderMemory> memory = nullptr;
  bool judge_all = false;  // of orders taken from `memory`, all are judged anew
  /// Is told how far the search is.
  std::function<void(const std::string& strategy, double fraction_done)> progress;
  /// Further states at which the order is to be healthy, of the same pattern: the same rows and columns with other numbers.
  /// Half of the states are then these. Null: none. With them orders are neither taken from `memory` nor kept.
  std::shared_ptr<const Samples> also = nullptr;
};

/// Where an order alone does not do: a pivot vanishes, or refinement leaves an error beyond 1e-12. Solvers then go on to the
/// plan's fallback.
struct OrderHelp {
  std::vector<char> need;       // a flag for each state sampled at which the matrix is regular
  int states = 0;               // how many of them are set
  int singular = 0;             // further states sampled: no order serves there, not even one chosen at that very state
  std::vector<double> example;  // q of the first of them; empty: there is none
  std::string posture = {};     // what it is called: of robots
  double expected_cost = 0;     // flops, what help costs included, averaged over the states
};

/// One line of the table of strategies.
struct StrategyResult {
  std::string strategy;                           // who proposed the order
  Flops factor, solve;                            // operations of one factorisation and one solve
  int fill = 0;                                   // entries of L + U that the matrix does not have
  Health health;                                  // at the states sampled
  Order order;                                    // the order itself
  std::optional<OrderHelp> help = {};             // counted where no order serves every state
  int refined = 0;                                // states at which solutions take a step of refinement
  bool judged_earlier = false;                    // health is that of the deviations of an earlier search, not of these
  Flops flops() const { return factor + solve; }  // of both
};

/// What the search found.
struct OptimiseResult {
  std::vector<StrategyResult> strategies;  // cheapest first
  Plan plan;                               // the cheapest healthy one; if none is, the one of the least expected cost
  bool healthy() const { return plan.health.healthy(); }  // Health::healthy of that plan
};

/// Those of both, in turn: random ones first. `a` and `b` are of one pattern.
Samples in_turn(const Samples& a, const Samples& b);

/// The states of `samples` at which health is sampled.
inline Samples sampled(Samples samples, const OptimiseOptions& options) {
  if (options.also) samples = in_turn(samples, *options.also);
  if (options.health_states > 0) samples.count = std::min(samples.count, options.health_states);
  return samples;
}

/// Asks all strategies, counts the exact operations of what they propose, and samples the health of the cheapest. Throws
/// SingularSystem. Time: of small systems seconds, of a humanoid minutes.
OptimiseResult optimise_order(const OrderingProblem& problem, const OptimiseOptions& options = {});

}  // namespace sparsedyn
