// NAME_batch: samples in lanes, and one at a time where there are no vectors or fewer samples than lanes.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/codegen/program.hpp"

namespace sparsedyn {

/// For each element of each output where a batch has it from: itself (computed in lanes), an earlier element of the same output
/// (equal to it), or −1 (always zero). Rows of a batch lie far apart in memory: lanes written there one by one cost more than
/// whole rows copied or cleared, and a dense matrix is mostly such rows.
using ResultSources = std::vector<std::vector<int>>;
ResultSources result_sources(const Program& program);

/// NAME_one and NAME_batch, which calls NAME_lanes; `@` stands for NAME.
std::string emit_batch(const Program& program, const ResultSources& sources);

}  // namespace sparsedyn
