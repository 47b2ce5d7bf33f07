// The system's C compilers, for generated C.
#pragma once

#include <string>
#include <vector>

#include "sparsedyn/jit/compiled_program.hpp"

namespace sparsedyn::test {

/// The compilers found on this machine, of gcc and clang. Warns that the test is skipped where there is none.
std::vector<std::string> c_compilers();

/// For tests that any compiler serves: clang where it is found, which takes half of gcc's time for generated C at -O0, else
/// gcc.
const std::string& quick_compiler();

/// Whether there is no such compiler: then it warns that the test skips it.
bool missing(const std::string& compiler);

/// With these flags, warnings being errors. What the same compiler made of the same text by the same flags is kept in the build
/// folder: a text that has not changed is not compiled again.
CompileOptions strictly(const std::string& compiler, const std::string& flags);

}  // namespace sparsedyn::test
