// For registers of four and of eight numbers; only where the processor has them.
#pragma once

#include "packed.hpp"

namespace sparsedyn::python {

std::unique_ptr<PackedWorks> packed_works_avx2(const Model& model);
std::unique_ptr<PackedWorks> packed_works_avx512(const Model& model);

}  // namespace sparsedyn::python
