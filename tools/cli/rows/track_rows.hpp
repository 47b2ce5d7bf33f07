// Every row of a log through a Tracker, and the estimates written.
#pragma once

#include <string>

#include "cli/support/json_text.hpp"
#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

struct TrackSummary {
  long rows = 0, rows_failed = 0;
  double seconds = 0;
  Json json;         // beside rows: consistency, slips, time_jitter, compared, drift, errors, steps
  std::string text;  // likewise
};

/// model: of the tracker's robot. Failed rows are named on stderr. Throws InputError.
TrackSummary track_rows(Tracker& tracker, const Model& model, CsvReader& log, CsvWriter& out, const TrackedLogOptions& mode,
                        const CommonOptions& common);

}  // namespace sparsedyn::cli
