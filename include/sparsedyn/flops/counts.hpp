// What solving a system by a plan costs, phase by phase, and what the recursive algorithms cost on a robot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sparsedyn/model/model.hpp"
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

/// What one algorithm costs on one robot.
struct AlgorithmCounts {
  std::string algorithm;                  // rnea, aba, crba, rnea+crba+ltdl, rnea+crba+cholesky
  OperationCounts raw;                    // what the compiled template executes
  std::optional<OperationCounts> folded;  // what is left of it with the robot's constants folded and equal values shared
  std::string not_folded;                 // why there is no such count
};

/// Folding records an algorithm and factors its sums: seconds and some hundred megabytes for a million operations. A longer one
/// is counted raw alone; on chains that is CRBA from 215 joints, and neither ABA nor RNEA at 1000.
constexpr long most_recorded = 1'000'000;
/// The same for an algorithm that factors M, whose sums have up to nv terms, compared pair by pair: from 63 joints.
constexpr long most_recorded_of_factors = 200'000;

/// Without external wrenches.
std::vector<AlgorithmCounts> recursive_counts(const Model& model);

/// Operations of the least program for inverse (rnea) or forward (aba) dynamics that the library generates.
OperationCounts program_counts(const Model& model, const std::string& algorithm);

/// A fixed-base chain of n revolute joints with nothing special about its geometry: the robot of the published formulas.
Model general_chain(int n);

/// A formula of the literature for general_chain(n), additions and multiplications, sin and cos excluded.
struct PublishedCount {
  const char* algorithm;  // as in AlgorithmCounts
  const char* source;     // author and year
  long mul, add;          // multiplications, additions
};
/// All formulas known, for a chain of n joints.
std::vector<PublishedCount> published_counts(int n);

}  // namespace sparsedyn
