// What a sensor set determines, what it does not, and which sensors would help.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// insufficient: some unknowns are undetermined; redundant: none is, and there are more rows than needed; determined: neither.
enum class Verdict { determined, redundant, insufficient };

/// A sensor of the catalogue that is not in the set, and how many of the undetermined directions it alone would remove.
struct SensorAdvice {
  std::string type;    // as in a sensor set
  std::string on;      // "joint" or "link"; "" for a sensor of the whole robot
  std::string target;  // the name of that joint or link; "" likewise
  int numbers;         // that it measures
  int removes;         // how many of the undetermined directions
};

/// An assumption that needs no sensor, as a sensor of the set with the value 0: nothing drives a free base, or nothing touches
/// links in the air.
struct AssumptionAdvice {
  std::string type;                 // as in a sensor set: joint_torque or external_wrench
  std::string target;               // "base", or "*" for all links
  std::vector<std::string> except;  // of "*": links whose wrench the set has a sensor of
  int numbers;                      // that it states
  int removes;                      // how many of the undetermined directions
};

/// Two sensors that together remove all undetermined directions, while neither does alone.
struct PairAdvice {
  SensorAdvice first, second;  // in no order
};

/// The result for a set, by indices of the system's unknowns and equations.
struct Determinacy {
  int unknowns = 0, equations = 0;             // of the system
  int structural_rank = 0;                     // of the pattern
  int rank = 0;                                // numeric, the largest over the sampled states
  std::vector<int> undetermined;               // unknowns, ascending
  std::vector<int> redundant_exact;            // equations: exact sensor rows that depend on each other
  std::vector<int> structurally_undetermined;  // unknowns that the pattern leaves undetermined for any numbers
  std::vector<int> structurally_redundant;     // equations of the part of the pattern that has too many
  std::vector<AssumptionAdvice> assumptions;   // most effective first; empty unless insufficient
  int assumptions_remove = 0;                  // directions, all of them together
  std::vector<SensorAdvice> advice;            // most effective, then simplest, first; empty unless insufficient
  std::vector<PairAdvice> pairs;               // simplest first, at most ten; empty if a single sensor suffices
  bool determined_with_priors = false;         // nothing is undetermined if priors count as rows

  int redundant_rows() const { return equations - rank; }  // equations that follow from others
  /// By rank, unknowns and equations.
  Verdict verdict() const {
    return rank < unknowns ? Verdict::insufficient : redundant_rows() > 0 ? Verdict::redundant : Verdict::determined;
  }
};

/// Tests the system at random states, after scaling rows and columns. Priors count for determined_with_priors alone. The
/// structural rank is not sufficient: feet on load cells have full structural rank and are singular at every state. Cost: a
/// dense factorisation of (sensor rows) × (freedoms + wrench components that no row states by itself) for each state; one state
/// if nothing is undetermined there.
Determinacy determinacy(const System& system, int states = 4, unsigned seed = 1);

/// "determined", "redundant" or "insufficient".
const char* verdict_name(Verdict verdict);

/// The directions of the unknowns that change no row at one state (q: nq), with the tolerances of determinacy: a basis, each
/// with as many numbers as unknowns.
std::vector<std::vector<double>> open_directions_at(const System& system, const std::vector<double>& q);
/// The numeric rank at one state: the number of unknowns minus that of undetermined directions.
int rank_at(const System& system, const std::vector<double>& q);

/// Ranks at all special states (every coordinate 0, π/2, −π/2 or π, then `mixed` draws of these) and at `random` ones.
struct RankOverStates {
  std::vector<int> ranks;              // in that order; the first is at q = 0
  int best = 0, worst = 0;             // rank
  int special = 0, special_below = 0;  // sampled, and of lower rank than the best
  int random = 0, random_below = 0;    // likewise of the random ones
  bool zero_below = false;             // the state with every coordinate 0 is one of lower rank
};
/// As RankOverStates says. Deterministic for a seed. Cost: that of rank_at a state.
RankOverStates rank_over_states(const System& system, int random, int mixed, unsigned seed = 1);

/// Exact rows that depend on each other: their readings can only agree or contradict each other.
struct RedundantExactRows : std::domain_error {
  /// Names the rows in what().
  explicit RedundantExactRows(const System& system, std::vector<int> rows);
  std::vector<int> rows;  // sensor rows that take part, of the system
};

}  // namespace sparsedyn
