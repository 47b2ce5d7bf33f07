// Every row of a log through a Tracker, and the estimates written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/reports/track_report.hpp"
#include "cli/support/json_text.hpp"
#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

struct TrackSummary {
  long rows = 0, rows_failed = 0;
  double seconds = 0;
  Json json;                            // beside rows: consistency, slips, time_jitter, compared, drift, errors, steps
  std::string text;                     // likewise
  std::vector<std::string> at_prior;    // TrackFigures::at_prior
  std::shared_ptr<TrackReport> report;  // where one is asked for
};

/// What is made of the results.
struct TrackFiles {
  std::vector<std::string> columns;  // that are written and compared with the log: some of the tracker's, or all
  bool report = false;               // a page is made: the tracker has all of its state_columns(), with deviations
};

/// model: of the tracker's robot. Failed rows are named on stderr. Throws InputError.
TrackSummary track_rows(Tracker& tracker, const Model& model, CsvReader& log, CsvWriter& out, const TrackedLogOptions& mode,
                        const TrackFiles& files, const CommonOptions& common);

}  // namespace sparsedyn::cli
