// The states at which the pivots of a system's plan are tried.
#pragma once

#include <vector>

#include "sparsedyn/sparse/samples.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn {

/// `random` random states and all special states (see special_configurations; 200 mixed ones), with random v and y; put onto
/// the loops of hard constraints, as closed_states says. The system must outlive the result.
Samples samples_of(const System& system, int random = 500, unsigned seed = 1);

/// The same states several times over, for a thread each.
std::vector<Samples> samples_for_threads(const System& system, int threads, int random = 500, unsigned seed = 1);

}  // namespace sparsedyn
