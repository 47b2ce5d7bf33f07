// The columns of a log that a command needs, gathered row by row into one vector.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/io/csv_reader.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// Where needed values come from: collected while the header is studied, then read() once a row.
class LogColumns {
 public:
  explicit LogColumns(CsvReader& log) : log_(log) {}

  /// The next entry is this column; it is missing where the log lacks it.
  void need(const std::string& column);
  /// The next entry is the first of these columns that the log has; missing (under the first name) where it has none.
  void need_one_of(const std::vector<std::string>& columns);
  /// The next entries are these columns, or zero where the log has none of them; where it has some only, the others are zero
  /// and a warning says so.
  void zero_if_absent(const std::vector<std::string>& columns, const CommonOptions& common);

  /// Throws InputError naming all columns that are missing.
  void check() const;

  /// Reads the current row into values(); false where a needed cell is empty or not finite, and why() then names it.
  bool read();
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }
  std::string why() const;

 private:
  static constexpr int zero = -1;
  void add(int slot);

  CsvReader& log_;
  std::vector<int> slots_;  // of each entry, or zero
  std::vector<double> values_;
  std::vector<std::string> missing_;
  int failed_ = 0;
};

/// Warns of the columns of the log that no command knows for this robot.
void warn_of_unknown_columns(const CsvReader& log, const Model& model, const std::vector<std::string>& also_known,
                             const CommonOptions& common);

/// PREFIX.NAME for each name.
std::vector<std::string> with_prefix(const std::string& prefix, const std::vector<std::string>& names);

/// fx.LINK.nx … fx.LINK.fz.
std::vector<std::string> wrench_columns(const std::string& prefix, const std::string& name);

}  // namespace sparsedyn::cli
