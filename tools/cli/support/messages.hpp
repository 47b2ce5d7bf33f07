// What the program says beside its results.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "io/suggestions.hpp"  // listing

namespace sparsedyn::cli {

struct CommonOptions;

// All of these make what users and files brought in printable (io/printable.hpp).

/// A line on stderr, unless --quiet; on a terminal several, which end at words.
void warn(const CommonOptions& common, const std::string& text);

/// What `make` returns; the sentences that it adds to a vector are told as warnings, whether or not it throws.
template <class Make>
auto warned(const CommonOptions& common, const Make& make) {
  std::vector<std::string> warnings;
  const auto tell_all = [&] {
    for (const std::string& sentence : warnings) warn(common, sentence);
  };
  try {
    auto found = make(warnings);
    tell_all();
    return found;
  } catch (...) {
    tell_all();
    throw;
  }
}

/// As warn, for what is worth knowing and needs no care.
void note(const CommonOptions& common, const std::string& text);

/// A text of one line or several on stderr, always; on a terminal its lines end at words.
void complain(const std::string& text);

/// The result of a command, on stdout (or on stderr where stdout carries the output file). Throws InputError where it cannot
/// be written.
void tell(const std::string& text, bool on_stderr = false);

/// Runs a command; where its answer is no, says so (on stdout too, with --json) and returns ExitCode::no.
ExitCode answering(const CommonOptions& common, const std::function<ExitCode()>& command);

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

/// Rows so far, or how far a search is, on a terminal only.
class Progress {
 public:
  explicit Progress(const CommonOptions& common);
  ~Progress() { clear(); }
  void row() {
    if (shown_ && (++rows_ & 1023) == 0 && due()) std::fprintf(stderr, "\r%ld rows", rows_);
  }
  void part(const std::string& what, double fraction_done);
  void clear();

 private:
  bool due();
  bool shown_;
  long rows_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sparsedyn::cli
