// What a sensor set determines, what it leaves open, and which sensors would close the gap.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

enum class Verdict { determined, redundant, insufficient };

/// A sensor that is not in the set, and how many of the undetermined directions it would remove, alone.
struct SensorAdvice {
  std::string type;  // joint_torque, joint_acceleration, external_wrench, force_torque, link_acceleration
  bool on_joint;     // else on a link
  std::string target;
  int removes;
};

struct Determinacy {
  int unknowns = 0, equations = 0;
  int structural_rank = 0;           // of the worst-case pattern
  int rank = 0;                      // numeric, the best over the states tried
  std::vector<int> undetermined;     // unknowns, ascending
  std::vector<int> redundant_exact;  // equations: exact sensor rows that depend on each other
  std::vector<SensorAdvice> advice;  // most effective first; empty unless insufficient
  bool determined_with_priors = false;

  int redundant_rows() const { return equations - rank; }
  Verdict verdict() const {
    return rank < unknowns ? Verdict::insufficient : redundant_rows() > 0 ? Verdict::redundant : Verdict::determined;
  }
};

/// Judges the system at random states, after scaling rows and columns; priors count for determined_with_priors alone. The
/// structural rank is not enough: feet on load cells are structurally sound and singular at every state.
/// Cost: a dense factorisation of (sensor rows) × (freedoms + unknown wrench components) a state.
Determinacy determinacy(const System& system, int states = 4, unsigned seed = 1);

const char* verdict_name(Verdict verdict);

/// The most entries that can be chosen with no two in a row or column.
int structural_rank(const Pattern& pattern);

}  // namespace sparsedyn
