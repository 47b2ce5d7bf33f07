// A page of plots of what `solve` finds: each output with its band of ± 2σ, beside what the log says it is; and what the
// sensors say of each other: innovations, chi-square, offsets, outliers and gaps.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "beside_report.hpp"
#include "cli/support/json_text.hpp"
#include "cli/support/quaternion_columns.hpp"
#include "io/csv_reader.hpp"
#include "report/figure.hpp"
#include "scalar/differences.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn::cli {

/// How a row of the log was judged.
struct RowMarks {
  bool outlier = false, failed = false;
};

/// Keeps the extremes of a few hundred stretches of the log, so that memory does not grow with it; counts over all rows.
class EstimateReport {
 public:
  /// `columns` names the results; a column sd.NAME is the standard deviation of NAME. A result is compared with the log's
  /// column of the same name, unless that column is an input; of a quaternion by the sign of the result. The model and the log
  /// must outlive the report. channels_beside: that the page draws over time beside these.
  EstimateReport(const Model& model, CsvReader& log, const std::vector<std::string>& columns, bool timed,
                 const std::function<bool(const std::string&)>& is_input, std::size_t channels_beside = 0);
  /// How many channels such a report draws.
  static std::size_t channels_of(const std::vector<std::string>& columns);

  /// Reads from the log's current row the value that each output is compared with (NaN: none). Rows are added in this order.
  void read(std::vector<double>& truth);
  /// From now on the columns of another file are compared, too (BesideReport). Throws InputError.
  void compare_with(CsvReader& log, const std::vector<std::string>& columns, const std::string& path);
  /// read(), and what the other file says at that time, as written in the log; nothing where that is no number.
  void read(std::vector<double>& truth, const std::string& time);
  /// Adds a row: its results (NaN: none), the values that read() gave, its time as written in the log, and how it was judged.
  void add(const double* results, const std::vector<double>& truth, const std::string& time, const RowMarks& marks = {});
  /// The same at a time (s); without a time (NaN) it is drawn at the last one before it, and not at all before the first.
  void add(const double* results, const std::vector<double>& truth, double time, const RowMarks& marks = {});
  /// The page. `summary` is the command's text about the whole log; `details` is the same as JSON ("biases", "chi_square").
  std::string html(const std::string& title, const std::string& summary, const Json& details) const;

  /// Parts of a page: a chart of each output under a heading, and how far the outputs are from the log; empty where there is
  /// nothing to draw or to compare.
  std::string outputs(const std::string& heading) const;
  std::string table() const;
  /// How many values have a deviation and lie beside one of the log, and how many of these lie within two deviations of it.
  long judged() const;
  long covered() const;

 private:
  static constexpr std::size_t channels_each = 4;  // of a quantity: the estimate, its band's ends, the log's value
  struct Quantity {
    std::string name;
    int result, deviation, truth;  // places in the results and slot in the log, or -1
    Differences errors = {};
    long judged = 0, covered = 0, exact = 0;  // judged: where σ is more than rounding, exact: where not
    double rounding = 0;                      // half a band narrower than this is one of rounding
  };
  struct Reading {
    std::string name;
    int result;
    Differences innovations = {};
    report::Gaps gaps = {};
  };
  void add_readings(const double* results, double at);
  std::string strips_of_readings(int first_channel) const;
  std::string readings_by_misfit(int first_channel, std::vector<std::string>& plots) const;
  std::string time_of_line(long line) const;
  std::string lead(const Json& details) const;
  std::string sensors(const Json& details) const;
  std::string plot(std::size_t k) const;
  bool is_zero(std::size_t channel, double least = 0) const;
  double time_of(const std::string& written, long row) const;  // NaN: none
  std::string x_title() const { return timed_ ? "time (s)" : "row"; }

  const Model& model_;
  const CsvReader& log_;
  bool timed_;
  std::vector<Quantity> quantities_;
  std::vector<Reading> readings_;
  int chi_square_ = -1;                 // place in the results
  report::Thinned rows_;                // estimate, its band's ends and truth of each quantity; chi-square; innovations
  std::vector<double> row_, outliers_;  // the row being added; times
  report::Gaps gaps_, failed_;
  long outliers_counted_ = 0, failed_counted_ = 0;
  std::shared_ptr<BesideReport> beside_;  // or null
  long rows_read_ = 0, rows_added_ = 0;
  /// Rows, by their number from 0, whose line does not follow the line of the row before, and their lines.
  std::vector<std::pair<long, long>> line_breaks_;
  long last_line_ = 0;
  double last_time_;                           // of a row that was added
  std::vector<QuaternionPlaces> quaternions_;  // of quantities_
  std::vector<double> estimates_, truth_;      // by quantity
};

}  // namespace sparsedyn::cli
