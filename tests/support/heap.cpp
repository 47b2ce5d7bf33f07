#include "support/heap.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

// malloc and its kin are interposed, so that nothing escapes: operator new, Eigen's aligned storage and C code all end here.
namespace {

std::atomic<long> count{0};

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  ++count;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) {
  ++count;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
}

namespace sparsedyn::test {

long allocations() noexcept { return count; }

}  // namespace sparsedyn::test
