// A folder for files that nobody keeps.
#pragma once

#include <filesystem>
#include <string>

#include "io/files/system_files.hpp"
#include "io/files/traces.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {

/// A new folder, removed with all in it at the end; also where a signal or exit() ends the program first.
class ScratchFolder {
 public:
  /// NAME-XXXXXX where the system has its temporary files. Throws InputError where none can be made.
  explicit ScratchFolder(const std::string& name) {
    std::error_code error;
    const std::string folder = std::filesystem::temp_directory_path(error).string();
    const SignalsWait until_entered;
    if (!error) path_ = make_scratch_folder(folder, name);
    if (path_.empty()) throw InputError(folder, 0, "", "no folder can be made in it", "a folder for temporary files");
    entry_ = add_scratch_folder(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    forget_trace(entry_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// The path of a file in it.
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }

 private:
  std::string path_;
  int entry_ = -1;
};

}  // namespace sparsedyn
