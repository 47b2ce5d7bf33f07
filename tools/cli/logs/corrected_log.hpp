// `solve --corrected`: the log again, without what its sensors' errors are known to be.
#pragma once

#include <string>
#include <vector>

#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "sparsedyn/answers/sensor_solver.hpp"

namespace sparsedyn::cli {

class CorrectedLog {
 public:
  /// read_from: the log's column of each input, or nothing. Asks the log to keep all cells.
  CorrectedLog(const std::string& path, CsvReader& log, const std::vector<std::string>& read_from);

  /// The log's current row, to be kept until it is solved.
  std::vector<std::string> cells() const;
  /// Writes such a row; `corrected` may be null: then as it stands.
  void add(const std::vector<std::string>& cells, const CorrectedReadings* corrected);
  void commit() { out_.commit(); }

 private:
  const CsvReader& log_;
  CsvWriter out_;
  std::vector<int> input_of_;  // each column, or −1
};

}  // namespace sparsedyn::cli
