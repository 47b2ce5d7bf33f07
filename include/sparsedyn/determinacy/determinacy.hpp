// What a sensor set determines, what it leaves open, and which sensors would close the gap.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// insufficient: some unknowns stay open; redundant: none, and there are rows to spare; determined: neither.
enum class Verdict { determined, redundant, insufficient };

/// A sensor of the catalogue that is not in the set, and how many of the undetermined directions it would remove, alone.
struct SensorAdvice {
  std::string type;    // as in a sensor set
  std::string on;      // "joint" or "link"; "" for a sensor of the whole robot
  std::string target;  // the name of that joint or link; "" likewise
  int numbers;         // that it measures
  int removes;         // how many of the undetermined directions
};

/// What may be known without any sensor, as a sensor of the set with the value 0: that nothing drives a free base, that nothing
/// touches links in the air.
struct AssumptionAdvice {
  std::string type;                 // as in a sensor set: joint_torque or external_wrench
  std::string target;               // "base", or "*" for all links
  std::vector<std::string> except;  // of "*": links whose wrench the set has a sensor of
  int numbers;                      // that it states
  int removes;                      // how many of the undetermined directions
};

/// Two of them that close the gap together where neither does alone.
struct PairAdvice {
  SensorAdvice first, second;  // in no order
};

/// What a set determines, by indices of the system's unknowns and equations.
struct Determinacy {
  int unknowns = 0, equations = 0;             // of the system
  int structural_rank = 0;                     // of the worst-case pattern
  int rank = 0;                                // numeric, the best over the states tried
  std::vector<int> undetermined;               // unknowns, ascending
  std::vector<int> redundant_exact;            // equations: exact sensor rows that depend on each other
  std::vector<int> structurally_undetermined;  // unknowns that the pattern alone leaves open, whatever the numbers
  std::vector<int> structurally_redundant;     // equations of the part in which the pattern alone has too many
  std::vector<AssumptionAdvice> assumptions;   // most effective first; empty unless insufficient
  int assumptions_remove = 0;                  // directions, all of them together
  std::vector<SensorAdvice> advice;            // most effective, then simplest, first; empty unless insufficient
  std::vector<PairAdvice> pairs;               // simplest first, at most ten; empty where one sensor closes the gap
  bool determined_with_priors = false;         // nothing stays open once priors count as rows

  int redundant_rows() const { return equations - rank; }  // equations that follow from others
  /// By rank, unknowns and equations.
  Verdict verdict() const {
    return rank < unknowns ? Verdict::insufficient : redundant_rows() > 0 ? Verdict::redundant : Verdict::determined;
  }
};

/// Judges the system at random states, after scaling rows and columns; priors count for determined_with_priors alone. The
/// structural rank is not enough: feet on load cells are structurally sound and singular at every state.
/// Cost: a dense factorisation of (sensor rows) × (freedoms + wrench components that no row states by itself) a state; one
/// state where nothing is left open there.
Determinacy determinacy(const System& system, int states = 4, unsigned seed = 1);

/// "determined", "redundant" or "insufficient".
const char* verdict_name(Verdict verdict);

/// The directions of the unknowns that no row sees at one state (q: nq), judged as determinacy does: a basis, each of as many
/// numbers as unknowns.
std::vector<std::vector<double>> open_directions_at(const System& system, const std::vector<double>& q);
/// The numeric rank at one state: the unknowns less the open directions.
int rank_at(const System& system, const std::vector<double>& q);

/// Ranks at all special states (every coordinate 0, π/2, −π/2 or π, then `mixed` draws of these) and at `random` ones.
struct RankOverStates {
  std::vector<int> ranks;              // in that order; the first is at q = 0
  int best = 0, worst = 0;             // rank
  int special = 0, special_below = 0;  // tried, and of lower rank than the best
  int random = 0, random_below = 0;    // likewise of the random ones
  bool zero_below = false;             // the state with every coordinate 0 is one of lower rank
};
/// As RankOverStates says. Deterministic for a seed. Cost: that of rank_at a state.
RankOverStates rank_over_states(const System& system, int random, int mixed, unsigned seed = 1);

/// Exact rows of which some follow from the others: whatever they read, they can only agree or contradict each other.
struct RedundantExactRows : std::domain_error {
  /// Names the rows in what().
  explicit RedundantExactRows(const System& system, std::vector<int> rows);
  std::vector<int> rows;  // sensor rows that take part, of the system
};

}  // namespace sparsedyn
