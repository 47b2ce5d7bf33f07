#include "heap.hpp"

#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED_HEAP  // clang
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED_HEAP  // g++
#endif

#ifndef _WIN32
namespace {
thread_local long count = 0;
}
#endif

#ifdef SANITIZED_HEAP
// The sanitizer has a malloc of its own, and tells of every allocation.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));

namespace {
[[maybe_unused]] const int installed =
    __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++count; }, [](const volatile void*) {});
}
#elif defined(_WIN32)
#include <windows.h>

namespace {

/// This thread's count, in a slot of Windows'. g++'s thread_local takes memory for it at a thread's first use, from malloc:
/// without end.
class ThreadCount {
 public:
  operator long() const noexcept {
    return slot_ == TLS_OUT_OF_INDEXES ? 0 : static_cast<long>(reinterpret_cast<std::intptr_t>(::TlsGetValue(slot_)));
  }
  void operator++() noexcept {
    const DWORD error = ::GetLastError();                   // which TlsGetValue clears
    if (slot_ == TLS_OUT_OF_INDEXES) slot_ = ::TlsAlloc();  // before there is a second thread
    ::TlsSetValue(slot_, reinterpret_cast<void*>(static_cast<std::intptr_t>(*this + 1)));
    ::SetLastError(error);
  }

 private:
  DWORD slot_ = TLS_OUT_OF_INDEXES;
};
ThreadCount count;

}  // namespace

// The linker gives every call of these (--wrap, CMakeLists.txt) to us, the C++ library's own ones too: it is linked statically.
extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);

void* __wrap_malloc(std::size_t size) { return ++count, __real_malloc(size); }
void* __wrap_calloc(std::size_t n, std::size_t size) { return ++count, __real_calloc(n, size); }
void* __wrap_realloc(void* old, std::size_t size) { return ++count, __real_realloc(old, size); }
}
#else
// glibc's own functions under the names that it keeps for replacements of malloc.
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
#endif

namespace sparsedyn::test {
long allocations() noexcept { return count; }
}  // namespace sparsedyn::test
