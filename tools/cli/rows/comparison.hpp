// Outputs beside the log's own measurements of them.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cli/support/json_text.hpp"
#include "io/csv_reader.hpp"

namespace sparsedyn::cli {

/// √ of the mean of squares, which overflow or vanish at half the range of what is squared.
class Squares {
 public:
  void add(double x) {
    const double size = std::abs(x);
    if (size > scale_)
      sum_ = 1 + sum_ * (scale_ / size) * (scale_ / size), scale_ = size;
    else if (size > 0)
      sum_ += (size / scale_) * (size / scale_);
  }
  double rms(long count) const { return count > 0 ? scale_ * std::sqrt(sum_ / static_cast<double>(count)) : 0.0; }

 private:
  double scale_ = 0, sum_ = 0;  // Σ x² = scale² sum, scale the largest |x|
};

class Comparison {
 public:
  /// Compares each output column that the log also has and that is no input.
  Comparison(CsvReader& log, const std::vector<std::string>& outputs, const std::function<bool(const std::string&)>& is_input);

  /// The log's current row, of the columns compared.
  void read(std::vector<double>& measured) const;
  /// Adds a row: all outputs, and what read() gave; where one of the two is no number it is passed over.
  void add(const double* outputs, const std::vector<double>& measured);

  /// {column: {rms, max}} of output − measurement.
  Json json() const;
  /// The title, and a line a column; empty if there is nothing to compare.
  std::string text(const std::string& title) const;
  bool empty() const { return columns_.empty(); }

 private:
  struct Column {
    std::string name;
    int output, slot;
    Squares squares;
    double largest = 0;
    long rows = 0;
    double rms() const;
  };
  const CsvReader& log_;
  std::vector<Column> columns_;
};

}  // namespace sparsedyn::cli
