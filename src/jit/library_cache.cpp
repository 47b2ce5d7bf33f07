#include "library_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "io/fnv_hash.hpp"
#include "io/output_file.hpp"
#include "io/text_file.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

std::string seal(const std::string& library) {
  FnvHash hash;
  hash.add(library);
  return "\nsparsedyn " + hash.hexadecimal() + "\n";
}

bool whole(const std::string& sealed) {
  const std::size_t length = seal("").size();
  return sealed.size() > length && sealed.substr(sealed.size() - length) == seal(sealed.substr(0, sealed.size() - length));
}

bool ours_alone(const std::string& folder) {
  struct stat s;
  return ::stat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == ::geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

}  // namespace

LibraryCache::LibraryCache(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  if (ours_alone(folder)) folder_ = folder;
}

std::string LibraryCache::find(const std::string& key) const {
  if (folder_.empty() || !whole(text_of(path(key)))) return "";
  std::error_code ignored;
  fs::last_write_time(path(key), fs::file_time_type::clock::now(), ignored);
  return path(key);
}

std::string LibraryCache::keep(const std::string& key, const std::string& library) const {
  if (folder_.empty()) return "";
  remove_unused();
  const std::string text = text_of(library);
  try {
    write_file(path(key), text + seal(text));
  } catch (const InputError&) {  // a full disk, a folder for reading only
    return "";
  }
  return path(key);
}

void LibraryCache::remove(const std::string& key) const {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove(path(key), ignored);
}

void LibraryCache::remove_unused() const {
  const auto oldest = fs::file_time_type::clock::now() - std::chrono::hours(24 * 90);
  std::error_code ignored;
  for (fs::directory_iterator file(folder_, ignored), end; !ignored && file != end; file.increment(ignored))
    if (file->path().extension() == ".so" && file->last_write_time(ignored) < oldest) fs::remove(file->path(), ignored);
}

}  // namespace sparsedyn
