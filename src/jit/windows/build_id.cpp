#include "jit/build_id.hpp"

namespace sparsedyn {

std::string build_id() { return ""; }  // the linker gives programs of Windows none

}  // namespace sparsedyn
