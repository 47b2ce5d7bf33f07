#include "file_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <tuple>
#include <utility>
#include <vector>

#include "io/fnv_hash.hpp"
#include "io/unfinished_files.hpp"
#include "sparsedyn/io/detail/user_cache.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

std::string seal(const std::string& content) {
  FnvHash hash;
  hash.add(content);
  return "\nsparsedyn " + hash.hexadecimal() + "\n";
}

/// What is under the seal; empty where it is broken.
std::string unsealed(const std::string& sealed) {
  const std::size_t length = seal("").size();
  if (sealed.size() <= length) return "";
  std::string content = sealed.substr(0, sealed.size() - length);
  return sealed.substr(content.size()) == seal(content) ? content : "";
}

bool others_may_write(const struct stat& s) { return s.st_uid != ::geteuid() || (s.st_mode & (S_IWGRP | S_IWOTH)); }

/// A link that somebody else made leads where he likes.
bool has_foreign_link(const fs::path& path) {
  struct stat s;
  fs::path at;
  for (const fs::path& part : path) {
    at /= part;
    if (::lstat(at.c_str(), &s) == 0 && S_ISLNK(s.st_mode) && s.st_uid != ::geteuid() && s.st_uid != 0) return true;
  }
  return false;
}

/// Whether all folders above are root's or this user's, and nobody else may rename what is in them.
bool is_out_of_reach(const std::string& path) {
  struct stat s;
  std::error_code error;
  for (fs::path at = fs::canonical(path, error); !error && at.has_relative_path(); at = at.parent_path())
    if (::stat(at.parent_path().c_str(), &s) != 0 || (s.st_uid != ::geteuid() && s.st_uid != 0) ||
        ((s.st_mode & (S_IWGRP | S_IWOTH)) && !(s.st_mode & S_ISVTX)))
      return false;
  return !error;
}

/// Without a slash at its end, which would follow a link.
std::string without_slash(const std::string& path) {
  std::string normal = fs::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

void make_folders(const fs::path& folder) {
  if (folder.has_relative_path() && ::access(folder.c_str(), F_OK) != 0) {
    make_folders(folder.parent_path());
    ::mkdir(folder.c_str(), 0700);
  }
}

/// The folder, opened; −1 where it is not this user's alone.
int open_own_folder(const std::string& path) {
  if (has_foreign_link(path)) return -1;
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat s;
  if (folder < 0 || (::fstat(folder, &s) == 0 && !others_may_write(s))) return folder;
  ::close(folder);
  return -1;
}

/// All bytes of a regular file that is this user's alone; none of what is a link, a FIFO, a device. Marks it as used.
std::string bytes_of(int folder, const std::string& name) {
  const int file = ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return "";
  std::string text;
  struct stat s;
  if (::fstat(file, &s) == 0 && S_ISREG(s.st_mode) && !others_may_write(s)) {
    text.resize(static_cast<std::size_t>(s.st_size));
    std::size_t read = 0;
    for (ssize_t n; read < text.size() && (n = ::read(file, &text[read], text.size() - read)) > 0;)
      read += static_cast<std::size_t>(n);
    text.resize(read);
    ::futimens(file, nullptr);
  }
  ::close(file);
  return text;
}

/// KEY.ENDING with a key as FnvHash gives it, and perhaps a number.
bool is_own_name(const std::string& name, const std::string& ending) {
  const std::string digits = "0123456789", hexadecimal = "0123456789abcdef";
  const std::size_t key = std::min(name.find_first_not_of(hexadecimal), name.size());
  std::size_t at = key;
  if (at < name.size() && name[at] == '-') {
    const std::size_t first = at + 1;
    at = std::min(name.find_first_not_of(digits, first), name.size());
    if (at == first) return false;
  }
  return key == 16 && name.substr(at) == "." + ending;
}

}  // namespace

std::string user_cache_folder() {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return std::string(cache) + "/sparsedyn";
  const char* home = getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/sparsedyn" : "";
}

FileCache::FileCache(const std::string& folder, std::string ending, std::size_t most)
    : folder_(without_slash(folder)), ending_(std::move(ending)), most_(most) {
  if (folder.empty() || has_foreign_link(folder_)) return;
  make_folders(folder_);
  opened_ = open_own_folder(folder_);
}

FileCache::~FileCache() {
  if (opened_ >= 0) ::close(opened_);
}

std::string FileCache::read(const std::string& key) const { return opened_ < 0 ? "" : unsealed(bytes_of(opened_, name(key))); }

bool FileCache::keep(const std::string& key, const std::string& content) const {
  if (opened_ < 0 || content.empty()) return false;
  remove_unused(name(key));
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::string aside = unfinished_name(attempt);
    const int entry = add_unfinished_file(folder_ + "/" + aside);
    const int file = ::openat(opened_, aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const bool taken = file < 0 && errno == EEXIST;
    const bool whole = file >= 0 && mark_as_own(file) && write(file, content + seal(content));
    const bool kept = whole && ::renameat(opened_, aside.c_str(), opened_, name(key).c_str()) == 0;
    if (file >= 0 && !kept) ::unlinkat(opened_, aside.c_str(), 0);
    if (file >= 0) ::close(file);  // the lock is held until the file has its name
    forget_unfinished_file(entry);
    if (!taken) return kept;
  }
  return false;
}

bool FileCache::write(int file, const std::string& content) const {
  if (::fchmod(file, 0600) != 0) return false;
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t n = ::write(file, content.data() + written, content.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;  // a full disk
    written += static_cast<std::size_t>(n);
  }
  return true;
}

void FileCache::remove(const std::string& key) const {
  if (opened_ >= 0) ::unlinkat(opened_, name(key).c_str(), 0);
}

std::string FileCache::path_of(const std::string& key) const {
  return opened_ >= 0 && is_out_of_reach(folder_) ? folder_ + "/" + name(key) : "";
}

/// Leaves room for a file that is about to get this name.
void FileCache::remove_unused(const std::string& before) const {
  remove_abandoned_files(folder_);
  const int again = ::openat(opened_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const files = again < 0 ? nullptr : ::fdopendir(again);
  if (!files) {
    if (again >= 0) ::close(again);
    return;
  }
  const time_t oldest = ::time(nullptr) - 90 * 24 * 3600;
  struct stat s;
  std::vector<std::tuple<time_t, long, std::string>> others;  // when each was used last: seconds, nanoseconds
  while (const dirent* file = ::readdir(files))
    if (file->d_name != before && is_own_name(file->d_name, ending_) &&
        ::fstatat(opened_, file->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) && s.st_uid == ::geteuid())
      others.emplace_back(s.st_mtim.tv_sec, s.st_mtim.tv_nsec, file->d_name);
  ::closedir(files);
  std::sort(others.begin(), others.end());
  const std::size_t too_many = others.size() < most_ ? 0 : others.size() + 1 - most_;
  for (std::size_t k = 0; k < others.size(); ++k)
    if (const auto& [used, part, file] = others[k]; k < too_many || used < oldest) ::unlinkat(opened_, file.c_str(), 0);
}

}  // namespace sparsedyn
