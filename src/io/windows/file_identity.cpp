#include "io/files/file_identity.hpp"

#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <filesystem>

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

/// Of a handle: the volume's number and the file's in it. Devices and pipes have none.
FileIdentity of(HANDLE file, const std::string& name, const std::string& below = "") {
  BY_HANDLE_FILE_INFORMATION there;
  if (::GetFileType(file) == FILE_TYPE_DISK && ::GetFileInformationByHandle(file, &there) != 0) {
    const std::uint64_t number = (std::uint64_t{there.nFileIndexHigh} << 32) | there.nFileIndexLow;
    const bool folder = (there.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    return {there.dwVolumeSerialNumber, number, below, folder ? unsigned{S_IFDIR} : unsigned{S_IFREG}};
  }
  const bool pipe = ::GetFileType(file) == FILE_TYPE_PIPE;
  return {0, std::hash<std::string>()(name), below, pipe ? unsigned{S_IFIFO} : unsigned{S_IFCHR}};
}

/// Closed when it goes. To ask which file it is takes no right to read it.
class Handle {
 public:
  explicit Handle(const std::string& path)
      : handle_(::CreateFileA(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, nullptr)) {}
  ~Handle() {
    if (there()) ::CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  bool there() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

}  // namespace

bool FileIdentity::keeps() const { return !below.empty() || mode == S_IFREG; }
bool FileIdentity::is_device() const { return below.empty() && mode == S_IFCHR; }

std::string link_target(std::string path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::path(path);
  return error ? path : target.string();
}

FileIdentity identity_of(const std::string& path) {
  if (const Handle file(path); file.there()) return of(file.get(), path);
  std::error_code error;
  fs::path folder = fs::absolute(link_target(path), error).lexically_normal();
  fs::path below;
  while (folder.has_relative_path()) {
    below = below.empty() ? folder.filename() : folder.filename() / below;
    folder = folder.parent_path();
    if (const Handle file(folder.string()); file.there()) return of(file.get(), folder.string(), below.string());
  }
  return {0, 0, path, 0};
}

FileIdentity identity_of_open(int file) {
  const HANDLE handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  return handle == INVALID_HANDLE_VALUE ? FileIdentity{0, 0, "-", 0} : of(handle, "-");
}

}  // namespace sparsedyn
