#include "work_folder.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sparsedyn/compile/compiled_program.hpp"

namespace sparsedyn {

WorkFolder::WorkFolder() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "sparsedyn-XXXXXX").string();
  if (error || !mkdtemp(pattern.data())) throw CompilerFailure("no temporary folder can be made");
  path_ = pattern;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void WorkFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream out(*this / name, std::ios::binary);
  if (!(out << text).flush()) throw CompilerFailure(*this / name + ": cannot be written");
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace sparsedyn
