// The options of a live run, as they are given, or as a record says.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/rows/live_run.hpp"
#include "sparsedyn/live/live_record.hpp"

namespace sparsedyn::cli {

/// What a record says where an option was not given.
struct RecordedSettings {
  std::string path;
  std::map<std::string, std::string> settings;
  /// Throws InputError where the record has no number.
  double or_given(const std::optional<double>& given, const std::string& name, double otherwise) const;
};

LiveOptions live_options(const LiveRun& run, const RecordedSettings& record, std::size_t sources);
LiveRecordHead record_head(const LiveEstimate& estimate, const LiveRun& run, const LiveOptions& options);
/// Throws InputError where the record is not one of this estimate.
void check_record(const LiveRecordHead& head, const LiveEstimate& estimate, const std::string& path);

}  // namespace sparsedyn::cli
