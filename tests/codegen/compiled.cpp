#include "compiled.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

namespace sparsedyn::test {

std::vector<std::string> c_compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang"})
    if (std::system(("command -v " + std::string(name) + " > /dev/null 2>&1").c_str()) == 0) found.push_back(name);
  if (found.empty()) WARN("skipped: no C compiler");
  return found;
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
