#include "io/files/system_files.hpp"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <cerrno>
#include <filesystem>
#include <random>

namespace sparsedyn {
namespace {

constexpr int bytes_alone = _O_BINARY | _O_NOINHERIT;

/// The reason in errno, of the few that people can do something about.
bool fail() noexcept {
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND: errno = ENOENT; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_DISK_FULL: errno = ENOSPC; break;
    default: errno = EACCES;
  }
  return false;
}

}  // namespace

int open_to_read(const std::string& path) noexcept { return ::_open(path.c_str(), _O_RDONLY | bytes_alone); }
int open_to_write(const std::string& path) noexcept { return ::_open(path.c_str(), _O_WRONLY | bytes_alone); }
int create_file(const std::string& path) noexcept {
  return ::_open(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | bytes_alone, S_IRUSR | S_IWUSR);
}

bool replace_file(const std::string& from, const std::string& to) noexcept {
  return ::MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0 || fail();
}
bool add_name(const std::string& path, const std::string& second) noexcept {
  return ::CreateHardLinkA(second.c_str(), path.c_str(), nullptr) != 0 || fail();
}
bool make_folder(const std::string& path) noexcept { return ::CreateDirectoryA(path.c_str(), nullptr) != 0 || fail(); }

std::string make_scratch_folder(const std::string& folder, const std::string& name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  std::random_device draw;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string end = "-";
    while (end.size() < 7) end += letters[draw() % letters.size()];
    const std::string path = (std::filesystem::path(folder) / (name + end)).string();
    if (make_folder(path)) return path;
    if (errno != EEXIST) return "";
  }
  return "";
}

void set_permissions(int, unsigned) noexcept {}  // a new file has those of its folder
int second_descriptor(int) noexcept { return -1; }

bool overwrite_first_bytes(int file, std::string_view text) noexcept {
  const __int64 end = ::_lseeki64(file, 0, SEEK_CUR);
  if (end < 0 || ::_lseeki64(file, 0, SEEK_SET) < 0) return false;
  const int written = ::_write(file, text.data(), static_cast<unsigned>(text.size()));
  return ::_lseeki64(file, end, SEEK_SET) == end && written == static_cast<int>(text.size());
}

bool has_arrived(int file) noexcept {
  const HANDLE handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  DWORD bytes = 0;
  if (::GetFileType(handle) != FILE_TYPE_PIPE) return true;
  return ::PeekNamedPipe(handle, nullptr, 0, nullptr, &bytes, nullptr) == 0 || bytes > 0;
}

}  // namespace sparsedyn
