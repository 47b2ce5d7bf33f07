#include "sparsedyn/detail/code.hpp"

namespace sparsedyn {

void needs_the_standard_library_of_sparsedyn(const std::vector<double>&, const std::string&) noexcept {}

}  // namespace sparsedyn
