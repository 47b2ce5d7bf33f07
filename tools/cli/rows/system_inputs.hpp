// A log's columns as the q, v and y of a system.
#pragma once

#include "log_columns.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/system/system.hpp"

namespace sparsedyn::cli {

class SystemInputs {
 public:
  /// `gaps`: an empty cell in a column `y.*` reads as NaN. Asks the log for what the system reads. Throws InputError naming the
  /// columns that are missing.
  SystemInputs(const System& system, CsvReader& log, const CommonOptions& common, bool gaps = false);

  /// Reads the current row; false where it cannot be used, and why() says why.
  bool read();
  const std::string& why() const { return why_; }

  /// q, v and y of the row, one after the other.
  const std::vector<double>& values() const { return columns_.values(); }
  /// Which entries of y the log has; the others are constant.
  const ReadInputs& found() const { return found_; }
  /// Whether this column of the log is read as an input.
  bool uses(const std::string& column) const { return columns_.uses(column); }

 private:
  const Model& model_;
  LogColumns columns_;
  ReadInputs found_;
  std::string why_;
};

/// The columns that `solve` reads, for `info --log-header`: q, dq, and the best column of each input.
std::vector<std::string> log_header(const System& system);

}  // namespace sparsedyn::cli
