#include "compiled.hpp"

#include <cstdlib>

namespace sparsedyn::test {

std::vector<std::string> c_compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang"})
    if (std::system(("command -v " + std::string(name) + " > /dev/null 2>&1").c_str()) == 0) found.push_back(name);
  return found;
}

CompileOptions strictly(const std::string& compiler, const std::string& flags) {
  return {compiler, "-Wall -Wextra -Wpedantic -Werror " + flags, ""};
}

}  // namespace sparsedyn::test
