// What the program says beside its results.
#pragma once

#include <chrono>
#include <string>

namespace sparsedyn::cli {

struct CommonOptions;

/// One line on stderr, unless --quiet.
void warn(const CommonOptions& common, const std::string& text);

/// One line on stderr, always.
void complain(const std::string& text);

/// The result of a command, on stdout (or on stderr where stdout carries the output file). Throws InputError where it cannot
/// be written.
void tell(const std::string& text, bool on_stderr = false);

/// Rows that failed: the first ten are reported as `FILE:LINE: WHY`, then the rest are counted.
class FailedRows {
 public:
  explicit FailedRows(std::string path) : path_(std::move(path)) {}
  void add(long line, const std::string& why);
  long count() const { return count_; }
  void tell_rest() const;

 private:
  std::string path_;
  long count_ = 0;
};

/// Rows so far, on a terminal only.
class Progress {
 public:
  explicit Progress(const CommonOptions& common);
  ~Progress() { clear(); }
  void row() {
    if (shown_ && (++rows_ & 1023) == 0) show();
  }
  void clear();

 private:
  void show();
  bool shown_, drawn_ = false;
  long rows_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sparsedyn::cli
