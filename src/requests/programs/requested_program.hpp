// From what a user asks for by name to a recorded program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/runtime/plan_source.hpp"
#include "sparsedyn/system/sensor_set.hpp"

namespace sparsedyn {

struct ProgramRequest {
  std::string algorithm, sensors;          // one of the two, or
  std::string stage;                       // a step of time: the name of the integrator
  std::shared_ptr<const SensorSet> set;    // what `sensors` names, where it is at hand
  std::shared_ptr<const StoredPlan> plan;  // with sensors; null: none was given
  std::vector<std::string> outputs;
  bool all_inputs = false;
  bool weights = false, deviations = false;  // of a set with noisy rows
  DerivativesBy derivatives;                 // of a set's outputs
  bool single_precision = false;             // the code is to compute in floats, in which digits are lost sooner
  std::vector<std::string> parameters;       // those that are inputs, as requested_parameters takes them
  std::vector<std::string> forces;           // with a stage: links, forces on which are inputs
};

/// Of these names: q, v, y, p, second. Throws UsageError, which begins with `option`.
DerivativesBy derivatives_by(const std::string& option, const std::vector<std::string>& names);

/// Throws UsageError where the request contradicts itself.
void check_request(const ProgramRequest& request);

struct RequestedProgram {
  VectorisedProgram program;
  std::string what;            // in words: algorithm or sensor set
  ParameterInputs parameters;  // that are inputs
  /// Columns of a set that lose digits at some posture (requests/digits/inexact_columns.hpp), the worst first; and those
  /// whose solves are refined, for the sake of one at least of those that share a solve.
  /// @{
  std::vector<std::string> loses_digits = {};
  std::vector<std::string> refined = {};
  /// @}
};

/// What is worth knowing is added to `warnings`, as sentences. Throws UsageError, UnknownName, InputError, AnswerIsNo.
RequestedProgram requested_program(const Model& model, const ProgramRequest& request, std::vector<std::string>& warnings);

}  // namespace sparsedyn
