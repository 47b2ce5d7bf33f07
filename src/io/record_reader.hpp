// Records of a file or pipe through one buffer: a record is a line, or several where a quoted cell holds line ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparsedyn {

class RecordReader {
 public:
  /// Opens the file ("-": standard input); throws InputError where it cannot be read.
  explicit RecordReader(const std::string& path);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// The next line that is not blank, without its line end; false at the end of the file.
  bool next();
  /// The record turned out to end within a quoted cell: makes it longer, up to the end of the line on which the next quote
  /// stands. False where the file has no further quote. Views of the record become invalid.
  bool extend();

  /// Whether the next record has not arrived yet, so that next() would wait for who writes into a pipe; never of a file. Views
  /// of the record become invalid. Cost: a search for the line's end.
  bool waits();

  std::string_view record() const { return {buffer_.data() + begin_, size_}; }
  /// The physical line (from 1) on which the record starts.
  long line() const { return line_; }

 private:
  bool fill();
  std::size_t find(char wanted, std::size_t from);
  void end_record(std::size_t line_end);

  std::string path_;
  int file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, size_ = 0;         // the record: buffer_[begin_ … begin_ + size_)
  std::size_t next_begin_ = 0, filled_ = 0;  // the bytes not yet handed out: buffer_[next_begin_ … filled_)
  bool at_end_ = false;
  long line_ = 0, lines_passed_ = 0;
};

}  // namespace sparsedyn
