// Which file a path names: by device and inode, through links, however it was spelt; also where there is none yet.
#pragma once

#include <cstdint>
#include <string>

namespace sparsedyn {

struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  std::string below;  // what is still to be made below that folder; empty: the file is there
  unsigned mode = 0;  // of what is there

  /// A regular file or a disk, or one that is to come: what is written takes the place of what was there.
  bool keeps() const;
  /// Whether all that is written to it goes to the same place in turn: not a terminal, nor /dev/null.
  bool is_device() const;
  bool operator==(const FileIdentity& other) const {
    return device == other.device && inode == other.inode && below == other.below;
  }
};

/// Of a path.
FileIdentity identity_of(const std::string& path);
/// Of an open file: of the standard input, 0, and the standard output, 1.
FileIdentity identity_of_open(int file);

/// The file that a chain of links ends at, whether it exists or not.
std::string link_target(std::string path);

}  // namespace sparsedyn
