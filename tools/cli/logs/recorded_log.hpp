// A log as `inspect` takes it: all its columns of numbers at once.
#pragma once

#include "cli/logs/log_file.hpp"
#include "sparsedyn/inspection/inspect.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// `most`: rows that are read, 0 for all. What is no number, nan, NA and null included, is a gap; text is an InputError.
RecordedLog recorded_log(const std::string& path, const std::string& name, long most = 0);

/// What quick_inspection() finds in the log, one warning a finding; a log that cannot be read again (a pipe) is passed over.
/// `model`: null where the command has no robot. Reads the first 4000 rows.
void warn_of_quick_findings(const Model* model, const std::string& path, const CommonOptions& common);

}  // namespace sparsedyn::cli
