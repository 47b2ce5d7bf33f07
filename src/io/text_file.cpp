#include "text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "io/files/run_files.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {

namespace {

/// All that is left of `in`; throws what `fail` throws of its fault.
template <class Fail>
std::string read_to_end(std::istream& in, const Fail& fail) {
  constexpr std::size_t longest = std::size_t{256} << 20;
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > longest) fail("more than 256 MiB");
  }
  if (in.bad()) fail("cannot be read");
  return text;
}

}  // namespace

std::string read_text_file(const std::string& path, const std::string& expected) {
  const auto fail = [&](const std::string& found) { throw InputError(path, 0, "", found, expected); };
  RunFiles::reading(path);
  if (path == "-") return read_to_end(std::cin, fail);
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) fail("a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot be read (" + std::string(std::strerror(errno)) + ")");
  return read_to_end(file, fail);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace sparsedyn
