// Tensors in long form: one entry a line, under row, tensor, i, j, k, value.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/io/csv_writer.hpp"

namespace sparsedyn::cli {

class LongForm {
 public:
  /// `names`: TENSOR.i.j.k, in the order of the values.
  explicit LongForm(const std::vector<std::string>& names);
  static std::vector<std::string> header() { return {"row", "tensor", "i", "j", "k", "value"}; }

  /// All entries of row `row` (from 0) of the log; `time` goes before them unless null. `values` null: a failed row, which
  /// keeps one line with empty cells.
  void write(CsvWriter& out, const std::string* time, long row, const double* values) const;

 private:
  struct Entry {
    std::string tensor;
    double i, j, k;
  };
  std::vector<Entry> entries_;
};

}  // namespace sparsedyn::cli
