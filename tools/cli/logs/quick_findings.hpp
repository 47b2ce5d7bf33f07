// What is likely wrong with a log, told by every command that reads one.
#pragma once

#include <string>

#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// What quick_inspection() finds in the log, one warning a finding; a log that cannot be read again (a pipe) is passed over.
/// `model`: null where the command has no robot. Reads the first 4000 rows.
void warn_of_quick_findings(const Model* model, const std::string& path, const CommonOptions& common);

}  // namespace sparsedyn::cli
