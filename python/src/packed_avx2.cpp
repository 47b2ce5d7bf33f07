// The recursive algorithms on four samples at a time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SPARSEDYN_PACKED_WIDTH 4
#define SPARSEDYN_PACKED_CODE packed_avx2_code
#include "packed_before.hpp"
#include "packed_widths.hpp"

#pragma GCC target("avx2")

#include "packed_recursion.hpp"

namespace sparsedyn::python {

std::unique_ptr<PackedWorks> packed_works_avx2(const Model& model) { return std::make_unique<PackedOfThisWidth>(model); }

}  // namespace sparsedyn::python
#endif
