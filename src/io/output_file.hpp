// A file that appears only when it is complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sparsedyn {

/// A regular or new file is written under a temporary name in its folder (through links: in their target's) and renamed by
/// commit(); without commit() nothing remains of it. Where a run holds its files back (files/run_files.hpp), it is renamed
/// together with the others. A device, a FIFO and "-" (standard output) are written directly.
class OutputFile {
 public:
  /// Throws InputError where the path cannot be written.
  explicit OutputFile(const std::string& path) : OutputFile(path, Belongs::to_the_run) {}
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Room for at least n more bytes; advance() then says how many were put there. Throws InputError where the disk is full.
  char* room(std::size_t n) {
    if (capacity - filled_ < n) make_room(n);
    return buffer_.get() + filled_;
  }
  void advance(std::size_t n) { filled_ += n; }
  void write(std::string_view text);
  /// Replaces the first bytes of what was written, as many as `text` has. Throws InputError, also where the output cannot go
  /// back.
  void overwrite_start(std::string_view text);

  /// What is written directly goes out now; of a file that appears with commit() nothing. Throws InputError.
  void flush();
  /// Writes what is left and puts the file in its place. Throws InputError.
  void commit();

  /// Whether it is a result of the run, or one that the run itself reads again (ScratchFile).
  enum class Belongs { to_the_run, to_nobody };
  OutputFile(const std::string& path, Belongs belongs);

 private:
  static constexpr std::size_t capacity = 256 * 1024;

  void open_directly();
  void open_temporary();
  void make_room(std::size_t n);
  void write_through(const char* data, std::size_t n);
  void discard() noexcept;
  [[noreturn]] void fail(const std::string& reason) const;

  Belongs belongs_;
  std::string path_;  // as the user gave it
  std::string target_, temporary_;
  int file_ = -1, entry_ = -1;  // entry_: in the list of unfinished files
  std::unique_ptr<char[]> buffer_;
  std::size_t filled_ = 0;
};

/// The same of a file that is no result of a run: one in a folder of its own, to be read again by the run itself.
class ScratchFile : public OutputFile {
 public:
  explicit ScratchFile(const std::string& path) : OutputFile(path, Belongs::to_nobody) {}
};

/// Writes a whole file at once, as OutputFile does, or ScratchFile.
/// @{
void write_file(const std::string& path, std::string_view text);
void write_scratch_file(const std::string& path, std::string_view text);
/// @}

/// Deletes the temporary files of all unfinished OutputFiles. May be called from a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace sparsedyn
