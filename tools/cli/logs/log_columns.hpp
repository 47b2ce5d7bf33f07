// The columns of a log that a command needs, gathered row by row into one vector.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "io/csv_reader.hpp"
#include "model/columns.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

/// Where needed values come from: collected while the header is studied, then read() once a row.
class LogColumns {
 public:
  explicit LogColumns(CsvReader& log) : log_(log) {}

  /// The next entry is this column; it is missing where the log lacks it.
  void need(const std::string& column);
  /// The next entry is the first of these columns that the log has; returns its name. Where it has none: missing (under the
  /// first name) if required, else `fallback`, and nullptr is returned.
  const std::string* need_one_of(const std::vector<std::string>& columns, bool required, double fallback);
  /// The next entry is this column; where it has no name, a constant, `otherwise`.
  void need_if_named(const std::string& column, double otherwise);
  /// The last entry's cell may hold a word for a missing value, as good as an empty one.
  void take_gap_words() { log_.take_gap_words(slots_.back()); }
  /// The last entry may be empty: it then reads as NaN.
  void allow_gap() { gap_allowed_.back() = 1; }
  /// The next entries are these columns, or zero where the log has none of them; where it has some only, the others are zero
  /// and a warning says so.
  void zero_if_absent(const std::vector<std::string>& columns, const CommonOptions& common);

  /// Says that a quantity is in the log in part only, and these columns are taken as zero.
  void warn_of_fallback(const std::vector<std::string>& absent, const CommonOptions& common) const;
  bool uses(const std::string& column) const { return used_.count(column) > 0; }

  /// Throws InputError naming all columns that are missing, and what would help (missing_joints_hint).
  /// `more`: those that were found missing elsewhere, of each the names that would do.
  void check(const Model& model, const std::vector<std::vector<std::string>>& more = {}) const;

  /// Reads the current row into values(); false where a needed cell is empty or not finite, and why() then names it.
  bool read();
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }
  std::string why() const;

 private:
  static constexpr int constant = -1;
  void add(int slot, const std::string& column, double fallback = 0.0);

  CsvReader& log_;
  std::vector<int> slots_;         // of each entry, or constant
  std::vector<char> gap_allowed_;  // beside slots_
  std::vector<double> values_;
  std::vector<std::vector<std::string>> missing_;  // of each, the names that would do
  std::set<std::string> used_;
  int failed_ = 0;
};

/// Warns of the columns of the log that no command knows for this robot.
void warn_of_unknown_columns(const CsvReader& log, const Model& model, const std::vector<std::string>& also_known,
                             const CommonOptions& common);

/// Behind the names of columns that are missing: "; the log names 12 joints, none of them of arm: …", or nothing
/// (logs/named_joints.hpp).
std::string other_robot_hint(const CsvReader& log, const Model& model);

/// Of a log that lacks the position of some joints: "; --lock … would …", or nothing.
std::string missing_joints_hint(const CsvReader& log, const Model& model);

/// fx.LINK.nx … fx.LINK.fz.
std::vector<std::string> wrench_columns(const std::string& prefix, const std::string& name);

}  // namespace sparsedyn::cli
