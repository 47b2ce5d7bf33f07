// A log as the samples of a Tracker: its readings, and when they were taken.
#pragma once

#include <string>
#include <vector>

#include "io/csv_reader.hpp"
#include "sparsedyn/tracking/tracker.hpp"

namespace sparsedyn::cli {

class LogFile;
struct CommonOptions;

/// Times of a log's rows, read beforehand: for an even clock in place of stamps that jitter.
class UniformTime {
 public:
  /// Reads the whole log once. Throws InputError.
  explicit UniformTime(const LogFile& file);
  /// The interval that stands for one of `stamped` seconds: the mean, unless it is a gap, of five or more.
  double interval(double stamped) const;

 private:
  double mean_ = 0, longest_ = 0;
};

/// Reads the rows' columns.
class TrackLog {
 public:
  /// Throws InputError naming the columns that the log lacks. Notes contacts without a flag.
  TrackLog(const Tracker& tracker, CsvReader& log, const CommonOptions& common);

  /// Reads the row into readings() and the time; false where it has none.
  bool read();
  const std::vector<double>& readings() const { return readings_; }
  double time() const { return time_; }
  bool uses(const std::string& column) const;
  const std::vector<std::string>& used() const { return used_; }

 private:
  CsvReader& log_;
  int time_slot_;
  double time_ = 0;
  std::vector<int> slots_;  // -1: the log has none
  std::vector<double> readings_;
  std::vector<std::string> used_;
};

}  // namespace sparsedyn::cli
