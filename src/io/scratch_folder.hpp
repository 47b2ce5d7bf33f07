// A folder for files that nobody keeps.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {

/// A new folder, removed with all in it at the end.
class ScratchFolder {
 public:
  /// NAME-XXXXXX where the system has its temporary files. Throws InputError where none can be made.
  explicit ScratchFolder(const std::string& name) {
    std::error_code error;
    path_ = (std::filesystem::temp_directory_path(error) / (name + "-XXXXXX")).string();
    if (error || !mkdtemp(path_.data())) throw InputError(path_, 0, "", "cannot be made", "a folder for temporary files");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// The path of a file in it.
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

}  // namespace sparsedyn
