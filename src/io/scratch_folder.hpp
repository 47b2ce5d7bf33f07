// A folder for files that nobody keeps.
#pragma once

#include <string>

namespace sparsedyn {

/// A new folder, removed with all in it at the end.
class ScratchFolder {
 public:
  /// NAME-XXXXXX where the system has its temporary files. Throws InputError where none can be made.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// The path of a file in it.
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

}  // namespace sparsedyn
