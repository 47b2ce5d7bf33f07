// Another log or another estimate beside what `solve` reads and finds, column by column.
#pragma once

#include <string>
#include <vector>

#include "io/csv_reader.hpp"
#include "report/figure.hpp"
#include "scalar/differences.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// Rows of another file at the times of a log: between two of its rows on the line between them, and nothing before its first
/// and after its last. Where one of the two has no times, row by row.
class OtherRows {
 public:
  /// Throws InputError.
  OtherRows(const std::string& path, bool timed);

  const std::vector<std::string>& columns() const { return columns_; }
  bool timed() const { return time_slot_ >= 0; }
  /// Where the log stands now. Rows whose time does not go on are passed over. Throws InputError.
  void move_to(double time);
  /// Of columns(); NaN where there is no number.
  double value(std::size_t column) const;

 private:
  struct Row {
    double time = 0;
    std::vector<double> values;
  };
  bool take_next();

  CsvReader log_;
  int time_slot_ = -1;
  std::vector<std::string> columns_;  // all but time
  std::vector<int> slots_;
  Row before_, after_;
  bool begun_ = false, ended_ = false;
  double share_ = 0;  // of `after_`
};

class BesideReport {
 public:
  /// columns: of the results. A column of the other file is compared with the result of its name, else with the log's column.
  /// Throws InputError.
  BesideReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
               const std::string& path);

  /// Adds to `into` what the log's current row and the other file say at that time (s), two numbers a column.
  void read(double time, std::vector<double>& into);
  /// How many numbers that are.
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
  bool differs(std::size_t k) const { return columns_[k].differences.largest() > 0; }

  const Model& model_;
  const CsvReader& log_;
  std::string path_;
  OtherRows other_;
  std::vector<Column> columns_;
  std::vector<std::string> alone_;  // columns of the other file that have no counterpart
  report::Thinned rows_;            // of each column what is here, and there
  std::vector<double> row_;
};

}  // namespace sparsedyn::cli
