// NAME_batch: samples in lanes, and one at a time where there are no vectors or fewer samples than lanes.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// For each element of each output: where a batch gets it from. Itself: it is computed in lanes. An earlier element of the same
/// output: it is copied, being equal. −1: it is always zero. Elements of a batch lie far apart in memory, so copying or
/// clearing the samples of one element at once is cheaper than writing lanes, and most elements of a dense matrix are such.
using ResultSources = std::vector<std::vector<int>>;
ResultSources result_sources(const Program& program);

/// NAME_one and NAME_batch, which calls NAME_lanes; `@` stands for NAME.
std::string emit_batch(const Program& program, const ResultSources& sources);

}  // namespace sparsedyn
