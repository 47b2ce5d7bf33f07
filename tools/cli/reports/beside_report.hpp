// Another log or another estimate beside what `solve` reads and finds, column by column.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/support/quaternion_columns.hpp"
#include "io/csv_reader.hpp"
#include "report/figure.hpp"
#include "scalar/differences.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// Rows of another file at the times of a log: between two of its rows on the line between them, and nothing before its first
/// and after its last; of quaternions the nearer of q and −q, and of unit length on the line. Where one of the two has no
/// times, row by row.
class OtherRows {
 public:
  /// wanted: which columns are read. Throws InputError.
  OtherRows(const std::string& path, bool timed, const std::function<bool(const std::string&)>& wanted);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Columns that are not wanted; none of their cells is read.
  const std::vector<std::string>& alone() const { return alone_; }
  bool timed() const { return time_slot_ >= 0; }
  /// Where the log stands now; a time that is no number is nowhere. Rows without a time, those whose time does not go on, and
  /// one alone that is ahead of the row after it are passed over. Throws InputError.
  void move_to(double time);
  long passed_over() const { return passed_over_; }
  /// Whether it has something there.
  bool there() const { return there_; }
  /// Of columns(); NaN where there is no number.
  double value(std::size_t column) const { return now_[column]; }

 private:
  struct Row {
    double time = -std::numeric_limits<double>::infinity();
    std::vector<double> values;
  };
  bool read(Row& row);
  bool take_next();
  void put(double share);

  CsvReader log_;
  int time_slot_ = -1;
  std::vector<std::string> columns_, alone_;
  std::vector<int> slots_;
  std::vector<QuaternionPlaces> quaternions_;
  Row before_, after_, next_;  // next_: read ahead
  bool begun_ = false, more_ = false, ended_ = false, there_ = false;
  long passed_over_ = 0;
  std::vector<double> now_;
};

class BesideReport {
 public:
  /// columns: of the results. A column of the other file is compared with the result of its name, else with the log's column.
  /// Throws InputError.
  BesideReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
               const std::string& path);

  /// Adds to `into` what the log's current row and the other file say at that time (s), two numbers a column.
  void read(double time, std::vector<double>& into);
  /// How many numbers read() adds.
  std::size_t values() const { return 2 * columns_.size(); }
  void add(const double* results, const double* read, double at);

  /// A sentence; HTML.
  std::string lead() const;
  /// A table, worst first, and a chart of each column that differs.
  std::string html(const std::string& x_title) const;

 private:
  struct Column {
    std::string name;
    std::size_t other;  // of OtherRows
    int result, slot;   // of one of them -1
    Differences differences = {};
    double worst = 0, worst_at = 0;
  };
  double spread(std::size_t k) const;
  double share(std::size_t k) const;
  std::vector<std::size_t> order() const;
  bool differs(std::size_t k) const;

  const Model& model_;
  const CsvReader& log_;
  std::string path_;
  OtherRows other_;
  std::vector<Column> columns_;
  std::vector<QuaternionPlaces> quaternions_;  // of columns_
  report::Thinned rows_;                       // of each column what is here, and there
  std::vector<double> row_, here_, there_;
  long asked_ = 0, met_ = 0;  // rows of the log, and those that the other file has something beside
};

}  // namespace sparsedyn::cli
