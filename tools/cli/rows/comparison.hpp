// Outputs beside the log's own measurements of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "cli/support/quaternion_columns.hpp"
#include "io/csv_reader.hpp"
#include "scalar/differences.hpp"

namespace sparsedyn::cli {

class Comparison {
 public:
  /// Compares each output column that the log also has and that is no input.
  Comparison(CsvReader& log, const std::vector<std::string>& outputs, const std::function<bool(const std::string&)>& is_input);

  /// The log's current row, of the columns compared.
  void read(std::vector<double>& measured) const;
  /// Adds a row: all outputs, and what read() gave; where one of the two is no number it is passed over. Of quaternions, the
  /// log's sign is the outputs'.
  void add(const double* outputs, const std::vector<double>& measured);

  /// {column: {rms, max}} of output − measurement.
  Json json() const;
  /// The title, and a line a column with what `unit_of` says of its name; empty if there is nothing to compare.
  std::string text(const std::string& title, const std::function<std::string(const std::string&)>& unit_of) const;
  bool empty() const { return columns_.empty(); }

 private:
  struct Column {
    std::string name;
    int output, slot;
    Differences differences;
  };
  const CsvReader& log_;
  std::vector<Column> columns_;
  std::vector<QuaternionPlaces> quaternions_;  // of columns_
  std::vector<double> found_, beside_;         // by column
};

}  // namespace sparsedyn::cli
