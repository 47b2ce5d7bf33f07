// Where the results of `compute` go, row by row of the log.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sparsedyn::cli {

class RowOutput {
 public:
  virtual ~RowOutput() = default;
  /// The next row. values: one for each output, NaN where it has no meaning; null where the row failed. time: its cell in the
  /// log; null without such a column.
  virtual void row(const std::string* time, const double* values) = 0;
  virtual void commit() = 0;
};

/// CSV, an output a column. Failed rows have empty cells.
std::unique_ptr<RowOutput> table_output(const std::string& path, const std::vector<std::string>& names, bool timed);

/// CSV under row (from 0), tensor, i, j, k, value: an entry a line. names: TENSOR.i.j.k. A failed row keeps one line, with
/// empty cells.
std::unique_ptr<RowOutput> long_form_output(const std::string& path, const std::vector<std::string>& names, bool timed);

/// TENSOR.npy in a folder, which is made, for each tensor or matrix: rows × its extents, zero where no name stands.
/// names: TENSOR.i.j… lower_triangles: of symmetric matrices. Failed rows are NaN throughout. Throws UsageError, under the
/// option's name, where an output has no indices.
std::unique_ptr<RowOutput> numpy_output(const std::string& folder, const std::vector<std::string>& names, bool lower_triangles);

}  // namespace sparsedyn::cli
