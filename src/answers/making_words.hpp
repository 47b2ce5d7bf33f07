// What is worth knowing of how a SensorSolver was made, as sentences.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/answers/solve_report.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// `plan`: what messages call the stored plan.
std::vector<std::string> in_words(const SolverMaking& making, const std::string& plan);

/// A sentence for each sensor whose "bias" says nothing, for an offset is weighed against the sensor's noise.
std::vector<std::string> exact_offsets(const System& system);

/// "left out, for …".
std::string left_out_in_words(const std::vector<std::string>& outputs);

}  // namespace sparsedyn
