// Writes a log: numbers as the shortest text that reads back as the same double.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output_file.hpp"

namespace sparsedyn {

/// The file appears when commit() is called (see OutputFile). All functions throw InputError where it cannot be written.
class CsvWriter {
 public:
  explicit CsvWriter(const std::string& path) : file_(path) {}

  /// The header line; names with commas, quotes or line ends are quoted.
  void header(const std::vector<std::string>& names);
  /// A cell as it stood in another log, quotes included.
  void raw(std::string_view cell);
  void number(double value);  // about 40 ns
  void empty();               // of a single column: `""`, so that the line is not blank
  void end_row();
  void commit() { file_.commit(); }

 private:
  void separate();

  OutputFile file_;
  std::size_t columns_ = 0;
  bool row_started_ = false;
};

}  // namespace sparsedyn
