// Which readings are missing together, in a log.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// The distinct patterns of gaps in the log's rows, those that come most often first: a flag for each row of the system.
/// Throws InputError.
std::vector<std::vector<char>> gaps_in_log(const System& system, const std::string& log, const CommonOptions& common);

}  // namespace sparsedyn::cli
