// Files by key, in a folder of the user's.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace sparsedyn {

/// Each is one file, KEY.ENDING: what was kept and, after its end, a seal over it, so that a file cut short or altered is
/// noticed before it is used. Files appear whole (written aside, renamed), whoever else writes the same, and are for the user's
/// eyes alone (0600). Those under such a name that were not used for 90 days, and the least recently used beyond a number of
/// them, are removed; no other file is touched.
///
/// Who could write to the folder could run code. So the folder is opened once, and all is done in what was opened: it must be a
/// folder of this user's that nobody else may write to, and no link; links on the way to it must be this user's or root's. A
/// file is read only where it is a regular one of this user's that nobody else may write to.
class FileCache {
 public:
  /// Makes the folder (0700). One that cannot be made, or is not as above, is not used; nor is an empty path. `ending`: without
  /// its dot. most: files that are kept, at least 1.
  FileCache(const std::string& folder, std::string ending, std::size_t most = std::numeric_limits<std::size_t>::max());
  ~FileCache();
  FileCache(const FileCache&) = delete;
  FileCache& operator=(const FileCache&) = delete;

  /// What was kept with this key (16 hexadecimal digits, and perhaps `-` and a number), without the seal; empty where there is
  /// none.
  std::string read(const std::string& key) const;
  /// False where it cannot be kept.
  bool keep(const std::string& key, const std::string& content) const;
  void remove(const std::string& key) const;

  /// The path of that file, for what needs one; empty where somebody else may exchange a folder on the way to it.
  std::string path_of(const std::string& key) const;

 private:
  std::string name(const std::string& key) const { return key + "." + ending_; }
  bool write(int file, const std::string& content) const;
  void remove_unused(const std::string& before) const;

  std::string folder_, ending_;
  std::size_t most_;
  int opened_ = -1;  // the folder; −1: not used
};

}  // namespace sparsedyn
