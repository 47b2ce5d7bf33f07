// What an estimate of a whole log says beside its rows: offsets, outliers and sensors out of order, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "sparsedyn/logs/log_estimator.hpp"

namespace sparsedyn::cli {

class EstimateWords {
 public:
  /// Both must outlive it.
  EstimateWords(const System& system, const LogEstimator& log);
  /// The log's column for each input (empty: none), by which readings are named.
  void name_columns(const std::vector<std::string>& read_from);

  /// How many directions of the offsets the log tells.
  long offsets_known() const;
  /// Of the log, offsets taken off. `sum` and `expected`: of its rows, as if no offset were known. What follows, too: what is
  /// said of deviations depends on it, which are multiplied by `scale`.
  void judge(const ChiSquare& of_rows, bool scaled);
  const ChiSquare& chi_square() const { return of_log_; }
  double scale() const { return scaled_ ? deviation_scale(of_log_) : 1.0; }
  /// "chi_square": {"sum", "expected"}, "trusted", "sd_scale" and "sensors": {NAME: {"sum", "expected", "trusted"}}.
  void add_chi_square(Json& summary) const;
  std::string chi_square_text() const;
  /// {column: {value, sd, trusted}}; undetermined offsets are null.
  Json offsets_json() const;
  std::string offsets_text() const;
  /// {"offsets", "columns", "covariance"}, without undetermined ones.
  Json offsets_file(double scale) const;
  /// {"rows", "worst", "sensors"}.
  Json outliers_json() const;
  /// Nothing where there are none.
  std::string outliers_text() const;

 private:
  const std::string& column(int row) const;
  std::string sensors_text() const;
  std::string drift_text(const ReadingFault& fault) const;
  /// Of an offset: what the log and its sensor say of the stated noise; false too where the reading drifts.
  std::optional<bool> offset_trusted(std::size_t offset) const;

  const System& system_;
  const LogEstimator& log_;
  std::vector<std::string> names_;  // of the rows
  ChiSquare of_log_;
  bool scaled_ = false;
  std::vector<SensorNoise> noise_;
  std::vector<ReadingFault> faults_;
};

}  // namespace sparsedyn::cli
