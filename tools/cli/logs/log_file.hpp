// A log that can be read more than once.
#pragma once

#include <memory>
#include <string>

#include "io/scratch_folder.hpp"

namespace sparsedyn::cli {

struct CommonOptions;

class LogFile {
 public:
  explicit LogFile(std::string path) : path_(path), name_(std::move(path)) {}

  /// From now on it may be read again and again: what comes from a pipe is copied to a temporary file, and that is said. Throws
  /// InputError.
  void keep(const CommonOptions& common);

  /// From now on it is the log on an even clock of so many Hz (sparsedyn/logs/resample.hpp), in a temporary file: its columns
  /// of numbers. Says what was in disorder, how many rows have gaps, and which columns are left out. Throws InputError.
  void resample(double rate, const CommonOptions& common);

  /// Where it is, and what messages call it.
  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }

 private:
  std::string path_, name_;
  std::unique_ptr<ScratchFolder> folder_;
};

}  // namespace sparsedyn::cli
