// What solving a system by a plan costs, phase by phase.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/scalar/counting_scalar.hpp"
#include "sparsedyn/sparse/plan.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// assembly: transforms, velocities, the matrix' varying entries, the right-hand side, sin and cos (trig);
/// factorisation: A = L U; solve: both triangular solves, what a shifted formulation adds to the solution, and, in folded
/// counts, what writes the outputs.
struct PhaseCounts {
  OperationCounts assembly, factorisation, solve;                             // by phase
  OperationCounts total() const { return assembly + factorisation + solve; }  // of all phases
};

/// The plan's static programs: operations that stand in plan.program.factor and plan.program.solve. Assembly has no program of
/// its own: it is what System::assemble executes, which is the same at every state.
PhaseCounts static_counts(const System& system, const Plan& plan);

/// Operations executed: assembly and the plan's replay run on CountingScalar.
PhaseCounts executed_counts(const System& system, const Plan& plan);

/// What is left when everything that does not depend on the state is folded (±1, zeros, the robot's constants), equal values
/// are computed once, and nothing is computed that `outputs` (as Outputs takes them; empty: every unknown) do not need. A value
/// shared by two phases counts in the first. Sums are left as they stand: a generated program, which factors them too, may need
/// fewer operations. Inputs that a log may lack are at their fallbacks.
/// None where a pivot vanishes at a random state, and beyond a million operations of static_counts: recording takes about 300
/// bytes for each.
std::optional<PhaseCounts> folded_counts(const System& system, const Plan& plan, const std::vector<std::string>& outputs);

}  // namespace sparsedyn
