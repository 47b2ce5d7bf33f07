// A folder of its own for each test, gone afterwards.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "io/scratch_folder.hpp"
#include "io/text_file.hpp"

namespace sparsedyn::test {

using sparsedyn::text_of;

class TemporaryFolder : public ScratchFolder {
 public:
  TemporaryFolder() : ScratchFolder("sparsedyn-test") {}
  /// Writes a file; returns its path.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }
  int entries() const {
    int n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path())) n += entry.exists() ? 1 : 0;
    return n;
  }
};

}  // namespace sparsedyn::test
