// Counts heap allocations, whoever makes them: malloc and its kin are interposed (under a sanitizer, its hook is used), so
// operator new, Eigen's aligned storage and C code are all seen.
#pragma once

namespace sparsedyn::test {

/// Allocations of this thread since the program started.
long allocations() noexcept;

/// Allocations of this thread while `work` runs.
template <class Work>
long allocations_of(Work&& work) {
  const long before = allocations();
  work();
  return allocations() - before;
}

}  // namespace sparsedyn::test
