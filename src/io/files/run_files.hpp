// The one place that knows every file that a run reads and writes.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "file_identity.hpp"

namespace sparsedyn {

/// A file would be written that the run reads, or written twice.
struct FilesClash : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that is complete under its temporary name. It holds the lock until it has its own (see unfinished_files.hpp).
struct FinishedFile {
  std::string path;  // as the user gave it
  std::string target, temporary;
  int lock = -1, entry = -1;  // entry: in the list of unfinished files
};

/// While one lives, it is told of each file that this thread opens: the library's readers and writers do so. Files are told
/// apart by device and inode. One that was read, or is going to be, is not written; nor is one written twice. All files that
/// are written, and the folders made for them, appear together at commit(), or none does. What goes to a device, to a FIFO or
/// to the standard output cannot be held back.
class RunFiles {
 public:
  /// Holds its thread's files from now on; there must be no other in this thread.
  RunFiles();
  /// What was not committed is as if it had not been.
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

  /// Says beforehand that a file is going to be read or written; `said`: how the user named it ("--log in.csv"). Throws
  /// FilesClash.
  /// @{
  void will_read(const std::string& path, const std::string& said);
  void will_write(const std::string& path, const std::string& said);
  /// @}

  /// Puts all files in their places. Throws InputError where one cannot be; then none is.
  void commit();

  // Of the thread's RunFiles, where there is one; without one they do nothing.

  /// Before a file is opened; `-`: before the standard input is read, where no option named it. Throws FilesClash.
  /// @{
  static void reading(const std::string& path);
  static void writing(const std::string& path);
  /// @}
  /// Keeps the file until commit(); false where nobody holds files back, so that it goes to its place at once.
  static bool hold(FinishedFile&& file);

 private:
  struct Known {
    FileIdentity identity;
    std::string path, said;
    bool opened;
  };
  struct NewFolder {
    std::string path;
    int entry;  // in the list of traces
  };
  void add_input(const FileIdentity& identity, const std::string& said);
  void refuse_input(const Known& output) const;
  void put_in_place();

  std::vector<Known> inputs_, outputs_;
  std::vector<FinishedFile> finished_;
  std::vector<NewFolder> folders_;
  friend void make_output_folder(const std::string& path);
};

/// Makes a folder for files of the run, and those above it; they go again where the run is not committed and they are empty.
/// Throws InputError.
void make_output_folder(const std::string& path);

/// Gives a file its name. Throws InputError; the temporary file is then removed.
void put_in_place(FinishedFile&& file);

}  // namespace sparsedyn
