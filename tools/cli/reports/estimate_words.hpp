// What an estimate of a whole log says beside its rows: offsets, outliers and sensors out of order, as text and as JSON.
#pragma once

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
  /// {column: {value, sd}}; undetermined offsets are null.
  Json offsets_json() const;
  std::string offsets_text() const;
  /// {"offsets", "columns", "covariance"}, without undetermined ones.
  Json offsets_file() const;
  /// {"rows", "worst", "sensors"}.
  Json outliers_json() const;
  /// Nothing where there are none.
  std::string outliers_text() const;

 private:
  const std::string& column(int row) const;

  const System& system_;
  const LogEstimator& log_;
  std::vector<std::string> names_;  // of the rows
};

}  // namespace sparsedyn::cli
