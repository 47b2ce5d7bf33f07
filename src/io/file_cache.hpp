// Files by key, in a folder of the user's.
#pragma once

#include <string>

namespace sparsedyn {

/// Each is one file, KEY.ENDING: what was kept and, after its end, a seal over it, so that a file cut short or altered is
/// noticed before it is used. Files appear whole (written aside, renamed), whoever else writes the same; those of this ending
/// that were not used for 90 days are removed.
class FileCache {
 public:
  /// Makes the folder. One that cannot be made, or that others may write to (its files may be executed), is not used; nor is
  /// an empty path. `ending`: without its dot.
  FileCache(const std::string& folder, std::string ending);

  /// The path of a whole file with this key, or empty. What was kept is what it begins with.
  std::string find(const std::string& key) const;
  /// What was kept with this key, without the seal; empty where there is none.
  std::string read(const std::string& key) const;
  /// Returns the file's path, or empty where it cannot be kept.
  std::string keep(const std::string& key, const std::string& content) const;
  void remove(const std::string& key) const;

 private:
  std::string path(const std::string& key) const { return folder_ + "/" + key + "." + ending_; }
  void remove_unused() const;

  std::string folder_, ending_;  // no folder: not used
};

}  // namespace sparsedyn
