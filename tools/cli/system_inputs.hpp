// A log's columns as the q, v and y of a system.
#pragma once

#include "cli/log_columns.hpp"
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

  const double* q() const { return columns_.values().data(); }
  const double* v() const { return q() + model_.nq; }
  const double* y() const { return v() + model_.nv; }
  /// Whether this column of the log is read as an input.
  bool uses(const std::string& column) const { return columns_.uses(column); }

 private:
  const Model& model_;
  LogColumns columns_;
  std::string why_;
};

/// The columns that `solve` reads, for `info --log-header`: q, dq, and the best column of each input.
std::vector<std::string> log_header(const System& system);

}  // namespace sparsedyn::cli
