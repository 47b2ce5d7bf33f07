// What is asked of the processor itself, beside what this compiler's runtime library says, and the system's own list.
#include "scalar/processor.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

using namespace sparsedyn;

TEST_CASE("the vectors that are found are those of the compiler's library and of the system") {
  const ProcessorVectors& found = processor_vectors();
#if defined(__x86_64__) && \
    (!defined(_WIN32) || defined(__clang__))  // g++ for Windows has SSE2 alone (src/scalar/processor.cpp)
  __builtin_cpu_init();
  CHECK(found.avx2 == (__builtin_cpu_supports("avx2") != 0));
  CHECK(found.avx512f == (__builtin_cpu_supports("avx512f") != 0));
  CHECK(found.fma == (__builtin_cpu_supports("fma") != 0));
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.rfind("flags", 0) != 0) continue;
  if (line.rfind("flags", 0) == 0) {
    const std::string flags = line + " ";
    CHECK(found.avx2 == (flags.find(" avx2 ") != std::string::npos));
    CHECK(found.avx512f == (flags.find(" avx512f ") != std::string::npos));
  }
#else
  CHECK_FALSE((found.avx2 || found.avx512f || found.fma));
#endif
  CHECK(&processor_vectors() == &found);
}
