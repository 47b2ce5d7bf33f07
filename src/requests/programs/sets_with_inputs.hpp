// Sensor sets whose robot has parameters as inputs of the program: what is planned, and what is refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/plan_source.hpp"
#include "sparsedyn/sparse/samples.hpp"

namespace sparsedyn {

/// The orders of a plan that was stored for `nominal`, newton-euler, as plans of system_with_inputs for the same set: this has
/// the same rows and columns, more entries where inputs may become nonzero, and in net-forces the net wrenches of links that
/// have no mass yet. Throws AnswerIsNo where these parameters leave a body without mass that the plan knows with mass.
std::shared_ptr<const StoredPlan> plan_with_inputs(std::shared_ptr<const StoredPlan> stored,
                                                   std::shared_ptr<const System> nominal);

/// States at which a search for system_with_inputs meets the robot's own numbers, too: those of `nominal`, the same set on the
/// robot itself, in the pattern of `varied`, which has further entries, here zero.
Samples samples_at_own_numbers(std::shared_ptr<const System> nominal, const System& varied);

/// Throws UsageError where base parameters are the inputs, and the set or the outputs (columns) depend on single masses.
void require_functions_of_base(const System& system, const std::vector<std::string>& columns,
                               const std::vector<std::string>& names);

/// Throws AnswerIsNo where the robot itself, whose inputs are `nominal`, leaves undetermined what other values of the inputs
/// determine (a link without mass). nominal: its system; varied: system_with_inputs. Cost: two dense rank decisions, for robots
/// with bodies without mass.
void require_same_rank(const System& nominal, const System& varied);

}  // namespace sparsedyn
