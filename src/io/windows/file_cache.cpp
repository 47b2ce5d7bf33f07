// No cache under Windows: what a file there may be trusted for is not judged by owner and mode but by access control lists,
// which nothing here reads. Each run makes anew what a cache would have kept.
#include "io/file_cache.hpp"

#include <utility>

#include "sparsedyn/io/detail/user_cache.hpp"

namespace sparsedyn {

std::string user_cache_folder() { return ""; }

FileCache::FileCache(const std::string& folder, std::string ending, std::size_t most)
    : folder_(folder), ending_(std::move(ending)), most_(most) {}
FileCache::~FileCache() = default;
std::string FileCache::read(const std::string&) const { return ""; }
bool FileCache::keep(const std::string&, const std::string&) const { return false; }
void FileCache::remove(const std::string&) const {}
std::string FileCache::path_of(const std::string&) const { return ""; }

}  // namespace sparsedyn
