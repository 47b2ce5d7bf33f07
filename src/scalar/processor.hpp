// Which vectors this processor and its system have. The compiler's own __builtin_cpu_supports asks its runtime library, which
// says no to everything where that is zig's (packaging/wheels).
#pragma once

namespace sparsedyn {

/// What may be used: registers of 256 bits with integers (avx2) or of 512 (avx512f), and fused multiplication (fma). The first
/// call asks the processor, later ones a variable. Other processors than x86-64 have none, nor has what g++ compiles for
/// Windows.
struct ProcessorVectors {
  bool avx2 = false, avx512f = false, fma = false;
};
const ProcessorVectors& processor_vectors() noexcept;

}  // namespace sparsedyn
