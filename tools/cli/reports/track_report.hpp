// The page of `track`: what was found in words, then the base's way beside the log's, its errors with ± 2σ, feet, offsets and
// all other outputs over time.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base_figures.hpp"
#include "estimate_report.hpp"
#include "standing_feet.hpp"

namespace sparsedyn::cli {

/// A row of the log as the page needs it once its estimate is there.
struct TrackedRow {
  double time = 0;  // s; NaN: it has none
  long line = 0;
  std::vector<double> truth;  // as TrackReport::read() gave it
  BaseTruth base;
};

class TrackReport {
 public:
  /// columns: of the results, which hold all of Tracker::state_columns() and their deviations. A result is compared with the
  /// log's column of the same name, unless that column is an input. The model and the log must outlive the report.
  TrackReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns,
              const std::function<bool(const std::string&)>& is_input);

  /// Reads from the log's current row the values that outputs are compared with (NaN: none).
  void read(std::vector<double>& truth);
  /// Adds a row: its results (null: none), and how many points of feet it released. A row without results is drawn at its own
  /// time where that lies between those of the rows with results before and after it, else at the one before.
  void add(const double* results, const TrackedRow& row, int slips);
  /// All rows are added.
  void finish();
  /// The page. `summary`: the command's text; `details`: the same as JSON (`consistency`, `errors`, `unobservable`, …).
  std::string html(const std::string& title, const std::string& summary, const Json& details) const;

 private:
  /// Outputs of one section.
  struct Part {
    std::string heading;
    std::vector<std::size_t> columns;  // places in the results
    EstimateReport figures;
    std::size_t compared;  // values that read() gives
    std::vector<double> results;
  };
  struct Failed {
    TrackedRow row;
    int slips;
  };
  TrackReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns,
              const std::function<bool(const std::string&)>& is_input, std::size_t channels);
  void draw(double time, const double* results, const TrackedRow& row, int slips);
  void draw_failed(double before);
  std::string lead(const Json& details) const;

  const Model& model_;
  BaseFigures base_;
  StandingFeet feet_;
  std::vector<Part> parts_;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // drawn
  std::vector<Failed> failed_rows_;                              // not drawn yet
  long failed_ = 0, first_failed_line_ = 0;
};

}  // namespace sparsedyn::cli
