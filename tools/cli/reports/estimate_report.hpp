// A page of plots of what `solve` finds: each output with its band of ± 2σ, beside what the log says it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/csv_reader.hpp"

namespace sparsedyn::cli {

/// Keeps at most 800 rows of the log, evenly spread, so that memory does not grow with it; counts over all of them.
class EstimateReport {
 public:
  /// columns: of the results; a column sd.NAME is the deviation of NAME. Truth is a column of the log that is no input.
  EstimateReport(CsvReader& log, const std::vector<std::string>& columns, bool timed,
                 const std::function<bool(const std::string&)>& is_input);

  /// What the log's current row says of each output (NaN: nothing).
  void read(std::vector<double>& truth) const;
  /// A row: its results (NaN: none), what was read of it, and its time as the log has it.
  void add(const double* results, const std::vector<double>& truth, const std::string& time);
  /// The page. `summary`: what the command says of the whole log.
  std::string html(const std::string& title, const std::string& summary) const;

 private:
  struct Quantity {
    std::string name;
    int result, deviation, truth;  // places in the results and slot in the log, or -1
    long covered = 0, compared = 0;
    double squares = 0;
  };
  void keep(const double* results, const std::vector<double>& truth, const std::string& time);
  std::string table() const;
  std::string plot(std::size_t k) const;

  const CsvReader& log_;
  bool timed_;
  std::vector<Quantity> quantities_;
  std::vector<double> time_;               // of the rows kept
  std::vector<std::vector<double>> kept_;  // estimate, deviation and truth of each quantity, a row
  long rows_ = 0, stride_ = 1;
};

}  // namespace sparsedyn::cli
