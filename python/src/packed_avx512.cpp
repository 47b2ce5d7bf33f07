// The recursive algorithms on eight samples at a time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SPARSEDYN_PACKED_WIDTH 8
#define SPARSEDYN_PACKED_CODE packed_avx512_code
#include "packed_before.hpp"
#include "packed_widths.hpp"

#pragma GCC target("avx512f,prefer-vector-width=512")

#include "packed_recursion.hpp"

namespace sparsedyn::python {

std::unique_ptr<PackedWorks> packed_works_avx512(const Model& model) { return std::make_unique<PackedOfThisWidth>(model); }

}  // namespace sparsedyn::python
#endif
