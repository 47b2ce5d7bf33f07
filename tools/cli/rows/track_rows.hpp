// Every row of a log through a Tracker, and the estimates written: as they are found, some samples later, or all at the end.
#pragma once

#include <optional>
#include <string>

#include "cli/logs/log_file.hpp"
#include "cli/logs/track_log.hpp"
#include "cli/support/json_text.hpp"
#include "io/csv_writer.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::cli {

struct TrackMode {
  int lag = 0;
  bool batch = false;
  int iterations = 3;  // of a batch
  const UniformTime* uniform = nullptr;
};

struct TrackSummary {
  long rows = 0, rows_failed = 0;
  double seconds = 0;
  Json json;         // beside rows: consistency, slips, time_jitter, compared, drift, errors, steps
  std::string text;  // likewise
};

/// Failed rows are named on stderr. Throws InputError.
TrackSummary track_rows(Tracker& tracker, CsvReader& log, CsvWriter& out, const TrackMode& mode, const CommonOptions& common);

}  // namespace sparsedyn::cli
