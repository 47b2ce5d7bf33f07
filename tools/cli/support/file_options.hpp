// Which options name files: declared with each option, in one table, from which the files of a run are checked before one of
// them is opened.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sparsedyn {
class RunFiles;
}

namespace sparsedyn::cli {

/// What becomes of the file that an option names; `-` is the standard input, or the standard output.
enum class FileRole {
  input,
  sensor_set,     // an input, unless a built-in set has that name
  output,         // one file
  output_folder,  // files in it; of `compute`, where it gives a table, one file
};

/// An option, or an argument by its place, whose text names a file.
struct FileOption {
  std::string command, name;  // "solve", "--log"
  FileRole role;
  const std::string* one = nullptr;  // where the text goes; or, of an option that may be repeated,
  const std::vector<std::string>* several = nullptr;
  /// Of an output folder: the files of the run, whose names are known before it begins.
  std::function<std::vector<std::string>()> files;
};

/// Tells the run of all files that the command's options name. Throws UsageError where one would be written that is read, where
/// two that are written are the same, and where two inputs are the standard input.
void declare_files(const std::vector<FileOption>& table, const std::string& command, RunFiles& run);

}  // namespace sparsedyn::cli
