#include "output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/files/run_files.hpp"
#include "io/files/system_files.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "unfinished_files.hpp"

namespace sparsedyn {
namespace {

// Windows takes the number of bytes as an unsigned of 32 bits.
constexpr std::size_t most_written_at_once = std::size_t{1} << 30;

}  // namespace

OutputFile::OutputFile(const std::string& path, Belongs belongs) : belongs_(belongs), path_(path), buffer_(new char[capacity]) {
  if (belongs_ == Belongs::to_the_run) RunFiles::writing(path);
  struct stat there;
  const bool exists = ::stat(path.c_str(), &there) == 0;
  target_ = link_target(path);
  if (path == "-")
    file_ = STDOUT_FILENO;
  else if (exists && S_ISDIR(there.st_mode))
    fail("is a folder");
  else if (exists && (!S_ISREG(there.st_mode) || target_.rfind("/proc/", 0) == 0))
    open_directly();
  else
    open_temporary();
  if (file_ >= 0 && !temporary_.empty() && exists) set_permissions(file_, there.st_mode);
}

void OutputFile::open_directly() {
  file_ = open_to_write(path_);
  if (file_ < 0) fail(std::strerror(errno));
}

void OutputFile::open_temporary() {
  if (::access(target_.c_str(), F_OK) == 0 && ::access(target_.c_str(), W_OK) != 0) fail(std::strerror(errno));
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  remove_abandoned_files(folder.string());
  for (int attempt = 0; file_ < 0; ++attempt) {
    temporary_ = (folder / unfinished_name(attempt)).string();
    entry_ = add_unfinished_file(temporary_);
    file_ = create_file(temporary_);
    const int reason = errno;
    if (file_ >= 0 && mark_as_own(file_)) return;
    if (file_ >= 0) ::close(file_);
    const bool taken = file_ >= 0 || reason == EEXIST;
    file_ = -1;
    forget_unfinished_file(entry_);
    if (!taken) temporary_.clear(), fail(std::strerror(reason));
  }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (file_ > STDERR_FILENO) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_unfinished_file(entry_);
  file_ = entry_ = -1;
  temporary_.clear();
}

void OutputFile::fail(const std::string& reason) const { throw InputError(path_, 0, "", "cannot be written: " + reason, ""); }

void OutputFile::write_through(const char* data, std::size_t n) {
  while (n > 0) {
    const auto part = static_cast<unsigned>(std::min(n, most_written_at_once));
    const ssize_t written = ::write(file_, data, part);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    data += written;
    n -= static_cast<std::size_t>(written);
  }
}

void OutputFile::flush() {
  if (temporary_.empty()) make_room(capacity);
}

void OutputFile::make_room(std::size_t n) {
  write_through(buffer_.get(), filled_);
  filled_ = 0;
  if (n > capacity) fail("a cell of " + std::to_string(n) + " bytes");
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = std::min(text.size(), capacity);
    std::memcpy(room(n), text.data(), n);
    advance(n);
    text.remove_prefix(n);
  }
}

void OutputFile::overwrite_start(std::string_view text) {
  make_room(0);
  if (!overwrite_first_bytes(file_, text)) fail(std::strerror(errno));
}

void OutputFile::commit() {
  make_room(0);
  if (temporary_.empty()) return;
  // The lock is held until the file has its name: the descriptors share it.
  FinishedFile finished{path_, target_, temporary_, second_descriptor(file_), entry_};
  const int reason = ::close(file_) == 0 ? 0 : errno;
  file_ = -1;
  if (reason != 0 && finished.lock >= 0) ::close(finished.lock);
  if (reason != 0) fail(std::strerror(reason));
  entry_ = -1;
  temporary_.clear();
  if (belongs_ == Belongs::to_nobody || !RunFiles::hold(std::move(finished))) put_in_place(std::move(finished));
}

namespace {

void write_whole(OutputFile& file, std::string_view text) {
  file.write(text);
  file.commit();
}

}  // namespace

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  write_whole(file, text);
}

void write_scratch_file(const std::string& path, std::string_view text) {
  ScratchFile file(path);
  write_whole(file, text);
}

}  // namespace sparsedyn
