#include "file_cache.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "io/fnv_hash.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"
#include "sparsedyn/io/detail/user_cache.hpp"
#include "sparsedyn/io/input_error.hpp"

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

bool ours_alone(const std::string& folder) {
  struct stat s;
  return ::stat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == ::geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

}  // namespace

std::string user_cache_folder() {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') return std::string(cache) + "/sparsedyn";
  const char* home = getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/sparsedyn" : "";
}

FileCache::FileCache(const std::string& folder, std::string ending) : ending_(std::move(ending)) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  if (ours_alone(folder)) folder_ = folder;
}

std::string FileCache::read(const std::string& key) const {
  if (folder_.empty()) return "";
  std::string content = unsealed(text_of(path(key)));
  std::error_code ignored;
  if (!content.empty()) fs::last_write_time(path(key), fs::file_time_type::clock::now(), ignored);
  return content;
}

std::string FileCache::find(const std::string& key) const { return read(key).empty() ? "" : path(key); }

std::string FileCache::keep(const std::string& key, const std::string& content) const {
  if (folder_.empty() || content.empty()) return "";
  remove_unused();
  try {
    write_file(path(key), content + seal(content));
  } catch (const InputError&) {  // a full disk, a folder for reading only
    return "";
  }
  return path(key);
}

void FileCache::remove(const std::string& key) const {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove(path(key), ignored);
}

void FileCache::remove_unused() const {
  const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(24 * 90);
  std::error_code ignored;
  for (fs::directory_iterator file(folder_, ignored), end; !ignored && file != end; file.increment(ignored))
    if (file->path().extension() == "." + ending_ && file->last_write_time(ignored) < oldest) fs::remove(file->path(), ignored);
}

}  // namespace sparsedyn
