// Compiled libraries by key, in a folder of the user's.
#pragma once

#include <string>

namespace sparsedyn {

/// Each library is one file, KEY.so: the library and, after its end, a seal over it, so that a file cut short or altered is
/// noticed before it is loaded. Files appear whole (written aside, renamed), whoever else writes the same; those not used for
/// 90 days are removed.
class LibraryCache {
 public:
  /// Makes the folder. One that cannot be made, or that others may write to (its files are executed), is not used.
  explicit LibraryCache(const std::string& folder);

  /// The path of a whole library with this key, or empty.
  std::string find(const std::string& key) const;
  /// Keeps a copy of the file `library`; returns the copy's path, or empty where it cannot be kept.
  std::string keep(const std::string& key, const std::string& library) const;
  void remove(const std::string& key) const;

 private:
  std::string path(const std::string& key) const { return folder_ + "/" + key + ".so"; }
  void remove_unused() const;

  std::string folder_;  // empty: not used
};

}  // namespace sparsedyn
