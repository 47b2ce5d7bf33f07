// A log as the samples of a Tracker: its readings, when they were taken, and where its base was.
#pragma once

#include <string>
#include <vector>

#include "io/csv_reader.hpp"
#include "sparsedyn/tracking/tracked_log.hpp"

namespace sparsedyn::cli {

class LogFile;
struct CommonOptions;

/// Times of a log's rows (s), NaN where a row has none. Throws InputError.
std::vector<double> times_of(const LogFile& file);

/// Reads the rows' columns.
class TrackLog {
 public:
  /// Throws InputError naming the columns that the log lacks. Notes contacts without a flag.
  TrackLog(const Tracker& tracker, CsvReader& log, const CommonOptions& common);

  /// Reads the row.
  void read();
  const std::vector<double>& readings() const { return readings_; }
  double time() const { return time_; }
  /// By q.base.* and dq.base.*, if the log has all of them.
  BaseTruth truth() const;
  bool uses(const std::string& column) const;

 private:
  double number(int slot) const;

  CsvReader& log_;
  int time_slot_;
  double time_ = 0;
  std::vector<int> slots_, pose_, rates_;  // -1: the log has none; pose_, rates_: empty
  std::vector<double> readings_;
  std::vector<std::string> used_;
};

}  // namespace sparsedyn::cli
