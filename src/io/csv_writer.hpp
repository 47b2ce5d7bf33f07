// Writes a log: numbers as the shortest text that reads back as the same double.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "output_file.hpp"

namespace sparsedyn {

/// A number that is none would stand in a file: a fault of who computed it, who names the rows that fail and leaves them empty.
struct NotFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file appears when commit() is called (see OutputFile). All functions throw InputError where it cannot be written.
class CsvWriter {
 public:
  explicit CsvWriter(const std::string& path, OutputFile::Belongs belongs = OutputFile::Belongs::to_the_run)
      : path_(path), file_(path, belongs) {}

  /// The header line; names with commas, quotes or line ends are quoted.
  void header(const std::vector<std::string>& names);
  /// A cell as it stood in another log, quotes included.
  void raw(std::string_view cell);
  void number(double value);  // about 40 ns; throws NotFinite, which names row and column
  void empty();               // of a single column: `""`, so that the line is not blank
  void end_row();
  /// What was written so far reaches whoever reads a pipe. Does nothing of a file.
  void flush() { file_.flush(); }
  void commit() { file_.commit(); }

 private:
  void separate();
  [[noreturn]] void refuse(double value) const;

  std::string path_;
  OutputFile file_;
  std::vector<std::string> names_;
  std::size_t columns_ = 0, column_ = 0;  // column_: the next cell's
  long rows_ = 0;                         // that have ended
  bool row_started_ = false;
};

}  // namespace sparsedyn
