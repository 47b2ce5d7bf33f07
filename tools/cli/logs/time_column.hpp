// The log's `time`, which no result depends on: copied where it is a number, counted and warned of where it is none, goes
// back or repeats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/csv_reader.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

class TimeColumn {
 public:
  /// Keeps the column `time` where the log has one.
  explicit TimeColumn(CsvReader& log) : log_(log), there_(log.keep("time")) {}
  bool there() const { return there_; }

  /// The current row's cell as it is copied, empty where it is no number; judged against the last row whose time was one.
  std::string_view read();

  long faults() const { return faults_; }
  /// One warning with the first lines, if there was a fault.
  void warn_of_faults(const CommonOptions& common) const;

 private:
  CsvReader& log_;
  bool there_, started_ = false;
  double last_ = 0;
  long faults_ = 0;
  std::vector<std::string> first_;  // the first faults: line and what is wrong
};

}  // namespace sparsedyn::cli
