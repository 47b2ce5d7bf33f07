// Where a compiler works: a temporary folder and the files in it.
#pragma once

#include <string>

namespace sparsedyn {

/// A new folder, removed with all in it at the end. Throws CompilerFailure where none can be made.
class WorkFolder {
 public:
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  /// The path of a file in it.
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }
  /// Writes a file. Throws CompilerFailure.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

/// A file's bytes; none where it cannot be read.
std::string text_of(const std::string& path);

}  // namespace sparsedyn
