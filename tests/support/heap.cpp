#include "support/heap.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local long count = 0;
}

// glibc's own functions under the names that it keeps for replacements of malloc. Sanitizers bring their own malloc, so
// under them operator new is counted instead.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return ++count, __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) { return ++count, __libc_calloc(n, size); }
void* realloc(void* old, std::size_t size) { return ++count, __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return ++count, __libc_memalign(alignment, size); }
}
#else
void* operator new(std::size_t size) {
  ++count;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace sparsedyn::test {
long allocations() noexcept { return count; }
}  // namespace sparsedyn::test
