#include "scratch_folder.hpp"

#include <stdlib.h>

#include <filesystem>

#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {

ScratchFolder::ScratchFolder(const std::string& name) {
  std::error_code error;
  path_ = (std::filesystem::temp_directory_path(error) / (name + "-XXXXXX")).string();
  if (error || !mkdtemp(path_.data())) throw InputError(path_, 0, "", "cannot be made", "a folder for temporary files");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sparsedyn
