#include "compiled.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

namespace sparsedyn::test {

namespace {

bool is_found(const std::string& compiler) {
  return std::system(("command -v " + compiler + " > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace

std::vector<std::string> c_compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang"})
    if (is_found(name)) found.push_back(name);
  if (found.empty()) WARN("skipped: no C compiler");
  return found;
}

const std::string& quick_compiler() {
  static const std::string name = is_found("clang") ? "clang" : "gcc";
  return name;
}

bool missing(const std::string& compiler) {
  const std::vector<std::string> found = c_compilers();
  if (std::find(found.begin(), found.end(), compiler) != found.end()) return false;
  WARN("skipped: no " << compiler);
  return true;
}

CompileOptions strictly(const std::string& compiler, const std::string& flags) {
  return {compiler, "-Wall -Wextra -Wpedantic -Werror " + flags, SPARSEDYN_COMPILED_PROGRAMS};
}

}  // namespace sparsedyn::test
