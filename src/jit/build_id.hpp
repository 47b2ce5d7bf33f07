// Which build of the library runs.
#pragma once

#include <string>

namespace sparsedyn {

/// The linker's number of the program or shared library that this function is in, over all that it holds (hexadecimal); empty
/// where the linker gave it none.
std::string build_id();

}  // namespace sparsedyn
