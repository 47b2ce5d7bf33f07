#include "processor.hpp"

// Under Windows g++ aligns no stack to 32 bytes (GCC bug 54412): what it keeps there of wider vectors ends the program.
#if defined(__x86_64__) && !(defined(_WIN32) && !defined(__clang__))
#define SPARSEDYN_ASKS_PROCESSOR
#endif

#ifdef SPARSEDYN_ASKS_PROCESSOR
#include <cpuid.h>
#endif

namespace sparsedyn {
namespace {

#ifdef SPARSEDYN_ASKS_PROCESSOR
/// Which registers the system saves when it changes threads (extended control register 0); none where it has no such register.
unsigned saved_registers(unsigned leaf1_ecx) noexcept {
  if ((leaf1_ecx & bit_OSXSAVE) == 0) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
#endif

ProcessorVectors ask() noexcept {
  ProcessorVectors found;
#ifdef SPARSEDYN_ASKS_PROCESSOR
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  const unsigned saved = saved_registers(c), of_256 = 0x6, of_512 = 0xe6;
  if ((saved & of_256) != of_256 || (c & bit_AVX) == 0) return found;
  found.fma = (c & bit_FMA) != 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  found.avx2 = (b & bit_AVX2) != 0;
  found.avx512f = (b & bit_AVX512F) != 0 && (saved & of_512) == of_512;
#endif
  return found;
}

}  // namespace

const ProcessorVectors& processor_vectors() noexcept {
  static const ProcessorVectors found = ask();
  return found;
}

}  // namespace sparsedyn
