#include "file_identity.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

FileIdentity of(const struct stat& there, const std::string& below = "") {
  return {there.st_dev, there.st_ino, below, there.st_mode};
}

}  // namespace

bool FileIdentity::keeps() const { return !below.empty() || S_ISREG(mode) || S_ISBLK(mode); }
bool FileIdentity::is_device() const { return below.empty() && S_ISCHR(mode); }

std::string link_target(std::string path) {
  constexpr int most_links = 40;  // as in Linux
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next.string() : (fs::path(path).parent_path() / next).string();
  }
  return path;
}

FileIdentity identity_of(const std::string& path) {
  struct stat there;
  if (::stat(path.c_str(), &there) == 0) return of(there);
  std::error_code error;
  const fs::path target = fs::absolute(link_target(path), error);
  fs::path folder = fs::weakly_canonical(target, error);
  if (error) folder = target.lexically_normal();
  fs::path below;
  while (folder.has_relative_path()) {
    below = below.empty() ? folder.filename() : folder.filename() / below;
    folder = folder.parent_path();
    if (::stat(folder.c_str(), &there) == 0) return of(there, below.string());
  }
  return {0, 0, path, 0};
}

FileIdentity identity_of_open(int file) {
  struct stat there;
  return ::fstat(file, &there) == 0 ? of(there) : FileIdentity{0, 0, "-", 0};
}

}  // namespace sparsedyn
