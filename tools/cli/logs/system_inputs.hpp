// A log's columns as the q, v and y of a system.
#pragma once

#include "log_columns.hpp"
#include "logs/column_map.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

class SystemInputs {
 public:
  /// `gaps`: a gap (an empty cell, nan, NA or null) in a column `y.*`, and in one that stands in for a noisy measurement, reads
  /// as NaN. Asks the log for what the system reads. Throws InputError naming the columns that are missing, and those that
  /// stand in where common.no_stand_in.
  SystemInputs(const System& system, CsvReader& log, const CommonOptions& common, bool gaps = false);

  /// Reads the current row; false where it cannot be used, and why() says why.
  bool read();
  const std::string& why() const { return why_; }

  /// q, v and y of the row, one after the other.
  const std::vector<double>& values() const { return columns_.values(); }
  /// Which entries of y the log has; the others are constant.
  const ReadInputs& found() const { return found_; }
  /// Of each entry of y: the log's column, or nothing.
  const std::vector<std::string>& read_from() const { return read_from_; }
  /// The base's position and linear velocity, as far as the log lacks them: taken as zero.
  const std::vector<std::string>& whole_motion_missing() const { return whole_motion_missing_; }
  /// Columns that stand in for readings that the log lacks.
  const std::vector<StandIn>& stand_ins() const { return stand_ins_; }
  /// Whether this column of the log is read as an input.
  bool uses(const std::string& column) const { return columns_.uses(column); }

 private:
  static bool may_be_missing(const System& system, const Input& input, const std::string& column);

  const Model& model_;
  LogColumns columns_;
  ReadInputs found_;
  std::vector<std::string> read_from_, whole_motion_missing_;
  std::vector<StandIn> stand_ins_;
  std::string why_;
};

/// The columns that `solve` reads, for `info --log-header`: q, dq, and the best column of each input.
std::vector<std::string> log_header(const System& system);

}  // namespace sparsedyn::cli
